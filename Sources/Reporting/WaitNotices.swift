package import Retrying

/// Says what a command waits for, whenever nothing was said for ten seconds.
package struct WaitNotices: Sendable {
  /// The longest silence while a command waits.
  package static let longestSilence: Duration = .seconds(10)
  /// How often it is looked whether a silence is too long.
  private static let step: Duration = .seconds(1)

  private let waits: Waits
  /// When something was said last, by the clock of the waits.
  private let lastSaid: @Sendable () -> Duration
  private let say: @Sendable (String) -> Void

  package init(
    of waits: Waits,
    lastSaid: @escaping @Sendable () -> Duration,
    say: @escaping @Sendable (String) -> Void
  ) {
    self.waits = waits
    self.lastSaid = lastSaid
    self.say = say
  }

  /// Looks once a second, until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      await waits.clock.sleep(for: Self.step)
      guard !Task.isCancelled, let words = words(at: waits.clock.now()) else { continue }
      say(words)
    }
  }

  /// What is waited for, how long nothing was said, and how long the wait takes at most; `nil` as long as a silence
  /// is short, and where nothing is waited for.
  package func words(at now: Duration) -> String? {
    let silence = now - lastSaid()
    guard silence >= Self.longestSilence, let wait = waits.current.first else { return nil }
    let words = "still waiting for \(wait.reason.rawValue)"
    guard let longest = wait.longest else { return words }
    let left = max(.zero, wait.began + longest - now)
    return "\(words): at most \(Figures.expected(left / .seconds(1))) more"
  }
}
