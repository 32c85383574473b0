import JSONText
import Records

/// A report as the lines by which GitHub Actions marks files and steps.
///
/// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
package enum Annotations {
  /// GitHub shows ten errors and ten warnings of a step.
  private static let limit = 10

  /// `placed` gives the path that a file of the report has in the repository, or `nil` if it has none.
  package static func lines(
    of report: Report,
    placed: (String) -> String? = { $0 }
  ) -> [String] {
    let groups = FindingGroup.groups(of: report.findings, ruleCounts: report.ruleCounts)
    var lines: [String] = []
    for (severity, command) in [(Finding.Severity.error, "error"), (.warning, "warning")] {
      let matching = groups.filter { $0.first.severity == severity }
      // The last place says how many are left.
      let shown = matching.count > limit ? limit - 1 : matching.count
      lines += matching.prefix(shown).map { line(command, $0, report, placed) }
      if shown < matching.count {
        let left = "\(Figures.count(matching.count - shown, "more kind")) of findings"
        lines.append("::\(command) title=ferry \(report.command)::\(left.escapedAsMessage)")
      }
    }
    if report.end.status != 0, let reason = report.end.reason {
      let title = "title=ferry \(report.command.escapedAsProperty)"
      lines +=
        faults(in: reason, placed)?.prefix(limit).map { fault in
          "::error file=\(fault.file.escapedAsProperty),line=\(fault.line),\(title)"
            + "::\(fault.words.escapedAsMessage)"
        } ?? ["::error \(title)::\(reason.escapedAsMessage)"]
    }
    return lines
  }

  /// The faults of a reason that names a file of the repository and its line in each of its lines, as a profile's
  /// faults do; `nil` for any other.
  private static func faults(
    in reason: String,
    _ placed: (String) -> String?
  ) -> [(file: String, line: Int, words: String)]? {
    let lines = reason.split(separator: "\n")
    let faults = lines.compactMap { line -> (file: String, line: Int, words: String)? in
      let parts = line.split(separator: ":", maxSplits: 2).map(String.init)
      guard parts.count == 3, let number = Int(parts[1]), number > 0, !parts[0].contains("//"),
        !parts[0].hasPrefix("/"), parts[0].hasSuffix(".yaml") || parts[0].hasSuffix(".yml"),
        let file = placed(parts[0])
      else { return nil }
      return (file, number, String(parts[2].drop { $0 == " " }))
    }
    return faults.isEmpty || faults.count < lines.count ? nil : faults
  }

  private static func line(
    _ command: String,
    _ group: FindingGroup,
    _ report: Report,
    _ placed: (String) -> String?
  ) -> String {
    let first = group.first
    var properties: [String] = []
    if let place = report.repositoryPlace(of: first), let file = placed(place.file) {
      properties.append("file=\(file.escapedAsProperty)")
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
