import Checkpoint
import DestinationModel
import Profiles
import Reconciliation
import Records
import RequestMapping
import Retrying
import StageSupport
import SyncReading
import UploadPlanning
import ScratchFiles

/// The content at the destination of what a rollback says that it undid.
struct ReadingBack {
  static let pageSize = 200

  let run: RunRecord
  let reader: SyncReader
  let interruption: CancellationToken
  /// How long after a first look that shows something a second one is taken: a destination may take a
  /// moment to show what it did.
  let secondLook: Duration
  let clock: RunClock
  /// The entities that are read from the list, and those that have been.
  let listed: [EntityName]
  /// The entities that have a list.
  let withList: [EntityName]
  let snapshot: DestinationSnapshot
  private var isListRead: Set<EntityName> = []
  private var failed: [RefutedUndo] = []
  /// Why an entity cannot be read, and how many operations no one looked at for that.
  private var unread: [EntityName: (reason: String, count: Int)] = [:]
  /// How many records the list does not have any more, while their own addresses still answer of them.
  private var retired: [EntityName: Int] = [:]

  init(
    run: RunRecord,
    reader: SyncReader,
    interruption: CancellationToken,
    secondLook: Duration,
    clock: RunClock,
    listed: [EntityName],
    withList: [EntityName],
    snapshot: DestinationSnapshot
  ) {
    self.run = run
    self.reader = reader
    self.interruption = interruption
    self.secondLook = secondLook
    self.clock = clock
    self.listed = listed
    self.withList = withList
    self.snapshot = snapshot
  }

  /// What one operation was found to have come to.
  private enum Verdict {
    case undone
    case failed(RefutedUndo)
    /// The destination does not state.
    case unknowable(reason: String)
  }

  /// The findings about what could not be read.
  var findings: [Finding] {
    unread.sorted { $0.key < $1.key }.map { .unread($0.key, $0.value.count, $0.value.reason) }
      + retired.sorted { $0.key < $1.key }.map { .retired($0.key, $0.value) }
  }

  /// What was found not to be undone since this was asked last.
  mutating func takeFailed() -> [RefutedUndo] {
    defer { failed = [] }
    return failed
  }

  /// Looks at what some operations undid; gives how the run ends where that cannot be done now.
  mutating func read(_ operations: [Operation]) async throws -> EngineConclusion? {
    let entities = Dictionary(grouping: operations, by: \.record.entity)
    for (entity, group) in entities.sorted(by: { $0.key < $1.key }) {
      if let reason = unread[entity]?.reason {
        note(entity, group.count, reason)
        continue
      }
      do {
        var open = try await look(at: group, of: entity)
        if !open.isEmpty, !listed.contains(entity), !interruption.isCancelled {
          await clock.sleep(for: secondLook)
          open = try await look(at: group.filter { open[$0.number] != nil }, of: entity)
        }
        if interruption.isCancelled { return .interrupted }
        failed += try await withoutRetired(open, group, of: entity)
        failed += try await stillListed(group.filter { open[$0.number] == nil }, of: entity)
      } catch let error as DestinationError {
        switch error {
        case .unreachable, .page, .busy: return .passingFault(reason: error.description)
        case .unauthorized, .quota, .elsewhere, .otherAccount:
          return .refused(reason: error.description)
        case .forbidden, .unexpected, .misconfigured: note(entity, group.count, error.description)
        }
      }
    }
    return nil
  }

  private mutating func note(_ entity: EntityName, _ count: Int, _ reason: String) {
    unread[entity] = (reason, (unread[entity]?.count ?? 0) + count)
  }

  /// Looks at operations on one entity; gives those that were not undone.
  private mutating func look(
    at operations: [Operation],
    of entity: EntityName
  ) async throws -> [Int64: RefutedUndo] {
    let found = try await readTogether(operations, of: entity)
    let (reader, run, interruption) = (reader, run, interruption)
    let isListed = listed.contains(entity)
    let verdicts = await sideBySide(
      operations,
      width: reader.concurrency,
      goesOn: { result in
        if case .success = result { !interruption.isCancelled } else { false }
      },
      { operation in await Self.verdict(on: operation, found, isListed: isListed, reader, run) }
    )
    var open: [Int64: RefutedUndo] = [:]
    for verdict in verdicts {
      switch try verdict.get() {
      case .undone: break
      case .failed(let refuted): open[refuted.operation] = refuted
      case .unknowable(let reason): note(entity, 1, reason)
      }
    }
    return open
  }

