package import Execution
package import Records
import UploadPlanning
package import Verification

/// What a run came to, in lines for a person.
package enum SummaryText {
  /// How many kinds of findings are printed before the rest is only counted.
  private static let groupLimit = 20

  /// The notes that say what is not done: they are printed, not only counted.
  private static let reportedNotes: Set<String> = [
    "plan.skipped", "plan.remote-newer", "plan.absent", "plan.kept-remote", "plan.queue-reversed",
    "rollback.unread", "rollback.retired",
    "verify.files-unread", "verify.unknown",
    "container.files-other", "container.file-unread",
  ]

  /// A table with a line for each entity and a column for each bucket that holds anything.
  ///
  /// Of a plan, the columns say what is to be done with each entity, and what needs nothing.
  package static func lines(of summary: RunSummary, isPlan: Bool = false) -> [String] {
    let lines = summary.records + summary.media
    let actions = Operation.Action.allCases.filter { action in
      isPlan && summary.actions.values.contains { $0[action, default: 0] > 0 }
    }
    let used = RecordOutcome.allCases.filter { bucket in
      !(isPlan && bucket == .remaining) && lines.contains { ($0.buckets[bucket] ?? 0) > 0 }
    }
    var table = TextTable(
      heading: ["", "records"] + actions.map(\.rawValue) + used.map(\.words)
    )
    for line in lines {
      let counts =
        actions.map { summary.actions[line.entity]?[$0] ?? 0 } + used.map { line.buckets[$0] ?? 0 }
      table.add(line.entity, after: [String(line.total)], counts)
    }
    return table.lines(orElse: "nothing to do")
      + findings(summary.findings, of: summary.findingCounts)
  }

  /// The findings by rule and cause, the gravest first; of most notes only the entities are named.
  ///
  /// The last line says how many more there are by `counts` than are listed.
  package static func findings(
    _ findings: [Finding],
    of counts: [Finding.Severity: Int] = [:]
  ) -> [String] {
    let groups = FindingGroup.groups(of: findings, byPointer: true)
    let grave = groups.filter { $0.first.severity != .note }
    let notes = groups.filter { $0.first.severity == .note }
    var lines: [String] = []
    for group in grave.prefix(groupLimit) {
      lines.append("  \(group.first.severity.rawValue): \(group.words())".plainForTerminal)
      lines.append("    cure: \(group.first.cure)".plainForTerminal)
    }
    let left = grave.count - groupLimit
    if left > 0 {
      lines.append("  … and \(Figures.count(left, "more kind")); --format json lists all")
    }
    let reported = notes.filter { reportedNotes.contains($0.first.code) }
    lines += reported.prefix(groupLimit).map { "  note: \($0.words())".plainForTerminal }
    let others =
      (notes.filter { !reportedNotes.contains($0.first.code) } + reported.dropFirst(groupLimit))
      .flatMap(\.members)
    lines += others.grouped(by: \.code).map { "  note: \(counted($0.members))" }
    let unlisted = counts.reduce(0) { sum, count in
      sum + max(0, count.value - findings.count { $0.severity == count.key })
    }
    if unlisted > 0 { lines.append("  … and \(Figures.count(unlisted, "finding")) not listed") }
    return lines
  }

  /// `A text is cut (Hero 6, Story 22) [28 × code]`: notes of one code by entity, with what the code means.
  private static func counted(_ notes: [Finding]) -> String {
    let names = notes.grouped(by: \.entity).compactMap { group in
      group.members.first?.entity.map { "\($0) \(group.members.count)" }
    }
    let place = names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
    let rule = ReportRule(code: notes.first?.code ?? "")
    let words = rule.summary.hasSuffix(".") ? String(rule.summary.dropLast()) : rule.summary
    return "\(words)\(place) [\(notes.count) × \(rule.code)]".plainForTerminal
  }

  /// How many records of a group are named where a person asks for the details of a run.
  private static let namedLimit = 100

  /// The findings by rule and cause with the records' names, the gravest first; each cure stands once, behind
  /// all that it is for.
  package static func list(_ findings: [Finding]) -> [String] {
    let groups = FindingGroup.groups(of: findings, byPointer: true)
    var lines = groups.grouped { [$0.first.severity.rawValue, $0.first.cure] }.flatMap {
      _,
      members in
      members.map { "  \($0.first.severity.rawValue): \($0.words(naming: namedLimit))" }
        + members.prefix(1).map { "    cure: \($0.first.cure)" }
    }
    if groups.contains(where: { $0.count > namedLimit }) {
      lines.append("  … --format json names each record")
    }
    return lines.map(\.plainForTerminal)
  }

  /// A table of what a verification found; the column of conflicts is there where there are any.
  package static func lines(of report: VerificationReport) -> [String] {
    let hasConflicts = report.lines.contains { $0.conflictedCount > 0 }
    let conflicts = hasConflicts ? ["in conflict"] : []
    var table = TextTable(
      heading: ["", "same", "different"] + conflicts
        + ["missing", "not sent", "untracked", "left out"]
    )
    for line in report.lines {
      let counts =
        [line.sameCount, line.differentCount] + (hasConflicts ? [line.conflictedCount] : [])
        + [line.missingCount, line.unsentCount, line.untrackedCount, line.leftOutCount]
      table.add(line.entity, counts)
    }
    return table.lines + findings(report.findings, of: report.findingCounts)
  }

  /// What a rollback of a run would not bring back, to appear behind the command; empty where there
  /// is nothing.
  package static func undoRemark(_ summary: RunSummary) -> String {
    let deleted = summary.records.compactMap { line in
      line.buckets[.deleted].map { "\($0) \(line.entity)" }
    }
    guard !deleted.isEmpty else { return "" }
    return "  # does not bring back what was deleted: \(deleted.joined(separator: ", "))"
      .plainForTerminal
  }

  /// What a rollback came to: reversed, found reversed already, kept, failed, unknown.
  package static func rollbackLines(of summary: RunSummary, isPlan: Bool = false) -> [String] {
    let lines = summary.records + summary.media
    let found: [RecordOutcome] = [.gone, .unchanged]
    let done =
      [("reversed", [.deleted, .updated])]
      + found.filter { outcome in lines.contains { ($0.buckets[outcome] ?? 0) > 0 } }
      .map { ($0.words, [$0]) }
    let kept: [(String, [RecordOutcome])] = [
      ("kept", [.conflicted]), ("failed", [.rejected]), ("unknown", [.unknown]),
    ]
    let columns =
      isPlan
      ? [("to reverse", [.remaining])] + done + kept
      : done + kept + [("remaining", [.remaining])]
    var table = TextTable(heading: [""] + columns.map(\.0))
    for line in lines {
      table.add(
        line.entity,
        columns.map { $0.1.reduce(0) { $0 + (line.buckets[$1] ?? 0) } }
      )
    }
    return table.lines(orElse: "nothing to roll back")
      + findings(summary.findings, of: summary.findingCounts)
  }
}
