import DestinationModel
import JSONText
import Records
import Synchronization
import UploadPlanning

/// A destination in memory, which does what real ones do, with a network before it.
final class SessionServer: SessionBackend {
  /// A request that is on its way, and arrives at some time.
  private struct Late {
    let due: Duration
    /// The records that it may change.
    let moved: [RecordID]
    let arrive: @Sendable () -> Void
  }

  private struct State {
    var rows: [SessionRow] = []
    var gone: [(id: String, entity: EntityName, version: Int)] = []
    var lastID = 0
    var lastVersion = 0
    /// The version at which it was restored last: marks from before that are no longer good.
    var restoredAt = 0
    var answers: [String: ItemOutcome] = [:]
    var onTheirWay: [Late] = []
    var backup: [SessionRow] = []
    var disturbed: Set<RecordID> = []
    /// The records that a change came to late, perhaps when it had been made already: their versions
    /// are not that any run knows.
    var movedLate: Set<RecordID> = []
    var wasRestored = false
    /// The rows that others removed, or that no backup had.
    var removed: Set<String> = []
    var requestCount = 0

    mutating func drop(at index: Int) {
      lastVersion += 1
      let row = rows.remove(at: index)
      gone.append((row.id, row.entity, lastVersion))
    }
  }

  let scenario: SessionScenario
  let files = SessionFiles()
  let isRestorable = true
  let hasLostRights = false
  private let state = Mutex(State())

  init(_ scenario: SessionScenario) {
    self.scenario = scenario
    for line in scenario.packages[0] { bringAsApp(line) }
  }

  /// Holds what the app itself has sent.
  private func bringAsApp(_ line: SessionScenario.Line) {
    guard let claim = line.claim else { return }
    state.withLock { state in
      state.lastVersion = claim.version
      state.rows.append(
        SessionRow(
          id: claim.serverID,
          entity: line.record.entity,
          name: line.name,
          value: SessionScenario.formerValue(of: line),
          team: line.parent.flatMap { parent in state.rows.first { $0.maker == parent }?.id },
          version: claim.version,
          maker: line.record
        )
      )
    }
  }

  var rows: [SessionRow] { state.withLock { $0.rows } }
  var disturbed: Set<RecordID> { state.withLock { $0.disturbed } }
  var movedLate: Set<RecordID> { state.withLock { $0.movedLate } }
  var wasRestored: Bool { state.withLock { $0.wasRestored } }
  var removed: Set<String> { state.withLock { $0.removed } }
  var requestCount: Int { state.withLock { $0.requestCount } }

  func lend<Value: Sendable>(
    by way: SessionWay,
    time: SessionTime,
    _ body: (any Destination) async -> Value
  ) async -> Value {
    await body(SessionDestination(self, by: way, time: time))
  }

  /// Nothing: what is there is at hand.
  func refresh() async {}

  // MARK: - Writing

  /// Carries a request out.
  func carryOut(_ batch: OutgoingBatch) -> BatchAnswer {
    state.withLock { state in
      state.requestCount += 1
      var outcomes: [Int64: ItemOutcome] = [:]
      for item in batch.items { outcomes[item.operation] = carryOut(item, batch, &state) }
      return BatchAnswer(outcomes: outcomes)
    }
  }

  /// Has a request arrive when it is `due`.
  func send(_ batch: OutgoingBatch, due: Duration) {
    let moved = batch.verb == .update ? batch.items.map(\.record) : []
    send(due: due, moving: moved) { _ = self.carryOut(batch) }
  }

  /// Has `arrive` happen when it is `due`.
  func send(
    due: Duration,
    moving moved: [RecordID] = [],
    _ arrive: @escaping @Sendable () -> Void
  ) {
    state.withLock { $0.onTheirWay.append(Late(due: due, moved: moved, arrive: arrive)) }
  }

  /// Carries out what arrived by now.
  func deliver(by now: Duration) {
    let arrived = state.withLock { state in
      let arrived = state.onTheirWay.filter { $0.due <= now }.sorted { $0.due < $1.due }
      state.onTheirWay.removeAll { $0.due <= now }
      return arrived
    }
    for late in arrived {
      state.withLock { $0.movedLate.formUnion(late.moved) }
      late.arrive()
    }
  }

  private func carryOut(
    _ item: OutgoingBatch.Item,
    _ batch: OutgoingBatch,
    _ state: inout State
  ) -> ItemOutcome {
    switch batch.verb {
    case .create:
      let isKeyed = scenario.replays[batch.entity] == .key
      if isKeyed, let answer = state.answers[item.key] { return answer }
      let outcome = create(item, batch.entity, &state)
      if isKeyed, case .stored = outcome { state.answers[item.key] = outcome }
      return outcome
    case .update: return update(item, batch.entity, &state)
    case .delete: return remove(item, batch.entity, &state)
    case .uploadMedia, .removeMedia: return .rejected(code: "media", reason: "it takes no files")
    }
  }

