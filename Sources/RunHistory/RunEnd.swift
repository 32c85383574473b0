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
  /// A newer plan took its place.
  case givenUp

  /// - Parameters:
  ///   - run: The run.
  ///   - rollback: The name of the rollback that reversed it to the end; `nil` for none.
  ///   - isHeld: Whether a process has its checkpoint open for a run.
  package init(_ run: RunRecord, rollback: String?, isHeld: Bool) {
    if let rollback {
      self = .rolledBack(by: rollback)
      return
    }
    switch run.stage {
    case .planning, .executing: self = isHeld ? .atWork : .interrupted
    case .finished: self = .finished
    case .abandoned: self = .givenUp
    }
  }

  /// For a machine: one word, the same in every version.
  package var name: String {
    switch self {
    case .atWork: "at-work"
    case .interrupted: "interrupted"
    case .finished: "finished"
    case .rolledBack: "rolled-back"
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
    case .givenUp: "given up for a newer plan"
    }
  }
}
