import Foundation
import JSONText
import Records
import Reporting
import SchemaValidation
import Schemas
import Testing

struct MergedReportTests {
  private func merged(_ reports: [(name: String, report: Report?)]) -> Report {
    Report(merging: reports, tool: "9.9.9", began: "2026-01-31T12:00:00Z")
  }

  private var export: Report {
    var report = SampleReport.report([SampleReport.export], status: 0)
    report.command = "export"
    report.subject = "store/app.sqlite"
    return report
  }

  @Test func `the gravest status of several commands is that of their report`() {
    let plan = SampleReport.report([SampleReport.validation, SampleReport.upload], status: 4)
    let report = merged([("export.json", export), ("plan.json", plan)])
    #expect(report.end.status == 4)
    #expect(report.parts.map(\.command) == ["export", "upload"])
    #expect(report.stages.map(\.kind) == ["export", "validation", "upload"])
  }

  @Test func `a stage that two commands report is in the whole once`() {
    let validation = SampleReport.report([SampleReport.validation], status: 0)
    let plan = SampleReport.report([SampleReport.validation, SampleReport.upload], status: 0)
    let report = merged([("a", validation), ("b", plan)])
    #expect(report.stages.map(\.kind) == ["validation", "upload"])
  }

  @Test func `a report that is missing counts as a command that failed`() {
    let report = merged([("export.json", export), ("plan.json", nil)])
    #expect(report.end.status == 1)
    #expect(report.end.reason == "it left no report that can be read")
    #expect(ReportForm.markdown.text(of: report).contains("| plan.json | 1 | failed |"))
  }

  @Test func `a merged report is read again as it was`() throws {
    let report = merged([("export.json", export), ("plan.json", nil)])
    let read = try #require(Report(report.value))
    #expect(read.parts == report.parts)
    #expect(read.end == report.end)
  }

  @Test func `a merged report matches the published schema`() throws {
    let bytes = try #require(PublishedSchemas.bytes(named: "ferry.report.v1.schema.json"))
    let schema = try SchemaSet(schemas: [("r", bytes)]).schema(at: "r")
    let document = JSONDocument()
    try document.parse(copying: merged([("export.json", export)]).value.canonicalBytes)
    #expect(schema.faults(document, document.root).map(\.description) == [])
  }

  // MARK: What every report says

  private let stage: JSONValue = [
    "type": "upload", "run": "ab12cd-1", "stage": "finished", "media": [],
    "account": "ada@example.com", "destination": "https://api.example.com",
    "records": [SampleReport.line("Hero", ["created": 1])],
    "findings": [
      [
        "code": "plan.unmapped", "severity": "warning", "entity": "Hero", "pointer": "",
        "cause": "a", "cure": "b",
      ]
    ],
    "findingCounts": ["warning": 12_345, "error": 2],
  ]

  @Test(arguments: [ReportForm.markdown, .html, .junit, .sarif])
  func `the head names destination, account and run`(form: ReportForm) {
    let text = form.text(of: SampleReport.report([stage]))
    for fact in ["https://api.example.com", "ada@example.com", "ab12cd-1"] {
      #expect(text.contains(fact), "\(fact)")
    }
  }

  @Test(arguments: [ReportForm.markdown, .html])
  func `the head of a plan says that nothing is sent, and that of a run does not`(form: ReportForm)
  {
    let words = "nothing is sent"
    var plan = stage.object ?? JSONObject()
    plan["type"] = "plan"
    #expect(form.text(of: SampleReport.report([.object(plan)])).contains(words))
    #expect(!form.text(of: SampleReport.report([stage])).contains(words))
  }

  @Test func `with a key, the account is a pseudonym`() {
    let text = ReportForm.markdown.text(of: SampleReport.report([stage], key: "0123456789abcdef"))
    #expect(!text.contains("ada@example.com"))
  }

  @Test(arguments: [ReportForm.markdown, .html])
  func `findings are counted beyond those that are listed`(form: ReportForm) {
    let text = form.text(of: SampleReport.report([stage]))
    #expect(text.contains("12345 warnings"))
    #expect(text.contains("2 errors"))
    #expect(text.contains("12346 findings not listed"))
  }

