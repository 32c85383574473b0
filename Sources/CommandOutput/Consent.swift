package import Execution
import Foundation
import JSONText
package import Planning
import Reporting
package import StageSupport
import Synchronization

/// The person at the terminal, who is asked about conflicts, and before records are deleted.
///
/// Without a terminal no one is asked, and a run goes on.
package final class Consent: Sendable {
  private let screen: Screen
  private let canAsk: Bool
  private let isGiven: Bool
  private let hasAsked = Mutex(false)

  /// - Parameters:
  ///   - screen: Where questions appear.
  ///   - neverAsks: Whether a flag forbids questions.
  ///   - isGiven: Whether a flag says yes to deletions and conflicts.
  package init(on screen: Screen, neverAsks: Bool, isGiven: Bool) {
    self.screen = screen
    self.isGiven = isGiven
    canAsk = !neverAsks && Self.canType
  }

  /// Whether a person can read a question and type an answer.
  package static var canType: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks about a conflict at once; `nil` where no one can be asked.
  package var prompt: AskedConflicts.Prompt? {
    guard canAsk else { return nil }
    return { conflict in self.answer(to: conflict) }
  }

  /// Says what a plan comes to, and asks where it deletes records or leaves conflicts.
  ///
  /// - Throws: `MigrationError.interrupted` when a person says no; the plan is kept, and nothing was sent.
  package func confirm(_ plan: RunSummary) throws(MigrationError) {
    guard plan.settledCount < plan.operationCount || plan.operationCount == 0 else { return }
    for line in PlanText.lines(of: plan) { screen.say(line) }
    let knows = hasAsked.withLock { $0 }
    guard canAsk, !isGiven, let concerns = PlanText.concerns(in: plan, knowsConflicts: knows) else {
      return
    }
    while true {
      screen.warn("  \(concerns): go on, (y)es or (n)o?")
      switch readLine(strippingNewline: true) {
      case "y", "yes": return
      case nil, "", "n", "no": throw .interrupted
      default: continue
      }
    }
  }

  /// Shows both sides of a conflict, and takes an answer; `nil` to leave it open.
  private func answer(to conflict: AskedConflict) -> AskedConflict.Answer? {
    hasAsked.withLock { $0 = true }
    screen.warn("\(conflict.record): \(conflict.reason)".plainForTerminal)
    if conflict.isDeletedHere { screen.warn("  the store deleted it") }
    for member in conflict.there.members {
      let here = conflict.here[member.name]?.canonicalText ?? "nothing"
      screen.warn("  \(member.name) in the store:       \(here)".plainForTerminal)
      screen.warn(
        "  \(member.name) at the destination: \(member.value.canonicalText)".plainForTerminal
      )
    }
    let canMerge = conflict.answers.contains(.merge)
    let merge = canMerge ? ", (m)erge" : ""
    while true {
      screen.warn("  keep (l)ocal, keep (r)emote\(merge), or leave it open (return)?")
      switch readLine(strippingNewline: true) {
      case "l", "local": return .local
      case "r", "remote": return .remote
      case "m" where canMerge, "merge" where canMerge: return .merge
      case nil, "": return nil
      default: continue
      }
    }
  }
}
