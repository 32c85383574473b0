import Records
import UploadPlanning

/// What one history is made of: its phases, what their destination can do, and the operations.
struct Scenario {
  /// How the simulated destination makes a repeat safe, as a phase of it is described.
  enum Replay: CaseIterable { case key, id, lookUp }

  /// What a person or the profile got wrong about an operation.
  enum Flaw {
    /// The destination rejects the item by name.
    case item
    /// The destination refuses every batch that holds it as a whole.
    case batch
  }

  struct Phase {
    let replay: Replay
    let batchLimit: Int
  }

  static let settle: Duration = .seconds(60)

  let phases: [Phase]
  let operations: [Operation]
  let flaws: [Int64: Flaw]
  /// Rows that stand at the destination before the run, by identity.
  let rows: [String: SimulatedServer.Row]
  let concurrency: Int
  let checksVersions: Bool
  let faultCount: Int

  init(random: inout SeededRandom) {
    var phases: [Phase] = []
    var operations: [Operation] = []
    var flaws: [Int64: Flaw] = [:]
    var rows: [String: SimulatedServer.Row] = [:]
    for phase in 0..<Int.random(in: 1...3, using: &random) {
      let replay: Replay = Bool.random(using: &random) ? .lookUp : .allCases[phase % 2]
      phases.append(Phase(replay: replay, batchLimit: Int.random(in: 1...4, using: &random)))
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let number = Int64(operations.count + 1)
        let operation = Self.operation(number, phase: phase, random: &random)
        operations.append(operation)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: flaws[number] = .item
        case 1: flaws[number] = .batch
        default: break
        }
        if let row = Self.row(for: operation, replay: replay, random: &random) {
          rows[operation.serverID ?? operation.record.key] = row
        }
      }
    }
    self.phases = phases
    self.operations = operations
    self.flaws = flaws
    self.rows = rows
    concurrency = Int.random(in: 1...3, using: &random)
    checksVersions = Bool.random(using: &random)
    faultCount = Int.random(in: 0...10, using: &random)
  }

  private static func operation(
    _ number: Int64,
    phase: Int,
    random: inout SeededRandom
  ) -> Operation {
    let actions: [Operation.Action] = [
      .create, .create, .create, .create, .upload, .update, .complete, .delete, .uncreate,
      .unupload,
    ]
    let action = actions[Int.random(in: actions.indices, using: &random)]
    let isNew = action == .create || action == .upload
    return Operation(
      number: number,
      phase: phase,
      record: RecordID(entity: "Hero", key: "h\(number)"),
      action: action,
      content: sampleDigest,
      key: "key-\(number)",
      serverID: isNew ? nil : "old-\(number)",
      version: isNew ? nil : "1"
    )
  }

  /// The row that an operation changes or removes, now and then gone or changed by somebody else;
  /// now and then a stranger's, where the client chooses the identity.
  private static func row(
    for operation: Operation,
    replay: Replay,
    random: inout SeededRandom
  ) -> SimulatedServer.Row? {
    let chance = Int.random(in: 0..<10, using: &random)
    if operation.serverID == nil {
      guard replay == .id, chance == 0 else { return nil }
      return SimulatedServer.Row(key: operation.record.key, content: "theirs", version: 1)
    }
    guard chance > 0 else { return nil }
    return SimulatedServer.Row(
      key: operation.record.key,
      content: "old \(operation.number)",
      version: chance == 1 ? 5 : 1
    )
  }

  private static let sampleDigest = Digest.sample(0)

  func policy(seed: UInt64, settlesOnly: Bool, plant: Plant?) -> EnginePolicy {
    EnginePolicy(
      phases: phases.map { phase in
        var settle: Duration? = phase.replay == .lookUp || settlesOnly ? Self.settle : nil
        if plant == .skippedSettling, settle != nil { settle = .zero }
        return EnginePolicy.Phase(
          entity: "Hero",
          batchLimit: phase.batchLimit,
          settle: settle
        )
      },
      concurrency: concurrency,
      seed: seed,
      settlesOnly: settlesOnly
    )
  }
}

/// A fault built into the shell on purpose, which the checker has to find.
enum Plant: CaseIterable {
  /// The engine is told of a commit before the disk has it.
  case sentBeforeCommit
  /// A lost request is given no time to arrive.
  case skippedSettling
  /// A commit is now and then not written at all.
  case forgottenCommit
}

extension Operation {
  /// What a record of this operation holds at the destination afterwards.
  var target: String { "new \(number)" }
}
