import Retrying
import Synchronization

/// What time it is in a history: time passes only while a person waits.
final class SessionTime: Sendable {
  private let time = Mutex(Duration.zero)

  var now: Duration { time.withLock { $0 } }

  func pass(_ time: Duration) { self.time.withLock { $0 += max(.zero, time) } }

  var clock: RunClock {
    RunClock(
      seconds: { 1_700_000_000 + self.now.components.seconds },
      elapsed: { self.now },
      pause: { time in
        // Whatever else is at work comes to its end first, as it would in the time that is waited for. A
        // cancelled wait ends early.
        try? await Task.sleep(for: .microseconds(300))
        self.pass(time)
      }
    )
  }
}