  @Test func `findings come before the numbers`() throws {
    let text = ReportForm.markdown.text(of: SampleReport.report())
    let findings = try #require(text.range(of: "#### Findings"))
    let table = try #require(text.range(of: "| entity | records |"))
    #expect(findings.lowerBound < table.lowerBound)
  }

  private func tooShort(_ pointer: String) -> JSONValue {
    [
      "code": "schema.minLength", "severity": "error", "entity": "Hero", "record": "h1",
      "pointer": .string(pointer), "cause": "expected at least 3 characters", "cure": "lengthen",
    ]
  }

  @Test(arguments: [
    (ReportForm.html, "<li>Hero/h1 /name, /title</li>"),
    (.markdown, "Where: Hero/h1 /name /title\n"),
    (.junit, "Hero/h1 /name /title: expected at least 3 characters\n"),
  ])
  func `a record with a fault in two places has one entry`(form: ReportForm, entry: String) {
    let stage: JSONValue = [
      "type": "validation", "valid": false, "faults": 2, "entities": [],
      "findings": [tooShort("/name"), tooShort("/title")],
    ]
    let text = form.text(of: SampleReport.report([stage]))
    #expect(text.contains(entry), "\(text)")
  }

  private static let rules: JSONValue = [
    ["entity": "Hero", "code": "schema.minLength", "severity": "error", "count": 24_000]
  ]

  /// A validation whose list of findings was full after two of 24,000.
  private var crowded: JSONValue {
    [
      "type": "validation", "valid": false, "faults": 24_000, "entities": [],
      "findings": [tooShort("/name"), tooShort("/title")], "rules": Self.rules,
    ]
  }

  /// A run whose list of findings was full as well.
  private var crowdedRun: JSONValue {
    [
      "type": "upload", "run": "r", "stage": "finished", "media": [], "records": [],
      "findings": [tooShort("/name"), tooShort("/title")], "findingCounts": ["error": 24_000],
      "rules": Self.rules,
    ]
  }

  @Test(arguments: [
    (ReportForm.html, "× 24000 (2 listed)"), (.markdown, "Hero × 24000 (2 listed)"),
    (.junit, "message=\"× 24000: expected at least 3 characters\""),
  ])
  func `a rule whose findings are not all listed has its whole count`(
    form: ReportForm,
    count: String
  ) {
    for stage in [crowded, crowdedRun] {
      let text = form.text(of: SampleReport.report([stage]))
      #expect(text.contains(count), "\(text)")
    }
  }

  @Test func `a rule has the findings of a stage that lists each of them as well`() {
    let few: JSONValue = [
      "type": "validation", "valid": false, "faults": 3, "entities": [],
      "findings": [tooShort("/a"), tooShort("/b"), tooShort("/c")],
    ]
    let text = ReportForm.markdown.text(of: SampleReport.report([few, crowdedRun]))
    #expect(text.contains("Hero × 24003 (5 listed)"), "\(text)")
  }

  @Test func `unlisted warnings of a rule are no errors`() throws {
    var object = try #require(crowdedRun.object)
    var warning = try #require(tooShort("/name").object)
    warning["severity"] = "warning"
    object["findings"] = [tooShort("/name"), .object(warning)]
    object["rules"] = .array(
      [("error", 1), ("warning", 24_000)].map { severity, count in
        [
          "entity": "Hero", "code": "schema.minLength", "severity": .string(severity),
          "count": .whole(count),
        ]
      }
    )
    let text = ReportForm.junit.text(of: SampleReport.report([.object(object)]))
    #expect(text.contains("message=\"expected at least 3 characters\""), "\(text)")
    #expect(text.contains("… and 23999 more</system-out>"), "\(text)")
  }

  @Test func `a code that a destination made up is hidden in the counts of rules too`() throws {
    var object = try #require(crowdedRun.object)
    object["rules"] = [["entity": "Hero", "code": "Ada's name is taken", "count": 24_000]]
    let text = SampleReport.report([.object(object)]).value.canonicalText
    #expect(text.contains(#""code":"unlisted.code","count":24000"#))
    #expect(!text.contains("Ada's name"))
  }

