package import Migration
package import Records
import UploadPlanning

/// What a run came to, in lines for a person.
package enum SummaryText {
  /// How many kinds of findings are printed before the rest is only counted.
  private static let groupLimit = 20

  /// The notes that say what is not done: they are printed, not only counted.
  private static let toldNotes: Set<String> = [
    "plan.left", "plan.trails", "plan.absent", "plan.kept-remote", "rollback.unread",
    "rollback.retired",
    "verify.files-unread", "verify.unknown",
  ]

  /// A table with a line for each entity and a column for each bucket that holds anything.
  package static func lines(of summary: RunSummary) -> [String] {
    let used = Bucket.allCases.filter { bucket in
      (summary.records + summary.media).contains { ($0.buckets[bucket] ?? 0) > 0 }
    }
    var table = TextTable(heading: ["", "records"] + used.map(\.rawValue))
    for line in summary.records + summary.media {
      table.add(
        [line.entity.text.plainForTerminal, String(line.total)]
          + used.map { line.buckets[$0].map(String.init) ?? "·" }
      )
    }
    var lines = table.isEmpty ? ["  nothing to do"] : table.lines
    lines += findings(summary.findings)
    return lines
  }

  /// A plan: what is to be done with each entity, and what needs nothing.
  package static func planLines(of summary: RunSummary) -> [String] {
    let actions = Operation.Action.allCases.filter { action in
      summary.actions.values.contains { $0[action, default: 0] > 0 }
    }
    let used = Bucket.allCases.filter { bucket in
      bucket != .remaining
        && (summary.records + summary.media).contains { ($0.buckets[bucket] ?? 0) > 0 }
    }
    var table = TextTable(
      heading: ["", "records"] + actions.map(\.rawValue) + used.map(\.rawValue)
    )
    for line in summary.records + summary.media {
      let counts =
        actions.map { summary.actions[line.entity]?[$0] ?? 0 } + used.map { line.buckets[$0] ?? 0 }
      table.add(
        [line.entity.text.plainForTerminal, String(line.total)]
          + counts.map { $0 == 0 ? "·" : String($0) }
      )
    }
    return (table.isEmpty ? ["  nothing to do"] : table.lines) + findings(summary.findings)
  }

  /// The findings by rule and cause, the gravest first; notes are only counted.
  package static func findings(_ findings: [Finding]) -> [String] {
    let groups = FindingGroup.groups(of: findings)
    var lines: [String] = []
    for group in groups.filter({ $0.severity != .note }).prefix(groupLimit) {
      lines.append("  \(group.severity.rawValue): \(group.words)".plainForTerminal)
      lines.append("    cure: \(group.cure)".plainForTerminal)
    }
    let left = groups.count { $0.severity != .note } - groupLimit
    if left > 0 { lines.append("  … and \(left) more kinds; --format json lists all") }
    let told = groups.filter { $0.severity == .note && toldNotes.contains($0.code) }
    lines += told.prefix(groupLimit).map { "  note: \($0.words)".plainForTerminal }
    for code in Set(groups.filter { $0.severity == .note }.map(\.code)).subtracting(toldNotes)
      .sorted()
    {
      let count = groups.filter { $0.code == code && $0.severity == .note }
        .reduce(0) { $0 + $1.count }
      lines.append("  note: \(count) × \(code); --format json lists them")
    }
    return lines
  }

  /// Where, what, and the code that names the rule.
  package static func line(of finding: Finding) -> String {
    var place: [String] = []
    if let entity = finding.entity {
      place.append(finding.record.map { "\(entity)/\($0)" } ?? entity.text)
    }
    if !finding.pointer.isEmpty { place.append(finding.pointer) }
    let prefix = place.isEmpty ? "" : place.joined(separator: " ") + ": "
    return "\(prefix)\(finding.spokenCause) [\(finding.code)]"
  }

  /// A table of what a verification found; the column of conflicts is there where there are any.
  package static func lines(of report: VerificationReport) -> [String] {
    let hasConflicts = report.lines.contains { $0.conflictedCount > 0 }
    let conflicts = hasConflicts ? ["in conflict"] : []
    var table = TextTable(
      heading: ["", "same", "different"] + conflicts
        + ["missing", "not sent", "surplus", "left out"]
    )
    for line in report.lines {
      let counts =
        [line.sameCount, line.differentCount] + (hasConflicts ? [line.conflictedCount] : [])
        + [line.missingCount, line.unsentCount, line.surplusCount, line.leftOutCount]
      table.add([line.entity.text.plainForTerminal] + counts.map { $0 == 0 ? "·" : String($0) })
    }
    return table.lines + findings(report.findings)
  }

  /// What a rollback of a run would not bring back, to stand behind the command; empty where there is nothing.
  package static func undoRemark(_ summary: RunSummary) -> String {
    let deleted = summary.records.compactMap { line in
      line.buckets[.deleted].map { "\($0) \(line.entity)" }
    }
    guard !deleted.isEmpty else { return "" }
    return "  # does not bring back what was deleted: \(deleted.joined(separator: ", "))"
      .plainForTerminal
  }

  /// What a rollback came to: reversed, kept, failed, unknown.
  package static func rollbackLines(of summary: RunSummary) -> [String] {
    var table = TextTable(heading: ["", "reversed", "kept", "failed", "unknown", "remaining"])
    for line in summary.records + summary.media {
      func count(_ buckets: Bucket...) -> String {
        let sum = buckets.reduce(0) { $0 + (line.buckets[$1] ?? 0) }
        return sum == 0 ? "·" : String(sum)
      }
      table.add([
        line.entity.text.plainForTerminal, count(.deleted, .updated), count(.conflicted),
        count(.rejected),
        count(.unknown), count(.remaining),
      ])
    }
    return (table.isEmpty ? ["  nothing to take back"] : table.lines) + findings(summary.findings)
  }
}
