package import JSONText
package import Records

/// A record that was quarantined, and why.
package struct QuarantinedRecord: Hashable, Sendable {
  package let entity: EntityName
  /// The record's key, or `nil` when it has none.
  package let key: String?
  /// The data file of the package and the line in it, counted from one.
  package let file: String
  package let line: Int
  package let findings: [Finding]

  package init(
    entity: EntityName,
    key: String?,
    file: String,
    line: Int,
    findings: [Finding]
  ) {
    self.entity = entity
    self.key = key
    self.file = file
    self.line = line
    self.findings = findings
  }

  /// One line of `findings.jsonl`.
  package var json: JSONValue {
    [
      "entity": .string(entity.text), "key": key.map { .string($0) } ?? .null,
      "file": .string(file), "line": .number(JSONNumber(Int64(line))),
      "findings": .array(
        findings.map { finding in
          var object: JSONObject = [
            "code": .string(finding.code), "severity": .string(finding.severity.rawValue),
            "pointer": .string(finding.pointer), "cause": .string(finding.cause),
            "cure": .string(finding.cure),
          ]
          if let found = finding.found { object["found"] = .string(found) }
          return .object(object)
        }
      ),
    ]
  }

  /// Reads a line of `findings.jsonl`, or gives `nil` when it is not one.
  init?(json: JSONValue) {
    guard let entity = json["entity"]?.text.flatMap({ EntityName($0) }),
      let file = json["file"]?.text, let line = json["line"]?.integer,
      let findings = json["findings"]?.array
    else { return nil }
    let key = json["key"]?.text
    self.init(
      entity: entity,
      key: key,
      file: file,
      line: Int(line),
      findings: findings.map { finding in
        Finding(
          code: finding["code"]?.text ?? "",
          severity: finding["severity"]?.text.flatMap(Finding.Severity.init) ?? .error,
          entity: entity,
          record: key,
          pointer: finding["pointer"]?.text ?? "",
          file: file,
          line: Int(line),
          cause: finding["cause"]?.text ?? "",
          found: finding["found"]?.text,
          cure: finding["cure"]?.text ?? ""
        )
      }
    )
  }
}
