package import Execution
import Records
import StageSupport
import UploadPlanning

/// What a run is about to do, by name, before it sends anything.
package enum PlanText {
  /// What a plan comes to, a line for each thing that happens to records; one that says so where nothing does.
  package static func lines(of summary: RunSummary) -> [String] {
    let actions = Operation.Action.allCases.compactMap { action in
      line(action.rawValue, summary.counts(of: action)).map { words in
        // No other word of a plan needs a second one.
        action == .complete ? "\(words): references and files, once all records exist" : words
      }
    }
    let buckets: [RecordOutcome] = [.conflicted, .rejected, .unmapped, .skipped]
    let rest = buckets.compactMap { line($0.rawValue, summary.counts(in: $0)) }
    let lines = (actions.isEmpty ? ["nothing to send"] : actions) + rest
    return lines.map { "plan: \($0)".plainForTerminal }
  }

  /// Why a person is asked before it is carried out, as in “delete 2 (Story 2)”; `nil` where nothing is deleted
  /// and nothing is in conflict.
  ///
  /// - Parameters:
  ///   - summary: What the plan comes to.
  ///   - knowsConflicts: Whether a person was asked about the conflicts already.
  /// - Returns: The reasons in words.
  package static func concerns(in summary: RunSummary, knowsConflicts: Bool) -> String? {
    let conflicts = knowsConflicts ? [] : summary.counts(in: .conflicted)
    let lines = [
      line(Operation.Action.delete.rawValue, summary.counts(of: .delete)),
      line(RecordOutcome.conflicted.rawValue, conflicts),
    ].compactMap(\.self)
    return lines.isEmpty ? nil : lines.joined(separator: ", ").plainForTerminal
  }

  /// `create 146 (Hero 24, Story 122)`; `nil` for none.
  private static func line(_ word: String, _ counts: [(EntityName, Int)]) -> String? {
    let total = counts.reduce(0) { $0 + $1.1 }
    guard total > 0 else { return nil }
    let names = counts.map { "\($0) \($1.grouped)" }.joined(separator: ", ")
    return "\(word) \(total.grouped) (\(names))"
  }
}

extension RunSummary {
  /// How many operations of a kind there are, by entity; entities without one are not named.
  fileprivate func counts(of action: Operation.Action) -> [(EntityName, Int)] {
    (records + media).compactMap { line in
      let count = actions[line.entity]?[action] ?? 0
      return count > 0 ? (line.entity, count) : nil
    }
  }

  /// How many records are in a bucket, by entity; entities without one are not named.
  fileprivate func counts(in bucket: RecordOutcome) -> [(EntityName, Int)] {
    (records + media).compactMap { line in
      let count = line.buckets[bucket] ?? 0
      return count > 0 ? (line.entity, count) : nil
    }
  }
}