  /// All that is there of the records of some operations, where they are read in one go or from the
  /// list; `nil` where each is asked for by itself.
  private mutating func readTogether(
    _ operations: [Operation],
    of entity: EntityName
  ) async throws -> RemoteRecords? {
    guard entity.mediaCategory == nil else { return nil }
    let ids = operations.compactMap(\.serverID)
    if listed.contains(entity) { return try await listedRecords(ids, of: entity) }
    guard reader.traits.readsTogether(entity) else { return nil }
    let destination = reader.destination
    return try await reader.readingDestination { () async throws(DestinationError) in
      try await destination.records(of: entity, serverIDs: ids)
    }
  }

  /// Those of the records with these identities that the list has, which is read once.
  private mutating func listedRecords(
    _ ids: [String],
    of entity: EntityName
  ) async throws -> RemoteRecords {
    if isListRead.insert(entity).inserted {
      try await reader.forEachPage(of: entity) { page in
        try snapshot.add(page.records.map { ($0, nil) }, of: entity)
      }
    }
    return try snapshot.records(ids, of: entity)
  }

  /// What was found not to be undone, without the removals of records that the list does not have
  /// any more: the destination said that they are removed, and answers of what it retired.
  private mutating func withoutRetired(
    _ open: [Int64: RefutedUndo],
    _ operations: [Operation],
    of entity: EntityName
  ) async throws -> [RefutedUndo] {
    let removals = operations.filter { open[$0.number] != nil && $0.action.removes }
    guard !removals.isEmpty, withList.contains(entity), !listed.contains(entity) else {
      return Array(open.values)
    }
    let there = try await listedRecords(removals.compactMap(\.serverID), of: entity)
    var left = open
    for operation in removals {
      guard let serverID = operation.serverID, there[serverID] == nil else { continue }
      left[operation.number] = nil
      retired[entity, default: 0] += 1
    }
    return Array(left.values)
  }

  /// The removals for which nothing was sent, as no record's own address answered, and whose records the list has.
  private mutating func stillListed(
    _ operations: [Operation],
    of entity: EntityName
  ) async throws -> [RefutedUndo] {
    let unsent = operations.filter { $0.action.removes && !$0.wasBegun }
    guard !unsent.isEmpty, withList.contains(entity), !listed.contains(entity) else { return [] }
    let there = try await listedRecords(unsent.compactMap(\.serverID), of: entity)
    return unsent.compactMap { operation in
      guard let record = operation.serverID.flatMap({ there[$0] }) else { return nil }
      let words = "its own address answers that it is gone, and the list still shows it"
      return .stillPresent(operation, record.version, words)
    }
  }

  private static func verdict(
    on operation: Operation,
    _ found: RemoteRecords?,
    isListed: Bool,
    _ reader: SyncReader,
    _ run: RunRecord
  ) async -> Result<Verdict, any Error> {
    do {
      switch operation.action {
      case .create, .complete, .update, .delete, .upload: return .success(.undone)
      case .unupload: return .success(try await verdict(onFileOf: operation, reader))
      case .uncreate, .discard, .restore:
        return .success(
          try await verdict(onRecordOf: operation, found, isListed: isListed, reader, run)
        )
      }
    } catch {
      return .failure(error)
    }
  }

  private static func verdict(
    onFileOf operation: Operation,
    _ reader: SyncReader
  ) async throws -> Verdict {
    let key = try operation.undoes.flatMap { number throws(CheckpointError) in
      try reader.checkpoint.key(ofOperation: number)
    }
    let file = MediaReference(
      record: operation.record,
      serverID: operation.serverID,
      operation: key
    )
    return switch try await reader.state(of: file).get() {
    case .absent, .other, .present(_, _, _, isReplaced: true): .undone
    case .present(_, let version, _, _): .failed(.stillPresent(operation, version))
    case .unknowable: .unknowable(reason: "the destination does not list its files")
    }
  }

