import Records

/// A report as JUnit XML: a suite for each stage, a case for each entity and rule.
///
/// An entity's own case represents all rules that found nothing. Errors fail a case; warnings and
/// notes are its output. The last suite says how the command ended, so that a command that stopped
/// before any stage is not taken for a success.
enum JUnitReport {
  private struct Case {
    let suite: String
    let name: String
    let failure: (type: String, message: String, body: String)?
    let output: String
  }

  static func text(of report: Report) -> String {
    var suites = report.stages.map { (name: $0.kind, cases: cases(of: $0)) }
    suites.append((name: "exit", cases: [exitCase(of: report)]))
    let all = suites.flatMap(\.cases)
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites name=\"ferry \(report.command.escapedForMarkup)\" tests=\"\(all.count)\" "
    text += "failures=\"\(all.count { $0.failure != nil })\" errors=\"0\" "
    text += "time=\"\(time(report.seconds))\">\n"
    for suite in suites {
      text += "  <testsuite name=\"\(suite.name.escapedForMarkup)\" tests=\"\(suite.cases.count)\" "
      text += "failures=\"\(suite.cases.count { $0.failure != nil })\" errors=\"0\" skipped=\"0\" "
      text += "time=\"\(time(seconds(of: suite.name, in: report)))\" "
      text += "timestamp=\"\(report.began.escapedForMarkup)\">\n"
      if suite.name == "exit" { text += properties(of: report) }
      for item in suite.cases { text += self.text(of: item) }
      text += "  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  /// Where the records went, whose they are, in which run, and how that is undone.
  private static func properties(of report: Report) -> String {
    guard !report.facts.isEmpty else { return "" }
    let lines = report.facts.map { name, value in
      "      <property name=\"\(name.escapedForMarkup)\" value=\"\(value.escapedForMarkup)\"/>\n"
    }
    return "    <properties>\n\(lines.joined())    </properties>\n"
  }

  private static func cases(of stage: ReportStage) -> [Case] {
    let cases: [Case] = stage.lines.map { line in
      let outcomes = line.outcomes.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
      let bad = line.outcomes.filter { $0.count > 0 && OutcomeTone(of: $0.name) == .bad }
      let words = bad.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
      return Case(
        suite: stage.kind,
        name: line.name,
        failure: bad.isEmpty
          ? nil : (type: "outcome", message: "\(words) of \(line.total)", body: words),
        output: (outcomes + (line.run.map { ["run \($0)"] } ?? [])).joined(separator: ", ")
      )
    }
    let rules = stage.findings.grouped { [$0.entity?.text, $0.code] }
    return cases
      + rules.map { ruleCase($0.key.compactMap(\.self).joined(separator: " "), $0.members, stage) }
  }

  private static let listLimit = 100

  private static func ruleCase(
    _ name: String,
    _ findings: [Finding],
    _ stage: ReportStage
  ) -> Case {
    let errors = findings.filter { $0.severity == .error }
    let others = findings.filter { $0.severity != .error }
    let unlistedErrors = unlistedCount(errors, stage)
    let errorCount = errors.count + unlistedErrors
    return Case(
      suite: stage.kind,
      name: name,
      failure: errors.first.map { first in
        (
          type: first.code,
          message: errorCount > 1 ? "× \(errorCount): \(first.cause)" : first.cause,
          body: list(errors, unlisted: unlistedErrors)
            + (first.cure.isEmpty ? "" : "\ncure: \(first.cure)")
        )
      },
      output: others.isEmpty ? "" : list(others, unlisted: unlistedCount(others, stage))
    )
  }

  /// How many more findings the rules of listed ones have.
  private static func unlistedCount(_ findings: [Finding], _ stage: ReportStage) -> Int {
    findings.grouped(by: \.rule).reduce(0) { sum, group in
      sum + max(0, (stage.ruleCounts[group.key] ?? 0) - group.members.count)
    }
  }

  /// A line for each record, with every place in it that has the same cause.
  private static func list(_ findings: [Finding], unlisted: Int) -> String {
    let records = findings.grouped { [$0.subject ?? $0.filePlace ?? "", $0.cause] }
    let lines = records.prefix(listLimit).map { key, members in
      let places = ([key[0]] + members.map(\.pointer)).filter { !$0.isEmpty }
      return "\(places.joined(separator: " ")): \(key[1])"
    }
    let left = records.dropFirst(listLimit).reduce(unlisted) { $0 + $1.members.count }
    return (lines + (left > 0 ? ["… and \(left) more"] : [])).joined(separator: "\n")
  }

  private static func exitCase(of report: Report) -> Case {
    let end = report.end
    let isGood = end.status == 0 || end.status == 2
    return Case(
      suite: "exit",
      name: "status \(end.status)",
      failure: isGood
        ? nil
        : (
          type: "exit.\(end.status)", message: end.name,
          body: [end.reason, end.cure.map { "cure: \($0)" }].compactMap(\.self)
            .joined(separator: "\n")
        ),
      output: end.name
    )
  }

  private static func text(of item: Case) -> String {
    var text = "    <testcase classname=\"ferry.\(item.suite.escapedForMarkup)\" "
    text += "name=\"\(item.name.escapedForMarkup)\" time=\"0\""
    guard item.failure != nil || !item.output.isEmpty else { return text + "/>\n" }
    text += ">\n"
    if let failure = item.failure {
      text += "      <failure type=\"\(failure.type.escapedForMarkup)\" "
      text += "message=\"\(failure.message.escapedForMarkup)\">"
      text += failure.body.escapedLinesForMarkup + "</failure>\n"
    }
    if !item.output.isEmpty {
      text += "      <system-out>\(item.output.escapedLinesForMarkup)</system-out>\n"
    }
    return text + "    </testcase>\n"
  }

  private static func seconds(of suite: String, in report: Report) -> Double {
    let stage = Self.stageNames[suite] ?? suite
    return report.timeline.filter { $0.stage == stage }
      .reduce(0) { $0 + (($1.ended ?? report.seconds) - $1.began) }
  }

  /// The stages of a run whose published form is called otherwise.
  private static let stageNames = ["validation": "validate", "verification": "verify"]

  private static func time(_ seconds: Double) -> String {
    "\((max(0, seconds) * 1_000).rounded() / 1_000)"
  }
}

extension String {
  /// As ``escapedForMarkup``, the line ends kept.
  fileprivate var escapedLinesForMarkup: String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).escapedForMarkup }.joined(separator: "\n")
  }
}
