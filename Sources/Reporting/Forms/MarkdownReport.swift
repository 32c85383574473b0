import Records

/// A report as Markdown, for a comment on a pull request or the summary of a step.
///
/// It stays below 60,000 bytes, which GitHub takes in a comment; what is left out is
/// counted.
package enum MarkdownReport {
  /// The most bytes; GitHub refuses a comment of more than 65,536 characters.
  static let limit = 60_000

  package static func text(of report: Report) -> String {
    let head = head(of: report) + parts(of: report)
    var tail = diff(of: report)
    if let comparison = report.comparison { tail += changes(comparison, report) }
    for stage in report.stages { tail += table(of: stage) }
    tail += foot(of: report)
    return head + findings(of: report, target: limit - head.utf8.count - tail.utf8.count) + tail
  }

  private static func head(of report: Report) -> String {
    let end = report.end
    var text = "### ferry \(report.command): \(end.name)\n\n"
    if let subject = report.subject { text += "`\(subject.plainForCodeSpan)` — " }
    text += "exit status \(end.status), \(Figures.seconds(report.seconds))"
    let counts = [
      Figures.count(report.count(.error), "error"),
      Figures.count(report.count(.warning), "warning"),
      Figures.count(report.count(.note), "note"),
    ]
    text += ", \(counts.joined(separator: ", "))\n\n"
    for fact in report.facts {
      text += "- \(fact.name): `\(fact.value.plainForCodeSpan.shortened(to: 500))`\n"
    }
    if !report.facts.isEmpty { text += "\n" }
    if let reason = end.reason {
      let faults = reason.split(separator: "\n").map(String.init)
      let size = max(100, 2_000 / max(1, faults.count))
      let lines = faults.map { "> \($0.escapedForMarkdown(upTo: size))\n" }
      text += lines.joined(separator: ">\n")
      if let cure = end.cure {
        text += ">\n> Cure: \(cure.escapedForMarkdown(upTo: 1_000))\n"
      }
      text += "\n"
    }
    if end.mayRetry { text += "The same command again resumes.\n\n" }
    return text
  }

  /// The commands that the report is made of, each with its end.
  private static func parts(of report: Report) -> String {
    guard !report.parts.isEmpty else { return "" }
    var text = "| command | status | end |\n|---|--:|---|\n"
    for part in report.parts {
      let command = part.command.escapedForMarkdown(upTo: 80)
      text += "| \(command) | \(part.status) | \(part.name.escapedForMarkdown) |\n"
    }
    return text + "\n"
  }

  /// The most bytes of a plan's diff.
  private static let diffSize = 20_000

  /// What a plan does to each record, as far as there is space for it.
  private static func diff(of report: Report) -> String {
    guard let list = RecordList(report, kind: "diff") else { return "" }
    guard list.count > 0 else { return "#### What happens to the records\n\nNothing.\n\n" }
    var body = ""
    var shown = 0
    for entry in list.entries {
      let fields = entry.fields.map { "    \($0.name): \($0.words)" }
      let lines = (["\(entry.sign) \(entry.name)"] + fields)
        .map { $0.plainForCodeSpan + "\n" }.joined()
      guard body.utf8.count + lines.utf8.count < diffSize else { break }
      body += lines
      shown += 1
    }
    var text = "#### What happens to the records\n\n<details><summary>"
    text += "\(Figures.count(list.count, "record")): \(list.countWords)</summary>\n\n"
    text += "```diff\n\(body)```\n\n"
    if shown < list.count { text += "… and \(list.count - shown) more\n\n" }
    return text + "</details>\n\n"
  }

  private static let changeLimit = 60

  private static func changes(_ comparison: ReportComparison, _ report: Report) -> String {
    var text = "#### Changes against the report compared\n\n"
    if comparison.isEmpty {
      text += "None: every number and every finding is as it was.\n\n"
      return text
    }
    if comparison.statusBefore != report.end.status {
      text += "Exit status: \(comparison.statusBefore) → **\(report.end.status)**\n\n"
    }
    for words in comparison.uncomparedWords { text += words.escapedForMarkdown + "\n\n" }
    let rows = comparison.findings + comparison.outcomes
    guard !rows.isEmpty else { return text }
    text += "| stage | entity | what | before | now | change |\n|---|---|---|--:|--:|--:|\n"
    for row in rows.prefix(changeLimit) {
      let name = row.name.escapedForMarkdown(upTo: 80)
      let entity = (row.entity ?? "").escapedForMarkdown(upTo: 80)
      text += "| \(row.stage) | \(entity) | \(name) | \(row.before) | \(row.now) | "
      text += "\(Figures.difference(row.now - row.before)) |\n"
    }
    if rows.count > changeLimit { text += "\n… and \(rows.count - changeLimit) more\n" }
    return text + "\n"
  }

  private static let lineLimit = 60

  private static func table(of stage: ReportStage) -> String {
    guard !stage.lines.isEmpty else { return "" }
    let names = stage.outcomeNames
    let hasRuns = stage.hasRuns
    var text = "#### \(stage.kind)\n\n| \(stage.lineName) | records |"
    text += (names + (hasRuns ? ["run"] : [])).map { " \($0) |" }.joined() + "\n|---|--:|"
    text += String(repeating: "--:|", count: names.count) + (hasRuns ? "---|" : "") + "\n"
    let lines = stage.filledLines
    for line in lines.prefix(lineLimit) {
      let cells = names.map { name in line.count(name) == 0 ? " · |" : " \(line.count(name)) |" }
      text += "| \(line.name.escapedForMarkdown(upTo: 80)) | \(line.total) |"
      text += cells.joined()
      if hasRuns { text += line.run.map { " `\($0.plainForCodeSpan)` |" } ?? " · |" }
      text += "\n"
    }
    if lines.count > lineLimit { text += "\n… and \(lines.count - lineLimit) more\n" }
    if let words = stage.emptyWords { text += "\n\(words)\n" }
    return text + "\n"
  }

  private static func findings(of report: Report, target: Int) -> String {
    let groups = FindingGroup.groups(of: report.findings, ruleCounts: report.ruleCounts)
    guard !groups.isEmpty else {
      // A command that stopped has not looked at everything.
      return report.stages.isEmpty || report.end.reason != nil ? "" : "No findings.\n\n"
    }
    var text = "#### Findings\n\n"
    var shown = 0
    var isFolded = false
    for group in groups {
      let isFirstNote = group.first.severity == .note && !isFolded
      let fold = "<details><summary>\(Figures.count(report.count(.note), "note"))</summary>\n\n"
      let next = (isFirstNote ? fold : "") + words(of: group)
      // Some space for the line that says how many are left.
      guard text.utf8.count + next.utf8.count < target - 200 else { break }
      text += next
      isFolded = isFolded || isFirstNote
      shown += 1
    }
    if isFolded { text += "</details>\n\n" }
    if shown < groups.count {
      text += "… and \(Figures.count(groups.count - shown, "more kind")) of findings.\n"
    }
    if report.unlistedCount > 0 { text += "… and \(report.unlistedCount) findings not listed.\n" }
    return text + "\n"
  }

  private static func words(of group: FindingGroup) -> String {
    let first = group.first
    let about = [first.entity?.text, group.countWords].compactMap(\.self).joined(separator: " ")
    let words = (about.isEmpty ? "" : about + ": ") + first.cause
    var text = "<details><summary><b>\(first.severity.rawValue)</b> "
    text += "\(words.escaped(upTo: 400, \.escapedForMarkupInMarkdown)) "
    text += "<code>\(first.code.escapedForMarkupInMarkdown)</code></summary>\n"
    let places = group.places(5)
    if !places.isEmpty { text += "\nWhere: \(places.escapedForMarkdown(upTo: 400))\n" }
    if !first.cure.isEmpty {
      text += "\nCure: \(first.cure.escapedForMarkdown(upTo: 300))\n"
    }
    return text + "\n</details>\n\n"
  }

  private static func foot(of report: Report) -> String {
    var text = ""
    if let next = report.end.next {
      text += "Next: `\(next.plainForCodeSpan.shortened(to: 1_000))`\n\n"
    }
    return text + "<sub>ferry \(report.tool), \(report.began)</sub>\n"
  }
}
