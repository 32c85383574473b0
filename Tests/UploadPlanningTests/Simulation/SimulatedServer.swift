import Records
import UploadPlanning

/// A destination in memory, which does what real ones do with repeats.
struct SimulatedServer {
  struct Row: Equatable {
    let key: String
    var content: String
    var version: Int
  }

  let scenario: Scenario
  private(set) var rows: [String: Row]
  /// What was answered under a key, so that a repeat gets the same answer.
  private var answers: [String: ItemOutcome] = [:]
  private var lastID = 0

  init(scenario: Scenario) {
    self.scenario = scenario
    rows = scenario.rows
  }

  /// Carries a request out; `nil` when it is refused as a whole.
  mutating func carryOut(_ operations: [Operation]) -> [Int64: ItemOutcome]? {
    guard !operations.contains(where: { scenario.flaws[$0.number] == .batch }) else { return nil }
    var outcomes: [Int64: ItemOutcome] = [:]
    for operation in operations { outcomes[operation.number] = carryOut(operation) }
    return outcomes
  }

  private mutating func carryOut(_ operation: Operation) -> ItemOutcome {
    if scenario.flaws[operation.number] == .item {
      return .rejected(code: "flaw", reason: "a flaw")
    }
    let replay = scenario.phases[operation.phase].replay
    if replay == .key, let answer = answers[operation.key] { return answer }
    let outcome: ItemOutcome
    switch operation.action {
    case .create, .upload: outcome = create(operation, replay: replay)
    case .complete, .update, .restore: outcome = update(operation)
    case .delete, .uncreate, .unupload: outcome = remove(operation)
    }
    if replay == .key { answers[operation.key] = outcome }
    return outcome
  }

  private mutating func create(_ operation: Operation, replay: Scenario.Replay) -> ItemOutcome {
    var serverID = operation.record.key
    if replay == .id {
      if rows[serverID] != nil { return .exists }
    } else {
      lastID += 1
      serverID = "row-\(lastID)"
    }
    rows[serverID] = Row(key: operation.record.key, content: operation.target, version: 1)
    return .stored(serverID: serverID, version: "1")
  }

  private mutating func update(_ operation: Operation) -> ItemOutcome {
    guard let serverID = operation.serverID, var row = rows[serverID] else { return .missing }
    if scenario.checksVersions, operation.version != String(row.version) {
      return .conflicted(reason: "it is at version \(row.version)")
    }
    row.content = operation.target
    row.version += 1
    rows[serverID] = row
    return .stored(serverID: serverID, version: String(row.version))
  }

  private mutating func remove(_ operation: Operation) -> ItemOutcome {
    guard let serverID = operation.serverID, rows.removeValue(forKey: serverID) != nil else {
      return .missing
    }
    return .removed
  }

  /// What stands there for an operation that is read before it is decided.
  func reading(for operation: Operation) -> Reading {
    guard let serverID = operation.serverID, let row = rows[serverID] else {
      return operation.action.removes
        ? .alreadyDone(version: nil) : .conflicted(reason: "it is gone")
    }
    if !operation.action.removes, row.content == operation.target {
      return .alreadyDone(version: String(row.version))
    }
    guard operation.version == String(row.version) else {
      return .conflicted(reason: "somebody changed it")
    }
    return .ready(before: Array(row.content.utf8), version: String(row.version))
  }

  /// Whether an operation whose answer was lost arrived.
  func lookUp(_ operation: Operation) -> LookUpResult {
    switch operation.action {
    case .create, .upload:
      let found = rows.filter { $0.value.key == operation.record.key }
      guard let (serverID, row) = found.min(by: { $0.key < $1.key }) else { return .notThere }
      guard row.content == operation.target else { return .different(reason: "not ours") }
      return .found(serverID: serverID, version: String(row.version))
    case .complete, .update, .restore:
      guard let serverID = operation.serverID, let row = rows[serverID] else { return .notThere }
      guard row.content == operation.target else { return .notThere }
      return .found(serverID: serverID, version: String(row.version))
    case .delete, .uncreate, .unupload:
      guard let serverID = operation.serverID, rows[serverID] == nil else { return .notThere }
      return .found(serverID: serverID, version: nil)
    }
  }
}
