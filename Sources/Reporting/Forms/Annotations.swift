import JSONText
import Records

/// A report as the lines by which GitHub Actions marks files and steps.
///
/// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
package enum Annotations {
  /// GitHub shows ten errors and ten warnings of a step.
  private static let limit = 10

  package static func lines(of report: Report) -> [String] {
    let groups = FindingGroup.groups(of: report.findings, ruleCounts: report.ruleCounts)
    var lines: [String] = []
    for (severity, command) in [(Finding.Severity.error, "error"), (.warning, "warning")] {
      let matching = groups.filter { $0.first.severity == severity }
      // The last place says how many are left.
      let shown = matching.count > limit ? limit - 1 : matching.count
      lines += matching.prefix(shown).map { line(command, $0, report) }
      if shown < matching.count {
        let left = "\(Figures.count(matching.count - shown, "more kind")) of findings"
        lines.append("::\(command) title=ferry \(report.command)::\(left.escapedAsMessage)")
      }
    }
    if report.end.status != 0, let reason = report.end.reason {
      lines.append(
        "::error title=ferry \(report.command.escapedAsProperty)::\(reason.escapedAsMessage)"
      )
    }
    return lines
  }

  private static func line(
    _ command: String,
    _ group: FindingGroup,
    _ report: Report
  ) -> String {
    let first = group.first
    var properties: [String] = []
    if let place = report.repositoryPlace(of: first) {
      properties.append("file=\(place.file.escapedAsProperty)")
      if let line = place.line { properties.append("line=\(line)") }
    }
    properties.append("title=\(first.code.escapedAsProperty)")
    let places = group.places(3)
    let count = group.countWords.map { " (\($0))" } ?? ""
    let message = (places.isEmpty ? "" : places + ": ") + first.cause + count
    return "::\(command) \(properties.joined(separator: ","))::"
      + message.shortened(to: 1_000).escapedAsMessage
  }
}

extension String {
  fileprivate var escapedAsMessage: String {
    replacing(scalar: "%", with: "%25").replacing(scalar: "\r", with: "%0D")
      .replacing(scalar: "\n", with: "%0A")
  }

  fileprivate var escapedAsProperty: String {
    escapedAsMessage.replacing(scalar: ":", with: "%3A").replacing(scalar: ",", with: "%2C")
  }
}
