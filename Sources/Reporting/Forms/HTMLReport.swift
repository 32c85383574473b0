import Records

/// A report as one HTML file that needs nothing else: no network, no script.
///
/// Findings are filtered by radio buttons and style sheets alone, and fold by `details`.
package struct HTMLReport {
  let report: Report

  package init(_ report: Report) { self.report = report }

  package var text: String {
    let title = "ferry \(report.command): \(report.end.name)".escapedForMarkup
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>\(title)</title>
      <style>
      \(HTMLStyle.text)
      </style>
      </head>
      <body>
      <main>
      \(head)\(parts)\(findings)\(diff)\(quarantined)\(pictures)\(changes)\(tables)\(sizes)\(foot)</main>
      </body>
      </html>

      """
  }

  var stages: [ReportStage] { report.stages }

  private var tone: String {
    switch report.end.status {
    case 0, 2: "good"
    case 3, 5, 8, 130, 143: "open"
    default: "bad"
    }
  }

  private var head: String {
    let end = report.end
    var text = "<header><h1>ferry \(report.command.escapedForMarkup) "
    text += "<span class=\"badge \(tone)\">\(end.name.escapedForMarkup)</span></h1>\n<p>"
    if let subject = report.subject { text += "<code>\(subject.escapedForMarkup)</code> · " }
    text += "exit status \(end.status) · \(Figures.seconds(report.seconds)) · "
    text += "\(report.began.escapedForMarkup)</p>\n"
    if !report.facts.isEmpty {
      text += "<dl>"
      for fact in report.facts {
        text += "<dt>\(fact.name)</dt><dd><code>\(fact.value.escapedForMarkup)</code></dd>\n"
      }
      text += "</dl>\n"
    }
    if let reason = end.reason {
      let faults = reason.split(separator: "\n").map { String($0).escapedForMarkup }
      text += "<p class=\"reason\">\(faults.joined(separator: "<br>"))"
      if let cure = end.cure { text += "<br><b>Cure:</b> \(cure.escapedForMarkup)" }
      text += "</p>\n"
    }
    if end.mayRetry { text += "<p>The same command again resumes.</p>\n" }
    if let next = end.next { text += "<p>Next: <code>\(next.escapedForMarkup)</code></p>\n" }
    return text + "</header>\n"
  }

  /// The commands that the report is made of, each with its end.
  private var parts: String {
    guard !report.parts.isEmpty else { return "" }
    var text = "<section><h2>Steps</h2><div class=\"wide\"><table class=\"fields\"><thead><tr>"
    text += "<th scope=\"col\">command</th><th scope=\"col\">status</th>"
    text += "<th scope=\"col\">end</th></tr></thead>\n<tbody>\n"
    for part in report.parts {
      text += "<tr><th scope=\"row\">\(part.command.escapedForMarkup)</th><td>\(part.status)</td>"
      text += "<td>\(part.name.escapedForMarkup)</td></tr>\n"
    }
    return text + "</tbody></table></div></section>\n"
  }

  // MARK: - Pictures and tables

  /// The stages whose flow says most, the best first.
  private static let flowOrder = [
    "upload", "rollback", "plan", "import", "replay", "verification", "validation", "export",
  ]

  private var pictures: String {
    var text = ""
    let stage = Self.flowOrder.compactMap { kind in
      report.stages.last { $0.kind == kind && FlowPicture($0) != nil }
    }.first
    if let stage, let picture = FlowPicture(stage) {
      let heading =
        stage.kind == "plan"
        ? "Where the records would go" : "Where the records went (\(stage.kind))"
      text += "<section><h2>\(heading)</h2>\n\(picture.svg)</section>\n"
    }
    if let picture = TimelinePicture(report) {
      text += "<section><h2>Time and speed</h2>\n\(picture.svg)"
      text += picture.legend.map { "<p class=\"quiet\">\($0)</p>" } ?? ""
      text += "</section>\n"
    }
    return text
  }

  private var tables: String {
    report.stages.filter { !$0.lines.isEmpty }.map(table).joined()
  }

  private func table(_ stage: ReportStage) -> String {
    let names = stage.outcomeNames
    var text = "<section><h2>\(stage.kind.escapedForMarkup)</h2><div class=\"wide\"><table><thead>"
    text += "<tr><th scope=\"col\">\(stage.lineName)</th><th scope=\"col\">records</th>"
    text += (names + (stage.hasRuns ? ["run"] : []))
      .map { "<th scope=\"col\">\($0.escapedForMarkup)</th>" }.joined()
    text += "</tr></thead>\n<tbody>\n"
    for line in stage.filledLines {
      text += "<tr><th scope=\"row\">\(line.name.escapedForMarkup)</th><td>\(line.total)</td>"
      for name in names {
        let count = line.count(name)
        let tone = count == 0 ? "none" : OutcomeTone(of: name).rawValue
        text += "<td class=\"\(tone)\">\(count == 0 ? "·" : String(count))</td>"
      }
      if stage.hasRuns {
        let run = line.run.map { "<code>\($0.escapedForMarkup)</code>" }
        text += "<td>\(run ?? "·")</td>"
      }
      text += "</tr>\n"
    }
    let empty = stage.emptyWords.map { "<p class=\"quiet\">\($0)</p>" } ?? ""
    return text + "</tbody></table></div>\(empty)</section>\n"
  }

  private var changes: String {
    guard let comparison = report.comparison else { return "" }
    var text = "<section><h2>Changes against the report compared</h2>\n"
    guard !comparison.isEmpty else {
      return text + "<p>None: every number and every finding is as it was.</p></section>\n"
    }
    for words in comparison.uncomparedWords { text += "<p>\(words.escapedForMarkup)</p>\n" }
    let rows = comparison.findings + comparison.outcomes
    guard !rows.isEmpty else { return text + "</section>\n" }
    text += "<div class=\"wide\"><table><thead><tr><th scope=\"col\">what</th>"
    text += "<th scope=\"col\">before</th><th scope=\"col\">now</th>"
    text += "</tr></thead>\n<tbody>\n"
    for change in rows {
      let words = [change.stage, change.entity, change.name].compactMap(\.self)
      text += "<tr><th scope=\"row\">\(words.joined(separator: " · ").escapedForMarkup)</th>"
      text += "<td>\(change.before)</td><td>\(change.now)</td></tr>\n"
    }
    return text + "</tbody></table></div></section>\n"
  }

  // MARK: - Findings

  private static let placeLimit = 200

  private var findings: String {
    let groups = FindingGroup.groups(of: report.findings, ruleCounts: report.ruleCounts)
    var text = "<section class=\"findings\"><h2>Findings</h2>\n"
    guard !groups.isEmpty else {
      // A command that stopped has not looked at everything.
      return report.end.reason == nil ? text + "<p>None.</p></section>\n" : ""
    }
    text += filter("all", "All \(report.findingCount)", isChecked: true)
    for severity in [Finding.Severity.error, .warning, .note] where report.count(severity) > 0 {
      let words = Figures.count(report.count(severity), severity.rawValue)
      text += filter(severity.rawValue, words, isChecked: false)
    }
    let notes = groups.filter { $0.first.severity == .note }
    text += "<div class=\"list\">\n"
    text += groups.filter { $0.first.severity != .note }.map(details).joined()
    if !notes.isEmpty {
      text += "<details class=\"notes\"><summary>"
      text += "\(Figures.count(report.count(.note), "note"))</summary>\n"
      text += notes.map(details).joined() + "</details>\n"
    }
    text += "</div>\n"
    if report.unlistedCount > 0 {
      text += "<p>… and \(Figures.count(report.unlistedCount, "finding")) not listed.</p>\n"
    }
    return text + "</section>\n"
  }

  private func filter(_ name: String, _ words: String, isChecked: Bool) -> String {
    "<input type=\"radio\" name=\"severity\" id=\"show-\(name)\"\(isChecked ? " checked" : "")>"
      + "<label for=\"show-\(name)\">\(words)</label>\n"
  }

  private func details(_ group: FindingGroup) -> String {
    let first = group.first
    var text = "<details class=\"finding \(first.severity.rawValue)\"><summary>"
    text += "<span class=\"mark\">\(first.severity.rawValue)</span> "
    let entity = first.entity.map { "<b>\($0.text.escapedForMarkup)</b>" }
    let about = [entity, group.countWords].compactMap(\.self).joined(separator: " ")
    text += about.isEmpty ? "" : about + ": "
    text +=
      "\(first.cause.escapedForMarkup) <code>\(first.code.escapedForMarkup)</code></summary>\n"
    if !first.cure.isEmpty { text += "<p><b>Cure:</b> \(first.cure.escapedForMarkup)</p>\n" }
    let places = group.placesByRecord
    if !places.isEmpty {
      let items = places.prefix(Self.placeLimit).map { "<li>\($0.escapedForMarkup)</li>" }
      text += "<ul>" + items.joined() + "</ul>\n"
    }
    let left = places.count - Self.placeLimit
    if left > 0 { text += "<p>… and \(left) more</p>\n" }
    return text + "</details>\n"
  }

  private var foot: String {
    "<footer>ferry \(report.tool.escapedForMarkup), report format \(Report.format)</footer>\n"
  }
}
