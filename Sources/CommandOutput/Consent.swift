package import Execution
import Files
import Foundation
package import Planning
import Reporting
package import StageSupport
import Synchronization

/// The person at the terminal, who is asked about conflicts, and before records are deleted.
///
/// Without a terminal no one is asked, and a run goes on.
package final class Consent: Sendable {
  private let input = Mutex(TerminalInput())
  private let screen: Screen
  private let interruption: CancellationToken
  private let canAsk: Bool
  private let isGiven: Bool
  private let hasAsked = Mutex(false)

  /// - Parameters:
  ///   - screen: Where questions appear.
  ///   - interruption: Ends a question at once: nothing is sent yet.
  ///   - neverAsks: Whether a flag forbids questions.
  ///   - isGiven: Whether a flag says yes to deletions and conflicts.
  package init(
    on screen: Screen,
    until interruption: CancellationToken,
    neverAsks: Bool,
    isGiven: Bool
  ) {
    self.screen = screen
    self.interruption = interruption
    self.isGiven = isGiven
    canAsk = !neverAsks && Self.canType
  }

  /// Whether a person can read a question and type an answer.
  package static var canType: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks about a conflict at once; `nil` where no one can be asked.
  package var prompt: AskedConflicts.Prompt? {
    guard canAsk else { return nil }
    return { question in self.reply(to: question) }
  }

  /// Says what a plan comes to, and asks where it deletes records or leaves conflicts.
  ///
  /// - Throws: `MigrationError.interrupted` when a person says no; the plan is kept, and nothing was sent.
  package func confirm(_ plan: RunSummary) throws {
    guard plan.settledCount < plan.operationCount || plan.operationCount == 0 else { return }
    for line in PlanText.lines(of: plan) { screen.say(line) }
    let knows = hasAsked.withLock { $0 }
    guard canAsk, !isGiven, let concerns = PlanText.concerns(in: plan, knowsConflicts: knows) else {
      return
    }
    while true {
      screen.warn("  \(concerns): go on, (y)es or (n)o?")
      switch line() {
      case "y", "yes": return
      case nil, "", "n", "no": throw MigrationError.interrupted
      default: continue
      }
    }
  }

  /// Shows both sides of a conflict, and takes an answer.
  private func reply(to question: ConflictQuestion) -> ConflictQuestion.Reply {
    hasAsked.withLock { $0 = true }
    let lines = ConflictText.lines(of: question)
    lines.forEach(screen.warn)
    while true {
      let line = line()
      if interruption.isCancelled { return .cancel }
      guard let line else { return .leaveOpen }
      if let reply = ConflictText.reply(line, to: question) { return reply }
      lines.suffix(1).forEach(screen.warn)
    }
  }

  /// The next line that a person types; `nil` at its end, and when the command is interrupted.
  private func line() -> String? {
    input.withLock { $0.line { interruption.isCancelled } }
  }
}