  /// Asks Reconciliation whether the destination has what an operation left of a record.
  ///
  /// Of several changes of one record, the first one that the run made is put back last, and stays in force.
  private static func verdict(
    onRecordOf operation: Operation,
    _ found: RemoteRecords?,
    isListed: Bool,
    _ reader: SyncReader,
    _ run: RunRecord
  ) async throws -> Verdict {
    let removes = operation.action.removes
    let isLast = try !reader.checkpoint.isConfirmed(
      after: operation.number,
      on: operation.record,
      in: run
    )
    guard removes || isLast else { return .undone }
    let current = try await record(of: operation, found, reader)
    let mapping = reader.mappings[operation.record.entity]
    let canRead = mapping.program.api.read != nil
    let rules = mapping.comparisonRules(judgesIdentity: false)
    let restored: RecordCopy?
    do throws(MappingError) {
      restored =
        if removes { nil } else {
          try Self.restored(by: operation, isListed: isListed, reader)
        }
    } catch {
      return .unknowable(reason: error.reason)
    }
    var triple = RecordTriple(
      base: restored.map { RecordTriple.Base($0) },
      wanted: restored.map { .record($0) } ?? .absent(deletedAt: nil),
      remote: mapping.copy(of: current, isWhole: !isListed, isListed ? .list : .single)
    )
    if !canRead { triple.leaveOutEmpty(rules) }
    switch triple.decide(.verify, rules, canRead ? .readOne : []) {
    case .readFirst:
      return try await verdict(onRecordOf: operation, nil, isListed: false, reader, run)
    case .unchanged: return .undone
    case .conflict where removes: return .failed(.stillPresent(operation, current?.version))
    case .conflict(.unreadable(let denial)): return .unknowable(reason: .unreadable(denial))
    case .conflict(.remotelyDeleted):
      return .failed(.notRestored(operation, nil, "the record is no longer at the destination"))
    case .conflict(.fieldNotListed(let names)):
      return .failed(.notRestored(operation, current?.version, .unlisted(names.sorted())))
    case .conflict:
      let words = "the record there is not what the run overwrote"
      return .failed(.notRestored(operation, current?.version, words))
    case .create, .adopt, .update, .delete, .remoteNewer, .keptRemote, .skip, .ask:
      preconditionFailure("what was read back is not sent again")
    }
  }

  /// What an operation put back.
  private static func restored(
    by operation: Operation,
    isListed: Bool,
    _ reader: SyncReader
  ) throws(MappingError) -> RecordCopy {
    guard let before = try reader.before(of: operation) else {
      return RecordCopy([:], coverage: .partial([]))
    }
    let mapping = reader.mappings[operation.record.entity]
    let isWhole = !isListed || mapping.program.api.read != nil
    return mapping.copy(restored: before, try reader.restoration(of: operation), isWhole: isWhole)
  }

  private static func record(
    of operation: Operation,
    _ found: RemoteRecords?,
    _ reader: SyncReader
  ) async throws -> RemoteRecord? {
    guard let serverID = operation.serverID else { return nil }
    if let found { return found[serverID] }
    return try await reader.readingDestination { () async throws(DestinationError) in
      try await reader.destination.record(of: operation.record.entity, serverID: serverID)
    }
  }
}

extension RefutedUndo {
  fileprivate static func stillPresent(
    _ operation: Operation,
    _ version: String?,
    _ words: String = "the destination answered that it is removed, and still has it"
  ) -> RefutedUndo {
    RefutedUndo(
      operation: operation.number,
      code: "rollback.still-present",
      reason: words,
      version: version
    )
  }

  fileprivate static func notRestored(
    _ operation: Operation,
    _ version: String?,
    _ words: String
  ) -> RefutedUndo {
    RefutedUndo(
      operation: operation.number,
      code: "rollback.not-restored",
      reason: "the destination answered that it is restored, and \(words)",
      version: version
    )
  }
}

extension Finding {
  /// Records that are removed as far as the list shows.
  fileprivate static func retired(_ entity: EntityName, _ count: Int) -> Finding {
    Finding(
      code: "rollback.retired",
      severity: .note,
      entity: entity,
      cause: "the list does not show \(count.counted("record")) of \(entity) any more, and "
        + "their own addresses still answer: the server retires what it removes",
      cure: retiring
    )
  }

  /// What a rollback undid, as far as the destination answered, and no one could look at.
  fileprivate static func unread(_ entity: EntityName, _ count: Int, _ reason: String) -> Finding {
    Finding(
      code: "rollback.unread",
      severity: .note,
      entity: entity,
      cause: "\(count) could not be read back after the destination answered that it rolled them "
        + "back: \(reason)",
      cure: "look at the destination, if it matters"
    )
  }
}
