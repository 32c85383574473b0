import Records
import UploadPlanning

/// What one request asks about one operation.
struct Item {
  let operation: Operation
  let serverID: String?
  /// What the record is to hold; 0 where it is to go.
  let content: Int
  let natural: Int
  let parent: String?
  let key: String
}

/// A destination in memory, which does what real ones do with repeats.
struct SimulatedServer {
  struct Row: Equatable {
    let id: String
    let kind: Kind
    let natural: Int
    let parent: String?
    var content: Int
    var version: Int
    /// The operation that made it, and the one that wrote it last; 0 for another device's.
    let maker: Int64
    var writer: Int64
  }

  let scenario: Scenario
  private(set) var rows: [Row] = []
  /// How often each operation was answered with a failure of the server's own.
  private(set) var failures: [Int64: Int] = [:]
  /// How often the reading of each record alone came to nothing.
  private var failedReadings: [RecordID: Int] = [:]
  /// How often each operation was answered that its record cannot be read.
  private(set) var unread: [Int64: Int] = [:]
  /// What was answered under a key, so that a repeat gets the same answer.
  private var answers: [(key: String, outcome: ItemOutcome)] = []
  private var lastID = 0
  /// The identities that were given to files, and not rolled back.
  private var tickets: Set<String> = []
  private var lastVersion = 0
  private var lastForeignID = 512
  private var backup: [Row] = []
  /// How many rows a doubled request made beyond the first, by operation.
  private(set) var extra: [Int64: Int] = [:]
  /// The records that a request changed which arrived more than once.
  private(set) var doubled: Set<RecordID> = []
  private var applied: Set<Int64> = []
  /// The records that were answered for without being stored or removed.
  private(set) var liedAbout: Set<RecordID> = []
  /// The removals that it refused because something depended on the row then.
  private(set) var refusedForChildren: Set<Int64> = []
  /// The records of which an answer was repeated that was no longer true.
  private(set) var staleAbout: Set<RecordID> = []
  /// The identities of rows that others changed or removed.
  private var touched: Set<String> = []
  private(set) var wasRestored = false

  init(scenario: Scenario) { self.scenario = scenario }

  func row(_ id: String, _ kind: Kind) -> Row? { rows.first { $0.id == id && $0.kind == kind } }

  private func index(_ id: String, _ kind: Kind) -> Int? {
    rows.firstIndex { $0.id == id && $0.kind == kind }
  }

  /// Carries a request out; `nil` when it is refused as a whole.
  mutating func carryOut(_ items: ArraySlice<Item>, isDouble: Bool = false) -> [Int64: ItemOutcome]?
  {
    guard !items.contains(where: { isFlawed($0, .batch) }) else { return nil }
    var outcomes: [Int64: ItemOutcome] = [:]
    for item in items {
      let count = rows.count
      outcomes[item.operation.number] = carryOut(item)
      if isDouble, rows.count > count { extra[item.operation.number, default: 0] += 1 }
    }
    return outcomes
  }

  /// Answers with a failure and does nothing; where it remembers keys, it gives the same answer again.
  mutating func fail(_ items: [Item]) -> [Int64: ItemOutcome] {
    var outcomes: [Int64: ItemOutcome] = [:]
    for item in items {
      outcomes[item.operation.number] = .broken
      failures[item.operation.number, default: 0] += 1
      guard item.operation.action == .create, let kind = Kind(item.operation.record.entity),
        scenario.replay(of: kind) == .key, !answers.contains(where: { $0.key == item.key })
      else { continue }
      answers.append((item.key, .broken))
    }
    return outcomes
  }

  /// Fails at the reading of one record alone, as often as the history says; gives how.
  mutating func failReading(of record: RecordID) -> Scenario.ReadingFault? {
    guard let fault = scenario.readingFaults[record],
      failedReadings[record, default: 0] < fault.count
    else { return nil }
    failedReadings[record, default: 0] += 1
    return fault
  }

