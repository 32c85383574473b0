import Checkpoint
package import JSONText
package import Records
import Reporting
package import StageSupport
import TextCodecs

/// Runs, for a person and for a machine.
package struct RunListText: Sendable {
  private let state: StateFolder
  private let isUsual: Bool

  /// - Parameters:
  ///   - state: The folder that the runs are remembered in.
  ///   - isUsual: Whether commands look there without a flag.
  package init(state: StateFolder, isUsual: Bool) {
    self.state = state
    self.isUsual = isUsual
  }

  /// A line for each run, as a table.
  package func table(_ runs: [ListedRun]) -> [String] {
    guard !runs.isEmpty else { return ["no run yet"] }
    var table = TextTable(
      heading: [
        "run", "kind", "ended", "began", "took", "done", "refused", "conflicts", "account", "next",
      ]
    )
    for run in runs {
      table.add([
        run.run.id, kind(run), run.end.words, day(run.run.startedAt), took(run) ?? "·", done(run),
        TextTable.figure(run.facts.refusedCount), TextTable.figure(run.facts.conflictCount),
        run.binding.account, resume(run) ?? undo(run) ?? "·",
      ])
    }
    return table.lines.map(\.plainForTerminal)
  }

  /// All that is known of a run, in lines.
  package func lines(_ run: ListedRun) -> [String] {
    var lines = [
      "\(run.run.id)  \(kind(run)), \(run.end.words)",
      "  store:    \(run.storePath ?? run.binding.store)", "  app:      \(run.binding.profile)",
      "  account:  \(run.binding.account) at \(run.binding.origin)",
      "  began:    \(day(run.run.startedAt))" + (took(run).map { ", took \($0)" } ?? ""),
      "  changes:  \(done(run)) done, \(run.facts.refusedCount.grouped) refused, "
        + "\(run.facts.conflictCount.grouped) in conflict",
      "  package:  \(run.run.packagePath)",
    ]
    if let resume = resume(run) { lines.append("  resume:   \(resume)") }
    if let undo = undo(run) { lines.append("  undo:     \(undo)") }
    return lines.map(\.plainForTerminal)
  }

  /// Of each checkpoint its last run and those that are unfinished; how many there were before.
  package func overview(_ runs: [ListedRun]) -> [String] {
    guard !runs.isEmpty else { return ["no run yet"] }
    var lines: [String] = []
    var left = 0
    for own in Dictionary(grouping: runs, by: \.binding).values
      .sorted(by: { ($0.last?.run.startedAt ?? 0) < ($1.last?.run.startedAt ?? 0) })
    {
      for (place, run) in own.enumerated() {
        if place == own.count - 1 || run.run.stage.isOpen {
          lines += self.lines(run)
        } else {
          left += 1
        }
      }
    }
    guard left > 0 else { return lines }
    return lines + ["\(left.grouped) earlier \(left == 1 ? "run" : "runs"): ferry history"]
  }

  /// The same for a machine.
  package func value(_ run: ListedRun) -> JSONValue { value(run, nil) }

  /// The same with the findings of the run.
  package func value(_ run: ListedRun, _ findings: [Finding]?) -> JSONValue {
    let plain = CheckpointText.value(of: run.facts, run.binding)
    var value = plain.object ?? JSONObject()
    value["ended"] = .string(run.end.name)
    value["storePath"] = .text(run.storePath)
    value["settled"] = .whole(run.facts.settledCount)
    value["planned"] = .whole(run.facts.operationCount)
    value["resume"] = .text(resume(run))
    value["undo"] = .text(undo(run))
    if let findings { value["reported"] = .array(findings.map(\.published)) }
    return .object(value)
  }

  // MARK: - Parts

  private func kind(_ run: ListedRun) -> String {
    run.run.undoes.map { "undoes \($0)" } ?? run.run.kind.rawValue
  }

  private func took(_ run: ListedRun) -> String? {
    run.run.finishedAt.map { Figures.wholeSeconds($0 - run.run.startedAt) }
  }

  private func done(_ run: ListedRun) -> String {
    "\(run.facts.doneCount.grouped) of \(run.facts.operationCount.grouped)"
  }

  private func resume(_ run: ListedRun) -> String? {
    run.canBeResumed ? command("resume", run) : nil
  }

  private func undo(_ run: ListedRun) -> String? {
    run.canBeRolledBack ? command("rollback", run) : nil
  }

  private func command(_ verb: String, _ run: ListedRun) -> String {
    RunCommand(verb, run.run.id, state: run.state, isUsual: isUsual && run.state == state).text
  }

  /// A moment in UTC.
  private func day(_ seconds: Int64) -> String { Timestamp.text(secondsSince1970: seconds) }
}