  @Test func `reports are compared by the whole counts of their rules`() {
    let before: JSONValue = [
      "type": "validation", "valid": false, "faults": 2, "entities": [],
      "findings": [tooShort("/name"), tooShort("/title")],
    ]
    let comparison = ReportComparison(
      SampleReport.report([crowded]),
      since: SampleReport.report([before])
    )
    #expect(comparison.findings.map(\.before) == [2])
    #expect(comparison.findings.map(\.now) == [24_000])
  }

  @Test func `a quarantined record with a fault is one finding`() {
    let quarantined: JSONValue = [
      "type": "plan", "run": "r", "stage": "planning", "media": [], "records": [],
      "findings": [
        [
          "code": "record.quarantined", "severity": "error", "entity": "Hero", "record": "hero-1",
          "pointer": "", "cause": "it is not valid and is quarantined", "cure": "repair it",
        ],
        [
          "code": "record.quarantined", "severity": "error", "entity": "Hero", "record": "hero-9",
          "pointer": "", "cause": "it is not valid and is quarantined", "cure": "repair it",
        ],
      ],
      "findingCounts": ["error": 2],
    ]
    let report = SampleReport.report([SampleReport.validation, quarantined])
    #expect(report.findings.compactMap(\.record) == ["hero-1", "hero-2", "hero-9"])
    // Three faults of the validation, of which two are listed, and one record of the plan.
    #expect(ReportForm.markdown.text(of: report).contains("4 errors"))
  }

  @Test func `notes are folded, and errors and warnings come before them`() throws {
    let note: JSONValue = [
      "type": "plan", "run": "r", "stage": "planning", "media": [], "records": [],
      "findings": [
        [
          "code": "plan.absent", "severity": "note", "entity": "Hero", "pointer": "",
          "cause": "a", "cure": "b",
        ]
      ],
    ]
    let report = SampleReport.report([note, SampleReport.validation])
    let text = ReportForm.markdown.text(of: report)
    #expect(text.ranges(of: "<details><summary>1 note</summary>").count == 1)
    #expect(text.ranges(of: "<details>").count == text.ranges(of: "</details>").count)
    let page = ReportForm.html.text(of: report)
    let notes = try #require(page.range(of: "<details class=\"notes\"><summary>1 note</summary>"))
    let error = try #require(page.range(of: "<details class=\"finding error\">"))
    #expect(error.lowerBound < notes.lowerBound)
  }

  @Test func `every column of a table on the page has a heading`() {
    let page = ReportForm.html.text(of: SampleReport.report([SampleReport.export, stage]))
    #expect(!page.contains("<th></th>"))
    #expect(page.ranges(of: "<table").count > 0)
  }

