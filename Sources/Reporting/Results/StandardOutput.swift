package import DocumentChecking
package import JSONText
import SchemaValidation

/// The forms in which JSON Schema itself has the outcome of a validation given.
///
/// `flag` and `basic` are those of draft 2020-12; `list` is the flat form of the drafts after it.
///
/// https://json-schema.org/draft/2020-12/json-schema-core#section-12
package enum StandardOutput: String, Sendable, CaseIterable {
  case flag
  case basic
  case list

  /// What was found about one document, in this form.
  package func value(of verdict: DocumentCheck.Verdict) -> JSONValue {
    switch self {
    case .flag: ["valid": .boolean(verdict.isValid)]
    case .basic: basic(verdict)
    case .list: list(verdict)
    }
  }

  // MARK: Basic

  private func basic(_ verdict: DocumentCheck.Verdict) -> JSONValue {
    var root: JSONObject = [
      "valid": .boolean(verdict.isValid), "keywordLocation": "", "instanceLocation": "",
    ]
    if verdict.isValid {
      root["annotations"] = .list(verdict.annotations) { annotation in
        [
          "valid": true, "keywordLocation": .string(annotation.keywordLocation),
          "absoluteKeywordLocation": .string(
            Self.place(annotation.keyword, in: annotation.schemaLocation)
          ),
          "instanceLocation": .string(annotation.instanceLocation),
          "annotation": annotation.value,
        ]
      }
    } else {
      root["errors"] = .array(verdict.findings.map(Self.unit))
    }
    return .object(root)
  }

  private static func unit(_ finding: DocumentFinding) -> JSONValue {
    var unit: JSONObject = [
      "valid": false, "keywordLocation": .string(finding.keywordLocation),
      "instanceLocation": .string(finding.pointer), "error": .string(finding.messageCause),
    ]
    if let keyword = finding.keyword {
      unit["absoluteKeywordLocation"] = .string(Self.place(keyword, in: finding.schemaLocation))
    }
    return .object(unit)
  }

  /// The place of a keyword in its schema; a schema that is `false` has none.
  private static func place(_ keyword: String, in schema: String) -> String {
    let token = keyword.replacing("~", with: "~0").replacing("/", with: "~1")
    return keyword == "false" ? schema : "\(schema)/\(token)"
  }

  // MARK: List

  /// What one schema says of one value.
  private struct Detail {
    let evaluationPath: String
    let schemaLocation: String
    let instanceLocation: String
    var errors = JSONObject()
    var annotations = JSONObject()
  }

  private func list(_ verdict: DocumentCheck.Verdict) -> JSONValue {
    var details: [Detail] = []
    var places: [[String]: Int] = [:]
    func place(_ path: String, _ schema: String, _ instance: String) -> Int {
      let key = [path, instance]
      if let known = places[key] { return known }
      places[key] = details.count
      details.append(
        Detail(evaluationPath: path, schemaLocation: schema, instanceLocation: instance)
      )
      return details.count - 1
    }
    // The whole comes first, whether it has something to say itself or not.
    for finding in verdict.findings {
      let keyword = finding.keyword ?? "json"
      let path = Self.path(finding.keywordLocation, without: finding.keyword)
      let index = place(path, finding.schemaLocation, finding.pointer)
      let before = details[index].errors[keyword]?.text.map { $0 + "; " } ?? ""
      details[index].errors[keyword] = .string(before + finding.messageCause)
    }
    for annotation in verdict.annotations {
      let path = Self.path(annotation.keywordLocation, without: annotation.keyword)
      let index = place(path, annotation.schemaLocation, annotation.instanceLocation)
      details[index].annotations[annotation.keyword] = annotation.value
    }
    return .object([
      "valid": .boolean(verdict.isValid),
      "details": .array(details.map { Self.value(of: $0, isValid: verdict.isValid) }),
    ])
  }

  private static func value(of detail: Detail, isValid: Bool) -> JSONValue {
    var unit: JSONObject = [
      "valid": .boolean(isValid), "evaluationPath": .string(detail.evaluationPath),
      "schemaLocation": .string(detail.schemaLocation),
      "instanceLocation": .string(detail.instanceLocation),
    ]
    if !detail.errors.isEmpty { unit["errors"] = .object(detail.errors) }
    if !detail.annotations.isEmpty { unit["annotations"] = .object(detail.annotations) }
    return .object(unit)
  }

  /// The way to the schema that holds a keyword.
  private static func path(_ location: String, without keyword: String?) -> String {
    guard let keyword, keyword != "false" else { return location }
    let token = keyword.replacing("~", with: "~0").replacing("/", with: "~1")
    return String(location.dropLast(token.count + 1))
  }
}
