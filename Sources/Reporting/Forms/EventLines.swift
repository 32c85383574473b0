import JSONText

/// A report as lines of JSON: how it began, each stage, and the summary last.
enum EventLines {
  static func text(of report: Report) -> String {
    var lines: [JSONValue] = [
      [
        "type": "began", "format": .string(Report.format), "tool": .string(report.tool),
        "command": .string(report.command), "subject": .text(report.subject),
        "began": .string(report.began),
      ]
    ]
    lines += report.stages.map(\.value)
    lines.append([
      "type": "summary", "seconds": .seconds(report.seconds),
      "timeline": .array(report.timeline.map(\.value)),
      "comparison": report.comparison?.value ?? .null, "end": report.end.value,
    ])
    return lines.map { $0.canonicalText.escapedForDisplay + "\n" }.joined()
  }
}
