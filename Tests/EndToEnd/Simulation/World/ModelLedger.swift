package import Records
package import UploadPlanning

/// A ledger in memory, which does what the checkpoint promises: a commit is whole and lasts, or is
/// not there.
package struct ModelLedger: Ledger, Equatable {
  struct Entry: Equatable {
    let run: Int
    var operation: Operation
  }

  struct Seen: Hashable {
    let entity: EntityName
    let serverID: String
  }

  private var allRuns: [LedgerRun] = []
  private var entries: [Entry] = []
  private var records: [RecordID: SyncState] = [:]
  private var seen: Set<Seen> = []
  private var lastNumber: Int64 = 0
  /// The number of the last run, which no other gets, also once its plan was dropped.
  private var lastRun = 0
  private let plant: Plant?
  /// What a disk that was not made to keep the last commit still has.
  private var unsynced: [ModelLedger] = []

  package init(plant: Plant? = nil) { self.plant = plant }

  package func runs() -> [LedgerRun] { allRuns }

  package mutating func beginRun(_ kind: LedgerRun.Kind, undoes: Int?) -> Int {
    lastRun += 1
    allRuns.append(LedgerRun(number: lastRun, kind: kind, stage: .planning, undoes: undoes))
    return lastRun
  }

  package mutating func add(_ step: LedgerStep, to run: Int) {
    for draft in step.drafts {
      lastNumber += 1
      let operation = draft.numbered(lastNumber)
      let key = refusedKey(of: operation, before: run).map(OperationKey.following)
      entries.append(Entry(run: run, operation: key.map(operation.keyed) ?? operation))
    }
    for adoption in step.adoptions {
      records[adoption.record] = SyncState(
        serverID: adoption.serverID,
        version: adoption.version,
        content: adoption.content,
        requestDigest: adoption.content,
        generation: records[adoption.record]?.generation ?? 0
      )
    }
  }

  /// The last key under which an earlier run was refused a record as it is.
  private func refusedKey(of operation: Operation, before run: Int) -> String? {
    guard operation.action == .create else { return nil }
    let last = entries.last { entry in
      entry.run < run && entry.operation.record == operation.record
        && entry.operation.action == .create
    }
    guard let last = last?.operation, last.state == .rejected, last.content == operation.content
    else { return nil }
    return last.key
  }

  package mutating func addSeen(_ serverIDs: [String], of entity: EntityName) {
    for serverID in serverIDs { seen.insert(Seen(entity: entity, serverID: serverID)) }
  }

  package mutating func setStage(_ stage: LedgerRun.Stage, of run: Int) {
    guard let index = allRuns.firstIndex(where: { $0.number == run }) else { return }
    allRuns[index].stage = stage
  }

  package mutating func discardPlan(of run: Int) {
    entries.removeAll { $0.run == run }
    allRuns.removeAll { $0.number == run }
  }

  package mutating func abandon(_ run: Int) {
    entries.removeAll { $0.run == run && $0.operation.state == .planned }
    setStage(.abandoned, of: run)
  }

  package mutating func commit(_ changes: [OperationChange]) {
    if plant == .commitNotSynced {
      unsynced = []
      unsynced = [self]
    }
    for change in changes { apply(change) }
  }

  private mutating func apply(_ change: OperationChange) {
    guard let index = index(of: change.operation) else { return }
    switch change {
    case .begin(_, let before, let version):
      let held = entries[index].operation
      let takesNew = held.state == .planned
      entries[index].operation.before = takesNew ? before ?? held.before : held.before ?? before
      if plant == .readingNotKept { entries[index].operation.before = nil }
      entries[index].operation.version = version ?? held.version
      entries[index].operation.state = .begun
      entries[index].operation.wasBegun = true
    case .stage where plant == .placeNotKept: break
    case .stage(_, let serverID, let version):
      entries[index].operation.serverID = serverID
      entries[index].operation.version = version
    case .displace(_, nil, _, _): entries[index].operation.state = .unknown
    case .displace(let number, let serverID, let version, _):
      apply(.confirm(number, serverID: serverID, version: version))
    case .confirm(_, let serverID, let version):
      let operation = entries[index].operation
      entries[index].operation.serverID =
        serverID ?? operation.serverID ?? records[operation.record]?.serverID
      entries[index].operation.version = version
      // What is still planned was found done: no request of it arrived.
      if operation.state == .planned { entries[index].operation.wasBegun = false }
      entries[index].operation.state = .confirmed
      learn(from: entries[index].operation)
    case .adopt(_, let serverID, let version):
      let operation = entries[index].operation
      entries[index].operation.serverID = serverID
      entries[index].operation.version = version
      entries[index].operation.state = .adopted
      records[operation.record] = SyncState(
        serverID: serverID,
        version: version,
        content: operation.content,
        requestDigest: operation.content,
        generation: records[operation.record]?.generation ?? 0
      )
    case .reject: entries[index].operation.state = .rejected
    case .conflict: entries[index].operation.state = .conflicted
    case .lose: entries[index].operation.state = .unknown
    case .revoke:
      entries[index].operation.state = .planned
      if !entries[index].operation.action.isUndo { entries[index].operation.before = nil }
    case .absent(_, let key):
      if let key { entries[index].operation = entries[index].operation.keyed(key) }
      entries[index].operation.state = .planned
    }
  }

  private mutating func learn(from operation: Operation) {
    let old = records[operation.record]
    let isGone = operation.action.removes && plant != .undoneStillKnown
    records[operation.record] = SyncState(
      serverID: isGone ? nil : operation.serverID ?? old?.serverID,
      version: operation.version,
      content: operation.content,
      requestDigest: operation.content,
      generation: (old?.generation ?? 0) + 1
    )
  }

  private func index(of number: Int64) -> Int? {
    entries.firstIndex { $0.operation.number == number }
  }

  package func page(
    of run: Int,
    phase: Int,
    after number: Int64,
    limit: Int,
    onlyBegun: Bool
  ) -> [Operation] {
    var page: [Operation] = []
    for entry in entries where entry.run == run && page.count < limit {
      let operation = entry.operation
      guard operation.phase == phase, operation.number > number else { continue }
      guard !operation.state.isSettled, !onlyBegun || operation.state != .planned else { continue }
      page.append(operation)
    }
    return page
  }

  package func operations(of run: Int) -> [Operation] {
    entries.filter { $0.run == run }.map(\.operation)
  }

  package func known(_ record: RecordID) -> SyncState? { records[record] }

  package func isAccountedFor(_ serverID: String, of entity: EntityName) -> Bool {
    if seen.contains(Seen(entity: entity, serverID: serverID)) { return true }
    return records.contains { $0.key.entity == entity && $0.value.serverID == serverID }
  }

  package func isCreated(_ record: RecordID, inRunOf number: Int64) -> Bool {
    guard let index = index(of: number) else { return false }
    return entries.contains { entry in
      let operation = entry.operation
      return entry.run == entries[index].run && operation.record == record
        && operation.action == .create && operation.state == .confirmed
    }
  }

  package func requestDigest(of record: RecordID, before number: Int64) -> Digest? {
    let last = entries.last { entry in
      let operation = entry.operation
      return operation.number < number && operation.record == record
        && operation.state == .confirmed
    }
    return last?.operation.content
  }

  package mutating func crash(
    interrupting changes: [OperationChange]?,
    random: inout SeededRandom
  ) {
    if plant == .commitNotSynced, let last = unsynced.last, Bool.random(using: &random) {
      self = last
      return
    }
    if let changes, Bool.random(using: &random) { commit(changes) }
  }
}
