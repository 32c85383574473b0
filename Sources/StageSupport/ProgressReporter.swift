import Synchronization
package import UploadPlanning

/// What a run informs those who watch it.
///
/// Values of records are never in it.
package enum ProgressEvent: Hashable, Sendable {
  case stageBegan(Stage)
  /// How far a stage is; `total` is `nil` if it is unknown.
  case advanced(Stage, done: Int, total: Int?)
  case stageEnded(Stage)
  /// How long, of late, no request of a stage was in flight because the checkpoint was read or written.
  case heldUp(Stage, Duration)
  /// A wait, a retry, a look-up: something a person may wonder about.
  case note(String)
  /// What a person has to know before it happens: it is shown however little progress is.
  case warning(String)

  /// A stage of the way from a store to a backend.
  package enum Stage: String, Hashable, Sendable, CaseIterable {
    case fetch, export, `import`, validate, plan, upload, verify, rollback
  }
}

/// Passes progress on to anyone who watches.
package final class ProgressReporter: Sendable {
  private let handler: @Sendable (ProgressEvent) -> Void
  private let settled = Mutex((done: 0, total: 0, stage: ProgressEvent.Stage.upload))

  package init(_ handler: @escaping @Sendable (ProgressEvent) -> Void = { _ in }) {
    self.handler = handler
  }

  package func report(_ event: ProgressEvent) { handler(event) }

  /// Begins to count settled operations.
  package func expect(_ total: Int, done: Int, stage: ProgressEvent.Stage) {
    settled.withLock { $0 = (done, total, stage) }
    handler(.advanced(stage, done: done, total: total))
  }

  /// States for how long more the checkpoint held requests up.
  package func heldUp(_ time: Duration) { handler(.heldUp(settled.withLock { $0.stage }, time)) }

  package func committed(_ changes: [OperationChange]) {
    let count = changes.count { change in
      switch change {
      case .confirm, .displace(_, _?, _, _), .adopt, .reject, .conflict: true
      case .displace(_, nil, _, _), .begin, .stage, .lose, .revoke, .absent: false
      }
    }
    let (done, total, stage) = settled.withLock { state in
      state.done += count
      return state
    }
    if count > 0 { handler(.advanced(stage, done: done, total: total)) }
  }
}