  private func create(
    _ item: OutgoingBatch.Item,
    _ entity: EntityName,
    _ state: inout State
  ) -> ItemOutcome {
    guard !scenario.flaws.contains(item.record) else {
      return .rejected(code: "flaw", reason: "it takes no such record")
    }
    guard let content = content(of: item, over: nil, state) else { return Self.unreadable }
    var id = item.clientID
    if scenario.replays[entity] == .id {
      guard !state.rows.contains(where: { $0.id == id && $0.entity == entity }) else {
        return .exists
      }
    } else {
      state.lastID += 1
      id = "r\(state.lastID)"
    }
    state.lastVersion += 1
    state.gone.removeAll { $0.id == id && $0.entity == entity }
    state.rows.append(
      SessionRow(
        id: id,
        entity: entity,
        name: content.name,
        value: content.value,
        team: content.team,
        late: content.late,
        picture: content.picture,
        version: state.lastVersion,
        maker: item.record
      )
    )
    return .stored(serverID: id, version: "\(state.lastVersion)")
  }

  private func update(
    _ item: OutgoingBatch.Item,
    _ entity: EntityName,
    _ state: inout State
  ) -> ItemOutcome {
    guard let index = index(of: item, entity, state) else { return .missing }
    guard isExpected(state.rows[index], item) else { return .conflicted(reason: "it moved") }
    guard let content = content(of: item, over: state.rows[index], state) else {
      return Self.unreadable
    }
    state.lastVersion += 1
    state.rows[index].late = content.late
    state.rows[index].name = content.name
    state.rows[index].value = content.value
    state.rows[index].team = content.team
    state.rows[index].picture = content.picture
    state.rows[index].version = state.lastVersion
    return .stored(serverID: state.rows[index].id, version: "\(state.lastVersion)")
  }

  private func remove(
    _ item: OutgoingBatch.Item,
    _ entity: EntityName,
    _ state: inout State
  ) -> ItemOutcome {
    guard let index = index(of: item, entity, state) else { return .missing }
    guard isExpected(state.rows[index], item) else { return .conflicted(reason: "it moved") }
    let id = state.rows[index].id
    guard !state.rows.contains(where: { $0.names(id) }) else {
      return .rejected(code: "children", reason: "others name it")
    }
    state.drop(at: index)
    return .removed
  }

  /// What a request says of a record; `nil` where it is not one, or names what is not there.
  private func content(
    of item: OutgoingBatch.Item,
    over row: SessionRow?,
    _ state: State
  ) -> Content? {
    guard let content = Content(item.body, over: row) else { return nil }
    let isThere = [content.team, content.late].allSatisfy { id in
      id.map { id in state.rows.contains { $0.id == id } } ?? true
    }
    return isThere ? content : nil
  }

  private static let unreadable = ItemOutcome.rejected(
    code: "body",
    reason: "it is not a record, or names what is not there"
  )

  private func index(_ id: String, _ entity: EntityName, _ state: State) -> Int? {
    state.rows.firstIndex { $0.id == id && $0.entity == entity }
  }

  private func index(
    of item: OutgoingBatch.Item,
    _ entity: EntityName,
    _ state: State
  ) -> Int? {
    item.serverID.flatMap { index($0, entity, state) }
  }

  private func isExpected(_ row: SessionRow, _ item: OutgoingBatch.Item) -> Bool {
    guard scenario.checksVersions, let version = item.version else { return true }
    return version == "\(row.version)"
  }

  // MARK: - Reading

  func record(_ entity: EntityName, _ id: String) -> RemoteRecord? {
    state.withLock { state in
      state.requestCount += 1
      return index(id, entity, state).map { remote(state.rows[$0]) }
    }
  }

  /// Two rows a page; the mark is that of the moment at which the first one was read.
  func page(of entity: EntityName, after place: String?, since: String?) -> RemotePage {
    state.withLock { state in
      state.requestCount += 1
      let parts = (place ?? "").split(separator: " ").compactMap { Int($0) }
      let (first, mark) = parts.count == 2 ? (parts[0], parts[1]) : (0, state.lastVersion)
      let since = since.flatMap { Int($0) }
      let isExpired = since.map { $0 < state.restoredAt } ?? false
      let from = isExpired ? 0 : since ?? 0
      let rows = state.rows.filter { $0.entity == entity && $0.version > from }
        .sorted { $0.version < $1.version }
      let page = rows.filter { $0.version > first }.prefix(2)
      let isLast = page.last.map { $0.version == rows.last?.version } ?? true
      let isWhole = from == 0
      return RemotePage(
        records: page.map(remote),
        removed: isLast && !isWhole
          ? state.gone.filter { $0.entity == entity && $0.version > from }.map(\.id) : [],
        next: isLast ? nil : "\(page.last?.version ?? 0) \(mark)",
        mark: isLast && scenario.listsChanges[entity] == true ? "\(mark)" : nil,
        isFromTheStart: isExpired
      )
    }
  }

