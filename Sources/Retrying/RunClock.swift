#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The time as a run sees it: a monotonic clock for decisions, the wall clock only for people.
///
/// Every wait, every rate and every age is measured by the clock that was passed in, so that a test or a
/// simulation can let hours pass in no time.
package struct RunClock: Sendable {
  private let seconds: @Sendable () -> Int64
  private let elapsed: @Sendable () -> Duration
  private let pause: @Sendable (Duration) async -> Void

  /// This machine's time.
  ///
  /// It has one start for the whole process: instants of two parts of a run can be compared.
  package static let system: RunClock = {
    let start = ContinuousClock.now
    return RunClock(
      seconds: { Int64(time(nil)) },
      elapsed: { ContinuousClock.now - start },
      // A cancelled sleep ends early.
      pause: { try? await Task.sleep(for: $0) }
    )
  }()

  /// A time of any making.
  ///
  /// - Parameters:
  ///   - seconds: The wall clock, in whole seconds since 1970.
  ///   - elapsed: The time since some moment before the run, which never goes back.
  ///   - pause: Waits for some time, and no longer once the task is cancelled.
  package init(
    seconds: @escaping @Sendable () -> Int64,
    elapsed: @escaping @Sendable () -> Duration,
    pause: @escaping @Sendable (Duration) async -> Void
  ) {
    self.seconds = seconds
    self.elapsed = elapsed
    self.pause = pause
  }

  /// The time since some moment before the run.
  package func now() -> Duration { elapsed() }

  package func wallSeconds() -> Int64 { seconds() }

  /// Waits for some time, and no longer once the task is cancelled.
  package func sleep(for time: Duration) async { await pause(time) }
}
