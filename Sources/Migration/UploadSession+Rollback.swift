package import Checkpoint
import DestinationModel
import ExportPackage
import Profiles
import Records
import Retrying
package import StageSupport
import UploadPlanning

extension UploadSession {
  /// Plans the inverse of a run: what it made is removed, what it overwrote is put back, newest
  /// first.
  ///
  /// A rollback of the same run that was interrupted is gone on with. One that came to its end and could
  /// not take everything back is followed by another, of what is left.
  ///
  /// A run that was not finished is first brought to rest: what it sent without an answer is
  /// looked up, and what it had only planned is given up.
  ///
  /// The profile of the session is the one that the run began with.
  package func planRollback(
    of runID: String,
    interruption: Interruption
  ) async throws(MigrationError) -> RunRecord {
    let runs = try checkpointing { () throws(CheckpointError) in try checkpoint.runs() }
    guard let target = runs.last(where: { $0.id == runID }) else { throw .unknownRun(runID) }
    let earlier = runs.last { $0.undoes == runID && $0.stage != .abandoned }
    if let earlier {
      guard try isBegunAnew(after: earlier) else { return earlier }
    }
    if let later = try laterRun(than: target, among: runs) { throw .laterRun(later.id) }
    let findings = FindingCollector()
    if let unfinished = runs.last(where: { $0.stage == .executing || $0.stage == .planning }) {
      try await bringToRest(unfinished, findings, interruption: interruption)
    }
    progress.report(.stageBegan(.plan))
    var run = try checkpointing { () throws(CheckpointError) in
      let number = try checkpoint.runs().count + 1
      return try checkpoint.beginRun(
        id: Self.runID(checkpoint.binding, number: number),
        kind: .rollback,
        package: "",
        packagePath: target.packagePath,
        undoes: runID,
        profile: storedProfile,
        now: clock.wallSeconds()
      )
    }
    let told = findings.all + neighbours.untold()
    try checkpointing { () throws(CheckpointError) in try checkpoint.add(told, to: run) }
    try add(PlanStep(countingConflicts: findings.all), to: run)
    _ = try beginAgreement()
    try draftInverse(of: target, into: run, isFirst: earlier == nil)
    try await draftCopies(of: target, into: run)
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.setStage(.executing, of: run, now: clock.wallSeconds())
    }
    run.stage = .executing
    progress.report(.stageEnded(.plan))
    return run
  }

  /// Whether a rollback is planned anew after an earlier one of the same run: one whose plan was not
  /// whole, which is dropped, or one that failed to take something back, or left it for the sake of what
  /// may be gone by now.
  private func isBegunAnew(after earlier: RunRecord) throws(MigrationError) -> Bool {
    switch earlier.stage {
    case .planning:
      try checkpointing { () throws(CheckpointError) in try checkpoint.discardPlan(of: earlier) }
      return true
    case .executing, .abandoned: return false
    case .finished:
      return try checkpointing { () throws(CheckpointError) in
        try checkpoint.hasRejected(earlier, orLeftFor: OperationDesk.passingReasons)
      }
    }
  }

  /// The last run after `target` that changed something and was not taken back.
  ///
  /// What a later run made may hang on what this one made, and a destination may take it along in
  /// silence; runs are therefore taken back in the reverse of their order.
  private func laterRun(
    than target: RunRecord,
    among runs: [RunRecord]
  ) throws(MigrationError) -> RunRecord? {
    let undone = Set(
      runs.filter { $0.kind == .rollback && $0.stage == .finished }.compactMap(\.undoes)
    )
    for run in runs.reversed() where run.number > target.number && run.kind == .upload {
      guard !undone.contains(run.id) else { continue }
      let confirmed = try checkpointing { () throws(CheckpointError) in
        try checkpoint.confirmed(of: run, before: .max, limit: 1)
      }
      if !confirmed.isEmpty { return run }
    }
    return nil
  }

  private func bringToRest(
    _ run: RunRecord,
    _ findings: FindingCollector,
    interruption: Interruption
  ) async throws(MigrationError) {
    if run.stage == .planning {
      try checkpointing { () throws(CheckpointError) in try checkpoint.discardPlan(of: run) }
    } else if run.kind == .rollback {
      throw .rollbackUnfinished(run.undoes ?? run.id)
    } else {
      if hasCurrentRoutes { try giveUpFiles(of: run, findings) }
      let before = Set(try conflicts(of: run))
      try await under(run).settle(run, interruption: interruption)
      for conflict in try conflicts(of: run) where !before.contains(conflict) {
        findings.add(.leftInDoubt(conflict))
      }
    }
  }

  /// What a run could not bring to the destination, or left there, because somebody changed it.
  private func conflicts(of run: RunRecord) throws(MigrationError) -> [Finding] {
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.refusals(of: run, limit: Self.mostConflicts)
        .filter { $0.code == Finding.conflictCode }
    }
  }

  /// As many as a summary tells.
  private static let mostConflicts = 1_000

  private func draftInverse(
    of target: RunRecord,
    into run: RunRecord,
    isFirst: Bool
  ) throws(MigrationError) {
    let layout = PhaseLayout(profile: profile, takesMedia: destination.traits.takesMedia)
    try forEachConfirmed(of: target) { operations throws(MigrationError) in
      var step = PlanStep()
      for operation in operations {
        if !isFirst, try isUndone(operation) { continue }
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

  /// Plans to take away what arrived of files that a run began to send and nobody went on with.
  ///
  /// Only a bucket keeps such parts.
  private func draftUnfinishedFiles(
    of target: RunRecord,
    into run: RunRecord,
    _ layout: PhaseLayout
  ) throws(MigrationError) {
    guard case .bucket? = profile.api?.media?.way else { return }
    let begun = try checkpointing { () throws(CheckpointError) in
      try checkpoint.begunUploads(of: target)
    }
    var step = PlanStep()
    for operation in begun
    where layout.phase(ofUndoing: .upload, on: operation.record.entity) != nil {
      let known = try checkpointing { () throws(CheckpointError) in
        try checkpoint.known(operation.record)
      }
      guard known?.serverID == nil else { continue }
      step.operations.append(try draft(.unupload, of: operation, in: layout))
    }
    try add(step, to: run)
  }

  private func add(_ step: PlanStep, to run: RunRecord) throws(MigrationError) {
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.add(step, to: run, now: clock.wallSeconds())
    }
  }

  /// Lends what a run did, newest first, a page at a time.
  private func forEachConfirmed(
    of run: RunRecord,
    _ body: ([Operation]) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    var before = Int64.max
    while true {
      let place = before
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.confirmed(of: run, before: place, limit: 1_000)
      }
      guard let last = page.last else { return }
      before = last.operation.number
      try body(page.map(\.operation))
    }
  }

  /// Plans to remove the second copies of what a run made.
  ///
  /// A destination has them where a request arrived late that had been repeated. Only a run whose
  /// package is at hand can tell them, by the rules by which it made them.
  private func draftCopies(
    of target: RunRecord,
    into run: RunRecord
  ) async throws(MigrationError) {
    guard givenPackage?.digest.description == target.package else { return }
    let reader = try reader()
    let strange = UnaccountedRecords(reader: reader, snapshot: try reader.snapshot())
    let layout = PhaseLayout(profile: profile, takesMedia: destination.traits.takesMedia)
    for phase in layout.phases where phase.kind == .send && strange.canTell(phase.entity) {
      guard try await strange.read(phase.entity, since: nil) else { continue }
      try forEachConfirmed(of: target) { operations throws(MigrationError) in
        var step = PlanStep()
        for operation in operations
        where operation.record.entity == phase.entity && operation.action == .create {
          for copy in try copies(of: operation, among: strange) {
            step.operations.append(try draft(.discard, of: operation, in: layout, copy))
          }
        }
        try add(step, to: run)
      }
    }
  }

  private func copies(
    of operation: Operation,
    among strange: UnaccountedRecords
  ) throws(MigrationError) -> [RemoteRecord] {
    let form: WireForm
    do throws(WireRefusal) { form = try strange.reader.form(of: operation) } catch { return [] }
    let copies = try strange.like(form, of: operation.record.entity).same
    for copy in copies { try strange.take(copy, for: operation.record) }
    return copies
  }

  /// The operation that takes another one back.
  ///
  /// | confirmed | its inverse |
  /// |---|---|
  /// | create, upload | remove |
  /// | complete, on a record this run made | nothing: the record is removed; but where it named others, put back first, so that none hangs on another |
  /// | complete, update | put back what stood there before; nothing where it was found done already |
  /// | delete | nothing: what is made again is another record; it is named |
  private func inverse(
    of operation: Operation,
    in layout: PhaseLayout
  ) throws(MigrationError) -> OperationDraft? {
    let action: Operation.Action
    switch operation.action {
    case .create: action = .uncreate
    case .upload: action = .unupload
    case .update, .complete:
      let api = profile.api?.entity(operation.record.entity)
      let isLate = operation.action == .complete && api?.lateReferences.isEmpty == false
      // Found as it was to be, it was given nothing.
      if operation.before == nil { return nil }
      if !isLate, try wasCreated(operation.record, before: operation.number) { return nil }
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
  ) throws(MigrationError) -> OperationDraft {
    let record = operation.record
    guard let phase = layout.phase(ofUndoing: operation.action, on: record.entity) else {
      preconditionFailure("\(record.entity) has a place, or the rollback was refused")
    }
    let known = try checkpointing { () throws(CheckpointError) in
      try checkpoint.known(operation.record)
    }
    // The fields that stood before this operation, so that a later run sees what it has to send.
    let wire = try checkpointing { () throws(CheckpointError) in
      try checkpoint.wireDigest(of: operation.record, before: operation.number)
    }
    return OperationDraft(
      phase: phase,
      record: operation.record,
      action: action,
      content: operation.content,
      wire: wire ?? OperationKey.digest(of: []),
      key: OperationKey.key(
        destination: destination.traits.origin,
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

  private func isUndone(_ operation: Operation) throws(MigrationError) -> Bool {
    try checkpointing { () throws(CheckpointError) in try checkpoint.isUndone(operation) }
  }

  private func wasCreated(
    _ record: RecordID,
    before number: Int64
  ) throws(MigrationError) -> Bool {
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.isCreated(record, inRunOf: number)
    }
  }
}

extension PlanStep {
  /// Counts what is left at the destination for the sake of others.
  fileprivate init(countingConflicts findings: [Finding]) {
    self.init()
    for finding in findings where finding.code == Finding.conflictCode {
      guard let entity = finding.entity else { continue }
      tallies[entity, default: [:]][.conflicted, default: 0] += 1
    }
  }
}

extension Finding {
  fileprivate static let conflictCode = "upload.conflict"

  /// Something that a run may have brought to the destination, and that somebody changed there since.
  fileprivate static func leftInDoubt(_ conflict: Finding) -> Finding {
    Finding(
      code: conflictCode,
      severity: .error,
      entity: conflict.entity,
      record: conflict.record,
      cause: "its request got no answer, and what stands there now is left: \(conflict.cause)",
      cure: "see who changed it, and put it right at the destination if need be"
    )
  }
}
