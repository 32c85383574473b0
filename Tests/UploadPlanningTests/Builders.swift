import Records
import Retrying
import UploadPlanning

extension Digest {
  /// A digest that differs from those of other numbers and says nothing else.
  static func sample(_ number: Int64) -> Digest {
    OperationKey.digest(of: Array("sample \(number)".utf8))
  }
}

extension Operation {
  static func sample(
    _ number: Int64,
    phase: Int = 0,
    action: Action = .create,
    state: State = .planned,
    before: [UInt8]? = nil
  ) -> Operation {
    Operation(
      number: number,
      phase: phase,
      record: RecordID(entity: "Hero", key: "h\(number)"),
      action: action,
      content: .sample(number),
      key: "key-\(number)",
      state: state,
      serverID: action == .create ? nil : "server-\(number)",
      before: before
    )
  }
}

extension [Operation] {
  static func samples(_ count: Int64, action: Operation.Action = .create) -> [Operation] {
    (1...count).map { .sample($0, action: action) }
  }
}

extension EnginePolicy {
  static func sample(
    phases: Int = 1,
    batchLimit: Int = 2,
    settle: Duration? = .seconds(60),
    settleOfRepeats: Duration? = nil,
    hasKeys: Bool = true,
    concurrency: Int = 2,
    retryLimit: Int = 3,
    settlesOnly: Bool = false,
    isUnproven: Bool = false
  ) -> EnginePolicy {
    EnginePolicy(
      phases: Array(
        repeating: Phase(
          entity: "Hero",
          batchLimit: batchLimit,
          settle: settle,
          settleOfRepeats: settleOfRepeats,
          hasKeys: hasKeys,
          isUnproven: isUnproven
        ),
        count: phases
      ),
      concurrency: concurrency,
      retry: RetryPolicy(limit: retryLimit),
      seed: 7,
      settlesOnly: settlesOnly
    )
  }
}

extension BatchAnswer {
  /// Every operation of these was stored.
  static func stored(_ operations: [Int64]) -> BatchAnswer {
    BatchAnswer(
      outcomes: Dictionary(
        uniqueKeysWithValues: operations.map { number in
          (number, .stored(serverID: "server-\(number)", version: "1"))
        }
      )
    )
  }

  static let lost = BatchAnswer(whole: .unknown(reason: "the line was cut"))
  static let deferred = BatchAnswer(whole: .deferred(reason: "busy"))
}
