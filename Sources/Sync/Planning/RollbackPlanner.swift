package import Checkpoint
import DestinationModel
import ExportPackage
import Profiles
import Records
import RequestMapping
import Retrying
package import SyncReading
import UploadPlanning

/// Writes down the inverse of a run: what it made is removed, what it overwrote is put back, newest first.
package struct RollbackPlanner: Sendable {
  package let reader: SyncReader

  package init(
    reader: SyncReader
  ) {
    self.reader = reader
  }

  private var profile: Profile { reader.profile }
  private var destination: any Destination { reader.destination }
  private var checkpoint: CheckpointFile { reader.checkpoint }
  private var clock: RunClock { reader.clock }

  package func draftInverse(
    of target: RunRecord,
    into run: RunRecord,
    isFirst: Bool
  ) throws {
    let layout = PhaseLayout(profile: profile, takesMedia: reader.traits.takesMedia)
    try forEachConfirmed(of: target) { operations in
      var step = PlanStep()
      for operation in operations {
        if !isFirst, try checkpoint.isUndone(operation) { continue }
        if let draft = try inverse(of: operation, in: layout) {
          step.operations.append(draft)
        } else if operation.action == .delete, operation.before != nil {
          step.findings.append(.deleted(operation.record))
          step.tallies[operation.record.entity, default: [:]][.rejected, default: 0] += 1
        }
      }
      try add(step, to: run)
    }
    try draftUnfinishedFiles(of: target, into: run, layout)
  }

  /// Plans to remove what arrived of files that a run began to send and no one went on with.
  ///
  /// Only a bucket keeps such parts.
  private func draftUnfinishedFiles(
    of target: RunRecord,
    into run: RunRecord,
    _ layout: PhaseLayout
  ) throws {
    guard case .bucket? = profile.api?.media?.way else { return }
    let begun = try checkpoint.begunUploads(of: target)
    var step = PlanStep()
    for operation in begun
    where layout.phase(ofUndoing: .upload, on: operation.record.entity) != nil {
      let known = try checkpoint.known(operation.record)
      guard known?.serverID == nil else { continue }
      step.operations.append(try draft(.unupload, of: operation, in: layout))
    }
    try add(step, to: run)
  }

  /// Plans to remove the second copies of what a run made.
  ///
  /// A destination has them where a request arrived late that had been repeated. Only a run whose
  /// package is at hand can know them, by the rules by which it made them.
  package func draftCopies(
    of target: RunRecord,
    into run: RunRecord
  ) async throws {
    guard reader.package?.digest.description == target.package else { return }
    let untracked = UntrackedRecords(reader: reader, snapshot: try reader.snapshot())
    let layout = PhaseLayout(profile: profile, takesMedia: reader.traits.takesMedia)
    for phase in layout.phases where phase.kind == .send && untracked.canJudge(phase.entity) {
      guard try await untracked.read(phase.entity, since: nil) else { continue }
      try forEachConfirmed(of: target) { operations in
        var step = PlanStep()
        for operation in operations
        where operation.record.entity == phase.entity && operation.action == .create {
          for copy in try copies(of: operation, among: untracked) {
            step.operations.append(try draft(.discard, of: operation, in: layout, copy))
          }
        }
        try add(step, to: run)
      }
    }
  }

  /// Warns of what no later run could create again.
  package func reportFinalRemovals(in run: RunRecord) throws {
    var step = PlanStep()
    step.findings += try FinalRemovals(profile: profile, checkpoint: checkpoint).findings(of: run)
    try add(step, to: run)
  }

  private func copies(
    of operation: Operation,
    among untracked: UntrackedRecords
  ) throws -> [RemoteRecord] {
    let form: RequestFieldSet
    do throws(MappingError) { form = try reader.form(of: operation) } catch { return [] }
    let copies = try untracked.like(form, of: operation.record.entity).same
    for copy in copies { try untracked.take(copy, for: operation.record) }
    return copies
  }

  /// The operation that takes another one back.
  ///
  /// | confirmed | its inverse |
  /// |---|---|
  /// | create, upload | remove |
  /// | complete, on a record this run made | nothing: the record is removed; but where it named others, put back first, so that none depends on another |
  /// | complete, update | put back the content there before; nothing where it was found done already |
  /// | delete | nothing: what is made again is another record; it is named |
  private func inverse(
    of operation: Operation,
    in layout: PhaseLayout
  ) throws -> OperationDraft? {
    let action: Operation.Action
    switch operation.action {
    case .create: action = .uncreate
    case .upload: action = .unupload
    case .update, .complete:
      let api = profile.api?.entity(operation.record.entity)
      let isDeferred = operation.action == .complete && api?.deferredReferences.isEmpty == false
      // Found as it was to be, it was given nothing.
      if operation.before == nil { return nil }
      if !isDeferred, try checkpoint.isCreated(operation.record, inRunOf: operation.number) {
        return nil
      }
      action = .restore
    case .delete, .uncreate, .restore, .unupload, .discard: return nil
    }
    return try draft(action, of: operation, in: layout)
  }

  /// An undo of an operation, or the removal of a second copy of what it made.
  private func draft(
    _ action: Operation.Action,
    of operation: Operation,
    in layout: PhaseLayout,
    _ copy: RemoteRecord? = nil
  ) throws -> OperationDraft {
    let record = operation.record
    guard let phase = layout.phase(ofUndoing: operation.action, on: record.entity) else {
      preconditionFailure("\(record.entity) has a place, or the rollback was refused")
    }
    let known = try checkpoint.known(operation.record)
    // The fields that was before this operation, so that a later run sees what it has to send.
    let requestDigest = try checkpoint.requestDigest(of: operation.record, before: operation.number)
    return OperationDraft(
      phase: phase,
      record: operation.record,
      action: action,
      content: operation.content,
      requestDigest: requestDigest ?? OperationKey.digest(of: []),
      key: OperationKey.key(
        destination: reader.traits.origin,
        record: operation.record,
        action: action,
        content: operation.content,
        generation: known?.generation ?? 0
      ),
      serverID: copy?.serverID ?? operation.serverID,
      version: copy.map(\.version) ?? operation.version,
      before: action == .restore ? operation.before : nil,
      source: operation.source,
      undoes: operation.number
    )
  }

  package func add(_ step: PlanStep, to run: RunRecord) throws {
    try checkpoint.add(step, to: run, now: clock.wallSeconds())
  }

  /// Lends what a run did, newest first, a page at a time.
  private func forEachConfirmed(
    of run: RunRecord,
    _ body: ([Operation]) throws -> Void
  ) throws {
    var before = Int64.max
    while true {
      let place = before
      let page = try checkpoint.confirmed(of: run, before: place, limit: 1_000)
      guard let last = page.last else { return }
      before = last.operation.number
      try body(page.map(\.operation))
    }
  }
}

extension Finding {
  /// A record that the run deleted which is rolled back.
  fileprivate static func deleted(_ record: RecordID) -> Finding {
    Finding(
      code: "rollback.deleted",
      severity: .error,
      entity: record.entity,
      record: record.key,
      cause: "the run deleted it at the destination, and a rollback does not restore it",
      cure: "create it again at the destination, by hand or from a backup, if it is wanted"
    )
  }
}
