import Crypto
import JSONText
import Records
import TextCodecs

/// A report as SARIF 2.1.0, which code scanning services read.
///
/// It is a whole document also when nothing was found. The identifiers of rules are the codes of
/// findings, which never change; every known rule is in the table. Places are relative paths.
///
/// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
package struct SARIFReport {
  private let report: Report
  private let rules: [ReportRule]
  private let numbers: [String: Int]

  /// The most results in one run; GitHub takes no more than 25,000 and shows the first 5,000.
  static let limit = 5_000

  package init(_ report: Report) {
    self.report = report
    var rules = ReportRule.known
    var numbers = Dictionary(
      rules.enumerated().map { ($1.code, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for finding in report.findings where numbers[finding.code] == nil {
      numbers[finding.code] = rules.count
      rules.append(ReportRule(code: finding.code))
    }
    self.rules = rules
    self.numbers = numbers
  }

  var value: JSONValue {
    [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
      "version": "2.1.0",
      "runs": [run],
    ]
  }

  private var run: JSONValue {
    let findings = report.findings.sorted { $0.severity > $1.severity }
    let driver: JSONValue = [
      "name": "ferry", "version": .string(report.tool), "rules": .array(rules.map(rule)),
    ]
    var object: JSONObject = [
      "tool": ["driver": driver],
      "columnKind": "unicodeCodePoints",
      "automationDetails": ["id": .string("ferry/\(report.command)/")],
      "invocations": [invocation(leftOut: max(0, findings.count - Self.limit))],
      "results": .array(findings.prefix(Self.limit).map(result)),
    ]
    let facts = facts
    if !facts.isEmpty { object["properties"] = .object(facts) }
    return .object(object)
  }

  /// Where the records went, whose they are, in which run, and how that is undone; of a fleet the run of each store.
  private var facts: JSONObject {
    var object = JSONObject()
    for fact in report.facts { object[fact.name] = .string(fact.value) }
    var runs = JSONObject()
    for line in report.stages.flatMap(\.lines) {
      if let run = line.run { runs[line.name] = .string(run) }
    }
    if !runs.isEmpty { object["runs"] = .object(runs) }
    return object
  }

  private func rule(_ rule: ReportRule) -> JSONValue {
    ["id": .string(rule.code), "shortDescription": ["text": .string(rule.summary)]]
  }

  private func invocation(leftOut: Int) -> JSONValue {
    let end = report.end
    var notices: [JSONValue] = []
    if let reason = end.reason {
      notices.append(["level": "error", "message": ["text": .string(reason)]])
    }
    let unlisted = leftOut + report.unlistedCount
    if unlisted > 0 {
      let words = Figures.count(unlisted, "finding")
      notices.append(["level": "note", "message": ["text": .string("\(words) more, not listed")]])
    }
    var object: JSONObject = [
      "executionSuccessful": .boolean(end.status == 0), "exitCode": .whole(end.status),
      "exitCodeDescription": .string(end.name),
    ]
    if !report.began.isEmpty { object["startTimeUtc"] = .string(report.began) }
    object["toolExecutionNotifications"] = .array(notices)
    return .object(object)
  }

  private func result(_ finding: Finding) -> JSONValue {
    var text = finding.cause
    if !finding.cure.isEmpty { text += "\nCure: \(finding.cure)" }
    return [
      "ruleId": .string(finding.code), "ruleIndex": .whole(numbers[finding.code] ?? -1),
      "level": .string(finding.severity.rawValue), "message": ["text": .string(text)],
      "locations": [location(finding)],
      "partialFingerprints": ["ferry/v1": .string(fingerprint(finding))],
    ]
  }

  private func location(_ finding: Finding) -> JSONValue {
    let place = place(of: finding)
    var physical: JSONObject = [
      "artifactLocation": ["uri": .string(place.file.encodedForAddress)]
    ]
    if let line = place.line { physical["region"] = ["startLine": .whole(line)] }
    var object: JSONObject = ["physicalLocation": .object(physical)]
    if let name = finding.subject {
      object["logicalLocations"] = [
        ["fullyQualifiedName": .string(name + finding.pointer), "kind": "object"]
      ]
    }
    return .object(object)
  }

  /// The file a finding is about, relative to where the command ran: one of the repository, else one of the
  /// package.
  private func place(of finding: Finding) -> (file: String, line: Int?) {
    if let place = report.repositoryPlace(of: finding) { return place }
    let base = (report.package ?? report.subject ?? "package").trimmedOfSlashes
    guard let file = finding.file else { return (base, nil) }
    return ("\(base)/\(file)", finding.line)
  }

  /// The same for the same finding of another run.
  private func fingerprint(_ finding: Finding) -> String {
    let parts = [
      finding.code, finding.entity?.text ?? "", finding.record ?? finding.file ?? "",
      finding.pointer,
    ]
    let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
    return SHA256.hash(data: Array(text.utf8)).prefix(16).hexadecimal
  }
}

extension Report {
  /// The package that a stage made, where one did.
  var package: String? { stages.compactMap { $0.value["package"]?.text }.first }

  /// The store or the model that the command read: a file that a repository may keep.
  private var source: String? {
    switch command {
    case "export", "inspect", "migrate", "report": subject
    default: nil
    }
  }

  /// The file of the repository that a finding is about; `nil` where only the package has it.
  ///
  /// A record of the package is one of the store that it was made of, in a place that no line has.
  func repositoryPlace(of finding: Finding) -> (file: String, line: Int?)? {
    let isInPackage = ["data/", "media/", "rejected/", "schemas/"].contains {
      finding.file?.hasPrefix($0) == true
    }
    if let file = finding.file, !isInPackage { return (file, finding.line) }
    return source.map { (file: $0, line: nil) }
  }
}

extension String {
  fileprivate var trimmedOfSlashes: String {
    var text = self
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    return text
  }

  /// As a relative reference.
  ///
  /// https://www.rfc-editor.org/rfc/rfc3986#section-4.2
  fileprivate var encodedForAddress: String {
    PercentCoding.encoded(self, keeping: "/")
  }
}
