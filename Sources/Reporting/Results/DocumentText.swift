package import DocumentChecking
package import JSONText

/// What was found about the documents of a file, for a person and for a machine.
package enum DocumentText {
  package static func lines(of verdict: DocumentCheck.Verdict, in file: String) -> [String] {
    verdict.findings.flatMap { finding in
      let place = finding.pointer.isEmpty ? "" : " \(finding.pointer)"
      return [
        "\(file):\(verdict.line):\(place) \(finding.messageCause) [\(finding.code)]"
          .plainForTerminal,
        "    cure: \(finding.cure)".plainForTerminal,
      ]
    }
  }

  package static func line(of totals: DocumentCheck.Totals) -> String {
    let documents = totals.documentCount == 1 ? "1 document" : "\(totals.documentCount) documents"
    return totals.invalidCount == 0
      ? "valid: \(documents), no fault"
      : "invalid: \(totals.invalidCount) of \(documents)"
  }

  package static func value(of verdict: DocumentCheck.Verdict) -> JSONValue {
    .object([
      "line": .whole(verdict.line), "valid": .boolean(verdict.isValid),
      "findings": .array(verdict.findings.map(value)),
    ])
  }

  package static func value(
    of totals: DocumentCheck.Totals,
    in file: String? = nil,
    invalid: [JSONValue]
  ) -> JSONValue {
    var object: JSONObject = [
      "type": "documents", "valid": .boolean(totals.invalidCount == 0),
      "documents": .whole(totals.documentCount), "invalid": .whole(totals.invalidCount),
      "faulty": .array(invalid),
    ]
    if let file { object["file"] = .string(file) }
    return .object(object)
  }

  private static func value(of finding: DocumentFinding) -> JSONValue {
    var object: JSONObject = [
      "code": .string(finding.code), "pointer": .string(finding.pointer),
      "cause": .string(finding.messageCause), "cure": .string(finding.cure),
    ]
    if let keyword = finding.keyword {
      object["keyword"] = .string(keyword)
      object["keywordLocation"] = .string(finding.keywordLocation)
      object["schemaLocation"] = .string(finding.schemaLocation)
    }
    return .object(object)
  }
}