  /// The same, where an operation is to be decided by that reading.
  mutating func failReading(for operation: Operation) -> Scenario.ReadingFault? {
    guard let fault = failReading(of: operation.record) else { return nil }
    if !fault.isUnanswered { unread[operation.number, default: 0] += 1 }
    return fault
  }

  /// From here on every record can be read.
  mutating func endReadingFaults() {
    for (record, fault) in scenario.readingFaults { failedReadings[record] = fault.count }
  }

  /// Whether an operation was left as its record could not be read as often as patience goes.
  func isLeftUnread(_ operation: Operation) -> Bool {
    operation.state == .rejected && unread[operation.number, default: 0] > 3
  }

  /// Answers as if everything had been carried out, and does nothing.
  mutating func lie(about items: [Item]) -> [Int64: ItemOutcome] {
    var outcomes: [Int64: ItemOutcome] = [:]
    for item in items {
      liedAbout.insert(item.operation.record)
      lastVersion += 1
      lastID += 1
      outcomes[item.operation.number] =
        item.operation.action.removes
        ? .removed
        : .stored(serverID: item.serverID ?? "no\(lastID)", version: "\(lastVersion)")
    }
    return outcomes
  }

  private func isFlawed(_ item: Item, _ flaw: Scenario.Flaw) -> Bool {
    !item.operation.action.isUndo && !item.operation.action.removes
      && scenario.flaws[item.operation.record] == flaw
  }

  private mutating func carryOut(_ item: Item) -> ItemOutcome {
    let operation = item.operation
    guard let kind = Kind(operation.record.entity), !isFlawed(item, .item) else {
      return .rejected(code: "flaw", reason: "a flaw")
    }
    let isKeyed = scenario.replay(of: kind) == .key
    if isKeyed, let answer = answers.first(where: { $0.key == item.key }) {
      noteStaleness(of: answer.outcome, item, kind)
      if answer.outcome == .broken { failures[operation.number, default: 0] += 1 }
      return answer.outcome
    }
    let outcome: ItemOutcome
    switch operation.action {
    case .upload where scenario.hasTickets: outcome = bring(item)
    case .create, .upload: outcome = create(item, kind)
    case .complete, .update, .restore: outcome = update(item, kind)
    case .delete, .uncreate, .unupload, .discard: outcome = remove(item, kind)
    }
    if isKeyed, outcome.isKeptUnderKey { answers.append((item.key, outcome)) }
    return outcome
  }

  /// An answer that is given again says nothing of what others did to the row meanwhile.
  private mutating func noteStaleness(of outcome: ItemOutcome, _ item: Item, _ kind: Kind) {
    guard case .stored(let id, let version) = outcome else { return }
    let row = row(id, kind)
    let isTheirs = wasRestored || touched.contains(id)
    if isTheirs, row.map({ "\($0.version)" }) != version {
      staleAbout.insert(item.operation.record)
    }
  }

  /// Gives a file its place, or counts what is in it.
  private mutating func bring(_ item: Item) -> ItemOutcome {
    guard let id = item.serverID, tickets.contains(id) else {
      lastID += 1
      tickets.insert("f\(lastID)")
      return .staged(serverID: "f\(lastID)", version: nil)
    }
    if let there = row(id, .photo) { return .stored(serverID: id, version: "\(there.version)") }
    return add(item, .photo, as: id)
  }

  /// Takes a file's place back, and what is in it.
  mutating func withdraw(_ id: String) {
    tickets.remove(id)
    rows.removeAll { $0.id == id && $0.kind == .photo }
  }

  private mutating func create(_ item: Item, _ kind: Kind) -> ItemOutcome {
    var id = item.operation.record.key
    if scenario.replay(of: kind) == .id {
      if let there = row(id, kind) {
        // A file of a name is the same file.
        return kind == .photo ? .stored(serverID: id, version: "\(there.version)") : .exists
      }
    } else {
      lastID += 1
      id = "r\(lastID)"
    }
    if let parent = item.parent, row(parent, .team) == nil {
      return .rejected(code: "parent", reason: "there is no such parent")
    }
    return add(item, kind, as: id)
  }