  /// A row as the destination shows it, in canonical form.
  private func remote(_ row: SessionRow) -> RemoteRecord {
    func member(_ name: String, _ id: String?) -> String {
      "\"\(name)\":\(id.map { "\"\($0)\"" } ?? "null"),"
    }
    let isHero = row.entity == SessionScenario.hero
    let name = SessionScenario.deferredField(of: row.entity)
    let late = scenario.hasCircles ? member(name, row.late) : ""
    let team = isHero ? member("team", row.team) : ""
    let picture = scenario.files == nil ? "" : member("picture", row.picture)
    let body = "{\(late)\"name\":\"\(row.name)\",\(picture)\(team)\"value\":\(row.value)}"
    return RemoteRecord(serverID: row.id, version: "\(row.version)", body: Array(body.utf8))
  }

  // MARK: - What others do

  /// Forgets the keys of requests, as after a day.
  func forgetKeys() { state.withLock { $0.answers = [:] } }

  /// Counts a record as one that may be otherwise than it was sent.
  func excuse(_ record: RecordID) { state.withLock { _ = $0.disturbed.insert(record) } }

  func takeBackup() { state.withLock { $0.backup = $0.rows } }

  /// The rows of an earlier day; versions and identities go on, and keys are forgotten.
  func restoreBackup() {
    state.withLock { state in
      for row in state.rows + state.backup {
        if let maker = row.maker { state.disturbed.insert(maker) }
      }
      state.removed.formUnion(state.rows.map(\.id))
      state.wasRestored = true
      state.rows = state.backup
      state.answers = [:]
      state.gone = []
      state.lastVersion += 1
      state.restoredAt = state.lastVersion
    }
  }

  /// Another device changes, removes or makes a row.
  func actAsOtherDevice(_ random: inout SeededRandom) {
    var drawn = random
    defer { random = drawn }
    state.withLock { state in
      state.lastVersion += 1
      let choice = Int.random(in: 0..<4, using: &drawn)
      let number = Int.random(in: 0..<6, using: &drawn)
      if choice > 0, !state.rows.isEmpty {
        let index = Int.random(in: state.rows.indices, using: &drawn)
        if let maker = state.rows[index].maker { state.disturbed.insert(maker) }
        let id = state.rows[index].id
        if choice == 1, !state.rows.contains(where: { $0.names(id) }) {
          state.removed.insert(id)
          state.drop(at: index)
        } else {
          state.rows[index].value = 1_000 + state.lastVersion
          state.rows[index].version = state.lastVersion
          state.rows[index].isTouched = true
        }
        return
      }
      let isHero = Bool.random(using: &drawn)
      let key = "\(isHero ? "h" : "t")\(number)"
      let entity = isHero ? SessionScenario.hero : SessionScenario.team
      state.lastID += 1
      let id = scenario.replays[entity] == .id ? key : "r\(state.lastID)"
      guard index(id, entity, state) == nil else { return }
      state.disturbed.insert(RecordID(entity: entity, key: key))
      state.rows.append(
        SessionRow(
          id: id,
          entity: entity,
          name: "the \(key)",
          value: 1_000 + state.lastVersion,
          team: nil,
          // Some show what another row shows.
          picture: state.rows.last?.picture,
          version: state.lastVersion,
          maker: nil
        )
      )
    }
  }
}

/// What a request says of a record.
private struct Content {
  let name: String
  let value: Int
  let team: String?
  let late: String?
  let picture: String?

  /// Reads the members of a request; those that it does not have are as in `row`.
  init?(_ body: [UInt8], over row: SessionRow? = nil) {
    guard let json = try? JSONValue(parsing: String(decoding: body, as: UTF8.self)),
      let name = json["name"]?.text ?? row?.name,
      let value = json["value"]?.integer.map({ Int($0) }) ?? row?.value
    else { return nil }
    self.name = name
    self.value = value
    team = if let team = json["team"] { team.text } else { row?.team }
    late = if let late = json["lead"] ?? json["boss"] { late.text } else { row?.late }
    picture = if let picture = json["picture"] { picture.text } else { row?.picture }
  }
}
