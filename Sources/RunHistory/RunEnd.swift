package import Checkpoint

/// How a run ended, or that it has not.
package enum RunEnd: Hashable, Sendable {
  /// A process is at work on its checkpoint.
  case atWork
  /// It was killed or stopped before its end, and can be resumed.
  case interrupted
  /// It came to its end.
  case finished
  /// It came to its end, and a rollback of this name reversed it.
  case rolledBack(by: String)
  /// A rollback of this name reversed a part of it, or began to, and has not come to its end.
  case rollbackUnfinished(by: String)
  /// A newer plan took its place.
  case givenUp

  /// - Parameters:
  ///   - run: The run.
  ///   - rollback: The last rollback of it; `nil` for none.
  ///   - isHeld: Whether a process has its checkpoint open for a run.
  package init(_ run: RunRecord, rollback: RunRecord?, isHeld: Bool) {
    switch (rollback?.stage, run.stage) {
    case (.finished, _): self = .rolledBack(by: rollback?.id ?? "")
    case (.planning, _), (.executing, _): self = .rollbackUnfinished(by: rollback?.id ?? "")
    case (.abandoned, .planning), (.abandoned, .executing), (nil, .planning), (nil, .executing):
      self = isHeld ? .atWork : .interrupted
    case (.abandoned, .finished), (nil, .finished): self = .finished
    case (.abandoned, .abandoned), (nil, .abandoned): self = .givenUp
    }
  }

  /// For a machine: one word, the same in every version.
  package var name: String {
    switch self {
    case .atWork: "at-work"
    case .interrupted: "interrupted"
    case .finished: "finished"
    case .rolledBack: "rolled-back"
    case .rollbackUnfinished: "rollback-unfinished"
    case .givenUp: "given-up"
    }
  }

  /// For a person.
  package var words: String {
    switch self {
    case .atWork: "at work"
    case .interrupted: "interrupted"
    case .finished: "finished"
    case .rolledBack(let run): "rolled back by \(run)"
    case .rollbackUnfinished(let run): "rollback \(run) unfinished"
    case .givenUp: "given up for a newer plan"
    }
  }
}