  /// The contrast of two colours.
  ///
  /// https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
  private func contrast(_ left: String, _ right: String) -> Double {
    func luminance(_ text: String) -> Double {
      let digits = text.dropFirst().flatMap { text.count == 4 ? [$0, $0] : [$0] }
      let parts = [0, 2, 4].map { start in
        Double(Int(String(digits[start...start + 1]), radix: 16) ?? 0) / 255
      }.map { $0 <= 0.03928 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    let (one, two) = (luminance(left), luminance(right))
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  @Test func `every colour of text stands out from both grounds`() throws {
    let page = ReportForm.html.text(of: SampleReport.report())
    let palettes = page.matches(of: /:root \{([^}]*)\}/).map { String($0.1) }
    #expect(palettes.count == 2)
    for palette in palettes {
      var colours: [String: String] = [:]
      for match in palette.matches(of: /--([a-z]+): (#[0-9a-f]{3,6})/) {
        colours[String(match.1)] = String(match.2)
      }
      for ground in ["paper", "card"] {
        for name in ["ink", "faint", "good", "quiet", "open", "bad", "entity"] {
          let (text, under) = (try #require(colours[name]), try #require(colours[ground]))
          #expect(contrast(text, under) >= 4.5, "\(name) on \(ground)")
        }
      }
    }
  }

  // MARK: Places

  @Test func `an annotation of an exported record names the store, not the package`() {
    var report = SampleReport.report()
    report.command = "migrate"
    report.subject = "store/app.sqlite"
    let lines = Annotations.lines(of: report)
    #expect(lines.allSatisfy { !$0.contains("file=") || $0.contains("file=store/app.sqlite,") })
    #expect(lines.contains { $0.contains("file=store/app.sqlite,title=schema.minLength") })
  }

  private func end(_ reason: String) -> ReportEnd {
    ReportEnd(status: 12, name: "mismatch", mayRetry: false, reason: reason)
  }

  @Test func `each fault of a profile has a line of its own`() {
    var report = SampleReport.report([], status: 12)
    report.end = end("p.yaml:1: first\np.yaml:2: second")
    #expect(
      ReportForm.markdown.text(of: report).contains("> p.yaml:1: first\n>\n> p.yaml:2: second\n")
    )
    #expect(ReportForm.html.text(of: report).contains("p.yaml:1: first<br>p.yaml:2: second"))
  }

  @Test func `a profile's faults are marked at their lines`() {
    var report = SampleReport.report([], status: 12)
    report.end = end("store/profile.yaml:7: “entities” is missing\nstore/profile.yaml:72: a key")
    #expect(
      Annotations.lines(of: report) == [
        "::error file=store/profile.yaml,line=7,title=ferry upload::“entities” is missing",
        "::error file=store/profile.yaml,line=72,title=ferry upload::a key",
      ]
    )
    #expect(
      Annotations.lines(of: report) { _ in nil }.allSatisfy { $0.hasPrefix("::error title=") }
    )
    report.end = end("127.0.0.1:80: refused")
    #expect(
      Annotations.lines(of: report) == ["::error title=ferry upload::127.0.0.1:80: refused"]
    )
  }

  @Test(arguments: [ReportForm.markdown, .html])
  func `a command that stopped does not say that there are no findings`(form: ReportForm) {
    var report = SampleReport.report([SampleReport.export], status: 12)
    report.end = end("the profile is wrong")
    let text = form.text(of: report)
    #expect(!text.contains("No findings") && !text.contains("<p>None.</p>"))
  }

  @Test func `SARIF places an exported record at the store`() throws {
    var report = SampleReport.report()
    report.command = "migrate"
    report.subject = "store/app.sqlite"
    let value = try JSONValue(parsing: ReportForm.sarif.text(of: report))
    let place = value.value(at: "/runs/0/results/0/locations/0/physicalLocation")
    #expect(place?["artifactLocation"]?["uri"] == "store/app.sqlite")
    #expect(place?["region"] == nil)
  }

  @Test func `a difference of two models that loses data is an error`() {
    let stage: JSONValue = [
      "type": "comparison", "lossy": true,
      "differences": [
        [
          "code": "model.attribute-removed", "severity": "lossy", "entity": "Hero",
          "property": "name", "pointer": "/name", "cause": "it is gone", "cure": "keep it",
        ],
        [
          "code": "model.attribute-added", "severity": "compatible", "entity": "Hero",
          "property": "age", "pointer": "/age", "cause": "it is new", "cure": "none",
        ],
      ],
    ]
    let report = SampleReport.report([stage], status: 6)
    #expect(report.findings.map(\.severity) == [.error, .note])
    #expect(report.findings.map(\.place) == ["Hero /name", "Hero /age"])
  }

  @Test func `quarantined records are on the page with their faults and fields`() {
    let stage: JSONValue = [
      "type": "quarantined", "count": 1_001,
      "records": [
        [
          "entity": "Hero", "record": "h1",
          "findings": [
            [
              "code": "schema.minLength", "severity": "error", "entity": "Hero", "record": "h1",
              "pointer": "/name", "cause": "expected at least 3 characters", "cure": "lengthen it",
            ]
          ],
          "fields": [["name": "name", "content": ["kind": "string", "length": 2, "value": "Al"]]],
        ]
      ],
    ]
    let page = ReportForm.html.text(of: SampleReport.report([stage], showsValues: true))
    #expect(page.contains("1001 records are set apart and not sent."))
    #expect(page.contains("<li>/name: expected at least 3 characters [schema.minLength]</li>"))
    #expect(page.contains("<th scope=\"row\">name</th><td>Al</td>"))
    #expect(page.contains("… and 1000 more."))
  }
}