  private mutating func add(_ item: Item, _ kind: Kind, as id: String) -> ItemOutcome {
    if !applied.insert(item.operation.number).inserted { doubled.insert(item.operation.record) }
    lastVersion += 1
    rows.append(
      Row(
        id: id,
        kind: kind,
        natural: item.natural,
        parent: item.parent,
        content: item.content,
        version: lastVersion,
        maker: item.operation.number,
        writer: item.operation.number
      )
    )
    return .stored(serverID: id, version: "\(lastVersion)")
  }

  private mutating func update(_ item: Item, _ kind: Kind) -> ItemOutcome {
    guard let id = item.serverID, let index = index(id, kind) else { return .missing }
    guard isExpected(rows[index], item.operation) else { return .conflicted(reason: "it moved") }
    if !applied.insert(item.operation.number).inserted { doubled.insert(item.operation.record) }
    lastVersion += 1
    rows[index].content = item.content
    rows[index].version = lastVersion
    rows[index].writer = item.operation.number
    return .stored(serverID: id, version: "\(lastVersion)")
  }

  private mutating func remove(_ item: Item, _ kind: Kind) -> ItemOutcome {
    let isNamed = kind == .photo && !scenario.hasTickets
    let id = isNamed ? item.operation.record.key : item.serverID
    guard let id, let index = index(id, kind) else { return .missing }
    guard kind == .photo || isExpected(rows[index], item.operation) else {
      return .conflicted(reason: "it moved")
    }
    guard !hasChildren(id) else {
      refusedForChildren.insert(item.operation.number)
      return .rejected(code: "children", reason: "it has children")
    }
    rows.remove(at: index)
    if kind == .photo { tickets.remove(id) }
    return .removed
  }

  private func isExpected(_ row: Row, _ operation: Operation) -> Bool {
    !scenario.checksVersions || operation.version == "\(row.version)"
  }

  func hasChildren(_ id: String) -> Bool { rows.contains { $0.parent == id } }

  // MARK: - What others do

  mutating func takeBackup() { backup = rows }

  /// The rows and the keys of an earlier day; versions and identities go on.
  mutating func restoreBackup() {
    rows = backup
    wasRestored = true
    answers = []
  }

  /// Another device changes, removes or makes a row.
  mutating func actAsOtherDevice(_ random: inout SeededRandom) {
    lastVersion += 1
    lastForeignID = lastForeignID == 1023 ? 512 : lastForeignID + 1
    let choice = Int.random(in: 0..<4, using: &random)
    if choice > 0, !rows.isEmpty {
      let index = Int.random(in: rows.indices, using: &random)
      touched.insert(rows[index].id)
      if choice == 1, rows[index].kind != .photo, !hasChildren(rows[index].id) {
        rows.remove(at: index)
      } else if rows[index].kind != .photo {
        rows[index].content = lastForeignID
        rows[index].version = lastVersion
        rows[index].writer = 0
      }
      return
    }
    let kind: Kind = Bool.random(using: &random) ? .team : .hero
    let natural = Int.random(in: 0..<6, using: &random)
    lastID += 1
    let isNamed = scenario.replay(of: kind) == .id
    let id = isNamed ? "\(kind == .team ? "t" : "h")\(natural)" : "r\(lastID)"
    guard row(id, kind) == nil else { return }
    rows.append(
      Row(
        id: id,
        kind: kind,
        natural: natural,
        parent: nil,
        content: lastForeignID,
        version: lastVersion,
        maker: 0,
        writer: 0
      )
    )
  }
}

extension ItemOutcome {
  /// A failure of the destination's own.
  static var broken: ItemOutcome { .unknown(reason: "500") }

  /// Whether a repeat under the same key gets this answer; what was refused is looked at anew.
  fileprivate var isKeptUnderKey: Bool {
    switch self {
    case .stored, .displaced, .adopted, .removed, .unnamed: true
    case .staged, .rejected, .exists, .conflicted, .missing, .deferred, .unknown: false
    }
  }
}
