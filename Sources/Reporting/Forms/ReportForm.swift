import JSONText

/// The forms a report can be written in.
package enum ReportForm: String, Sendable, CaseIterable {
  case json, ndjson, markdown, html, junit, sarif

  /// The form of a file name: by its ending.
  package init?(path: String) {
    let name = path.lowercased()
    let endings: [(String, ReportForm)] = [
      (".sarif.json", .sarif), (".json", .json), (".ndjson", .ndjson), (".jsonl", .ndjson),
      (".md", .markdown), (".markdown", .markdown), (".html", .html), (".htm", .html),
      (".xml", .junit), (".sarif", .sarif),
    ]
    guard let found = endings.first(where: { name.hasSuffix($0.0) }) else { return nil }
    self = found.1
  }

  /// The form of a name that a person types.
  package init?(name: String) {
    switch name {
    case "md": self = .markdown
    default: self.init(rawValue: name)
    }
  }

  /// The whole file.
  package func text(of report: Report) -> String {
    switch self {
    case .json: report.value.prettyText.escapedForDisplay + "\n"
    case .ndjson: EventLines.text(of: report)
    case .markdown: MarkdownReport.text(of: report)
    case .html: HTMLReport(report).text
    case .junit: JUnitReport.text(of: report)
    case .sarif: SARIFReport(report).value.prettyText.escapedForDisplay + "\n"
    }
  }
}

/// Where a report goes, and in which form.
package struct ReportTarget: Hashable, Sendable {
  package let form: ReportForm
  /// The file; `-` is standard output.
  package let path: String

  /// Reads `out.html` or `junit=out.txt`; `nil` when no form can be determined.
  package init?(parsing text: String) {
    if let equals = text.firstIndex(of: "="), let form = ReportForm(name: String(text[..<equals])) {
      let path = String(text[text.index(after: equals)...])
      guard !path.isEmpty else { return nil }
      self.form = form
      self.path = path
      return
    }
    guard let form = ReportForm(path: text) else { return nil }
    self.form = form
    path = text
  }
}
