import JSONText
import Records
import Reporting
import Testing

struct ReportRedactionTests {
  private static let key = "a key of more than sixteen bytes"

  private func text(of report: Report) -> String {
    ReportForm.allCases.map { $0.text(of: report) }.joined()
      + Annotations.lines(of: report).joined()
  }

  @Test(arguments: ReportForm.allCases)
  func `no form shows a value of a record`(form: ReportForm) {
    let text = form.text(of: SampleReport.report())
    for value in ["Geheim", "“Ge”"] { #expect(!text.contains(value)) }
  }

  @Test(arguments: ReportForm.allCases)
  func `no form with pseudonyms shows an identity`(form: ReportForm) {
    let text = form.text(of: SampleReport.report(key: Self.key))
    for value in ["hero-1", "hero-2", "hero-7", "secret-id", "Geheim"] {
      #expect(!text.contains(value))
    }
  }

  @Test func `annotations show neither values nor, with pseudonyms, identities`() {
    let plain = Annotations.lines(of: SampleReport.report()).joined()
    #expect(plain.contains("hero-7") && !plain.contains("Geheim"))
    let hidden = Annotations.lines(of: SampleReport.report(key: Self.key)).joined()
    #expect(!hidden.contains("hero-7") && !hidden.contains("secret-id"))
  }

  @Test func `values are shown when they are asked for`() {
    let text = ReportForm.markdown.text(of: SampleReport.report(showsValues: true))
    #expect(text.contains("Geheim"))
  }

  @Test func `a schema's expectation is shown whole, regardless of its words`() {
    let findings = SampleReport.report().findings
    let cause = findings.first { $0.code == "schema.minLength" }?.cause
    #expect(cause == "expected at least 3, found nothing")
  }

  private func shown(
    _ finding: JSONValue,
    showsValues: Bool = false,
    key: String? = nil
  ) -> JSONValue {
    ReportRedaction(showsValues: showsValues, key: key.map { Array($0.utf8) }, folder: "/home/me")
      .redacted(finding)
  }

  private static let unlisted: JSONValue = [
    "code": "other.kind", "severity": "error", "entity": "Geheim", "record": "Geheim",
    "pointer": "/Geheim", "file": "Geheim", "line": 3, "cause": "Geheim", "cure": "Geheim",
    "more": "Geheim",
  ]

  @Test(arguments: [nil, key])
  func `a finding with an unlisted code shows only its code`(key: String?) {
    let text = shown(Self.unlisted, key: key).canonicalText
    #expect(text.contains("other.kind") && !text.contains("Geheim"))
  }

  @Test func `a finding with an unlisted code is shown whole if values are shown`() {
    #expect(shown(Self.unlisted, showsValues: true)["cause"] == "Geheim")
  }

  @Test func `what a field holds is shown as it is if values are shown`() {
    let field: JSONValue = [
      "name": "price",
      "new": [
        "kind": "object", "length": 3,
        "value": ["code": "EUR", "path": "/home/me/prices", "record": "p1", "count": 3],
      ],
    ]
    #expect(shown(field, showsValues: true) == field)
  }

  @Test(arguments: ["schema.anna@example.com", "schema.", "Geheim", "http.4221", "cloudkit.geheim"])
  func `a finding with an unknown code is redacted whole`(code: String) {
    let shown = shown(["code": .string(code), "severity": "error", "cause": "Geheim"])
    #expect(shown["cause"]?.text?.contains("catalogue") == true)
    #expect(shown["code"]?.text?.contains("@") == false && shown["code"] != "Geheim")
  }

  @Test(arguments: [
    ("schema.type", "/byName/anna@example.com/age", "/byName"),
    ("schema.additionalProperties", "/anna@example.com", ""),
    ("record.no-key", "/id", "/id"),
  ])
  func `with pseudonyms a pointer shows names of the profile alone`(
    code: String,
    pointer: String,
    expected: String
  ) {
    let finding: JSONValue = [
      "code": .string(code), "severity": "error", "pointer": .string(pointer), "cause": "a",
      "cure": "b",
    ]
    #expect(shown(finding, key: Self.key)["pointer"]?.text == expected)
    #expect(shown(finding)["pointer"]?.text == pointer)
  }

  @Test(arguments: ["container.database-unread", "container.file-unread", "package.unnamed-file"])
  func `with pseudonyms no name of a file that is not read is shown`(code: String) {
    let cause = code.hasPrefix("container.") ? "Documents/Geheim.realm is not read" : "not named"
    let finding: JSONValue = [
      "code": .string(code), "severity": "warning", "file": "Documents/Geheim.realm",
      "cause": .string(cause), "cure": "b",
    ]
    #expect(!shown(finding, key: Self.key).canonicalText.contains("Geheim"))
    #expect(shown(finding)["cause"] == .string(cause))
  }

  @Test func `a finding of a document shows the place of its keyword, and no folder`() {
    let finding: JSONValue = [
      "code": "schema.type", "pointer": "/anna@example.com", "cause": "expected a text",
      "cure": "b", "keyword": "type", "keywordLocation": "/additionalProperties/type",
      "schemaLocation": "file:///home/me/app/s.json#/additionalProperties",
    ]
    let shown = shown(finding, key: Self.key)
    #expect(shown["pointer"] == "")
    #expect(shown["keywordLocation"] == "/additionalProperties/type")
    #expect(shown["schemaLocation"] == "s.json#/additionalProperties")
  }

  @Test func `the same record has the same pseudonym with the same key, and only then`() {
    func records(_ key: String) -> [String] {
      SampleReport.report(key: key).findings.compactMap(\.record)
    }
    #expect(records(Self.key) == records(Self.key))
    #expect(records(Self.key) != records(Self.key + "!"))
    #expect(Set(records(Self.key)).count == 3)
  }

  @Test func `paths are relative, and outside the folder only a name`() {
    let redaction = ReportRedaction(showsValues: false, key: nil, folder: "/home/me/app")
    #expect(redaction.path("/home/me/app/out/p.ferry") == "out/p.ferry")
    #expect(redaction.path("/var/secret/p.ferry") == "p.ferry")
    #expect(redaction.path("./p.ferry") == "p.ferry")
    #expect(redaction.path("/home/me/application/p.ferry") == "p.ferry")
    let atRoot = ReportRedaction(showsValues: false, key: nil, folder: "/")
    #expect(atRoot.path("/home/me/app/p.ferry") == "p.ferry")
  }
}
