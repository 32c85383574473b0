import Foundation
import JSONText
import Reporting
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

struct FormTests {
  private func many(_ count: Int) -> JSONValue {
    let findings = (0..<count).map { number -> JSONValue in
      [
        "code": "media.missing", "severity": "error", "entity": .string("E\(number)"),
        "record": .string("r\(number)"), "pointer": "",
        "cause": .string("missing " + String(repeating: "x", count: 200)), "cure": "find it",
      ]
    }
    return [
      "type": "upload", "run": "r", "stage": "s", "media": [], "findings": .array(findings),
      "records": [SampleReport.line("Hero", ["created": 1])],
    ]
  }

  // MARK: Markdown

  @Test func `a Markdown report fits a comment, and counts the findings left out`() {
    let text = ReportForm.markdown.text(of: SampleReport.report([many(5_000)]))
    #expect(text.utf8.count < 60_000)
    #expect(text.contains("more kinds of findings"))
    #expect(text.contains("ferry verify"))
  }

  @Test func `no text from the data becomes a mark, a mention or HTML`() {
    let stage: JSONValue = [
      "type": "upload", "run": "r", "stage": "s", "media": [],
      "records": [SampleReport.line("A|B<img>", ["created": 1])],
      "findings": [
        [
          "code": "plan.conflict", "severity": "error", "pointer": "", "record": "@everyone",
          "entity": "<script>", "cause": "[x](http://evil) | `y`", "cure": "</details>",
        ]
      ],
    ]
    let text = ReportForm.markdown.text(of: SampleReport.report([stage]))
    for mark in ["<script>", "<img>", "@everyone", "[x](", "| `y`", "A|B"] {
      #expect(!text.contains(mark), "\(mark)")
    }
    let page = ReportForm.html.text(of: SampleReport.report([stage]))
    #expect(!page.contains("<script") && !page.contains("<img"))
  }

  @Test(arguments: [77, 78, 79, 80])
  func `a name that is cut in Markdown ends with no half of an escape`(length: Int) throws {
    let name = String(repeating: "x", count: length) + "@a"
    let stage: JSONValue = [
      "type": "upload", "run": "r", "stage": "s", "media": [], "findings": [],
      "records": [SampleReport.line(name, ["created": 1])],
    ]
    let text = ReportForm.markdown.text(of: SampleReport.report([stage]))
    let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| xxx") })
    #expect(row.contains("x… | 1 |"), "\(row)")
  }

  @Test(arguments: [ReportForm.markdown, .html])
  func `entities without records are counted and not listed`(form: ReportForm) {
    let stage: JSONValue = [
      "type": "upload", "run": "r", "stage": "s", "media": [], "findings": [],
      "records": [
        SampleReport.line("Hero", ["created": 1]), SampleReport.line("Tag", [:]),
        SampleReport.line("Mark", [:]),
      ],
    ]
    let text = form.text(of: SampleReport.report([stage]))
    #expect(text.contains("Hero") && !text.contains("Tag") && !text.contains("Mark"))
    #expect(text.contains("2 entities without records are not listed."))
  }

  @Test func `the words of a Markdown finding are seen before it is unfolded`() {
    let text = ReportForm.markdown.text(of: SampleReport.report([many(1)]))
    let summary = text.split(separator: "\n").first { $0.contains("<summary>") }
    #expect(summary?.contains(many(1)["findings"]?.array?.first?["cause"]?.text ?? "?") == true)
  }

  @Test func `no value ends a Markdown code span early`() throws {
    var report = SampleReport.report()
    report.subject = "a`\u{300}b\n@everyone\u{1B}[2J"
    let text = ReportForm.markdown.text(of: report)
    #expect(!text.unicodeScalars.contains("\u{1B}"))
    #expect(text.contains("b @everyone"))
    let line = try #require(text.unicodeScalars.split(separator: "\n").dropFirst().first)
    #expect(line.count { $0 == "`" } == 2)
  }

  @Test(arguments: [ReportForm.json, .ndjson, .sarif])
  func `no JSON output has a character that reverses or hides text`(
    form: ReportForm
  ) throws {
    let hidden = "a\u{7F}\u{9B}\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}\u{2029}\u{E0041}z 👩‍🚀 שלום"
    let stage: JSONValue = [
      "type": "upload", "run": "r", "stage": "s", "media": [], "records": [],
      "findings": [
        [
          "code": "plan.conflict", "severity": "error", "pointer": "", "record": .string(hidden),
          "entity": "Hero", "cause": .string(hidden), "cure": "none",
        ]
      ],
    ]
    let text = form.text(of: SampleReport.report([stage]))
    for scalar in text.unicodeScalars where scalar != "\u{200D}" {
      let category = scalar.properties.generalCategory
      #expect(category != .format && (category != .control || scalar == "\n"), "\(scalar.value)")
    }
    #expect(text.contains("\\u202e") && text.contains("\\udb40\\udc41") && text.contains("👩‍🚀"))
    for line in form == .ndjson ? text.split(separator: "\n").map(String.init) : [text] {
      _ = try JSONValue(parsing: line)
    }
  }

  @Test func `Markdown lists the changes against an earlier report`() {
    var report = SampleReport.report()
    let nothing: JSONValue = [
      "type": "upload", "run": "r", "stage": "finished", "media": [], "findings": [], "records": [],
    ]
    report.comparison = ReportComparison(report, since: SampleReport.report([nothing], status: 0))
    let text = ReportForm.markdown.text(of: report)
    #expect(text.contains("Exit status: 0 → **3**"))
    #expect(text.contains("| upload | Hero | created | 0 | 3 | +3 |"))
  }

  @Test(arguments: [ReportForm.markdown, .html])
  func `a stage that only one of two reports has is named without its numbers`(
    form: ReportForm
  ) {
    var report = SampleReport.report([SampleReport.export, SampleReport.upload])
    let earlier = SampleReport.report([SampleReport.export, SampleReport.validation])
    report.comparison = ReportComparison(report, since: earlier)
    #expect(report.comparison?.outcomes == [] && report.comparison?.findings == [])
    let text = form.text(of: report)
    #expect(text.contains("Not compared: validation, which only the earlier report has."))
    #expect(text.contains("Not compared: upload, which only this report has."))
    #expect(!text.contains("before"))
  }

  // MARK: HTML

  @Test func `HTML needs neither network nor script`() {
    let text = ReportForm.html.text(of: SampleReport.report())
    for word in ["<script", "src=", "href=", "url(", "@import", "http:", "https:"] {
      #expect(!text.contains(word), "\(word)")
    }
    #expect(text.contains("default-src 'none'"))
  }

  @Test func `the picture of times explains only the lines that it has`() {
    var report = SampleReport.report()
    var page: String { ReportForm.html.text(of: report) }
    #expect(page.contains("A line in a bar is its speed") && page.contains("line is a pause"))
    report.timeline[0].pauses = []
    #expect(page.contains("A line in a bar is its speed") && !page.contains("line is a pause"))
    report.timeline[0].samples = []
    #expect(page.contains("Time and speed") && !page.contains("A line in a bar"))
  }

  @Test(arguments: [ReportForm.html, .junit])
  func `the markup is well formed`(form: ReportForm) throws {
    let text = form.text(of: SampleReport.report())
      .replacing("<!doctype html>\n", with: "")
      .replacing(#"<meta charset="utf-8">"#, with: "")
      .replacing(/<meta [^>]*>/, with: "")
      .replacing(/<input ([^>]*?)( checked)?>/) { "<input \($0.1)/>" }
      .replacing("<br>", with: "<br/>")
    let document = try XMLDocument(xmlString: text)
    #expect(document.rootElement()?.childCount ?? 0 > 0)
  }

  @Test func `the picture of the flow has a band for each entity and outcome`() {
    let text = ReportForm.html.text(of: SampleReport.report())
    for words in ["Hero: 3 created", "Hero: 1 rejected", "Story: 7 created", "Story: 2 unmapped"] {
      #expect(text.contains("<title>\(words)</title>"), "\(words)")
    }
    #expect(text.matches(of: #/class="band /#).count == 4)
  }

  // MARK: JUnit

  private func junit(_ report: Report) throws -> [XMLElement] {
    let document = try XMLDocument(xmlString: ReportForm.junit.text(of: report))
    return try document.nodes(forXPath: "/testsuites/testsuite").compactMap { $0 as? XMLElement }
  }

  @Test func `JUnit has a suite for each stage and a case for each entity and rule`() throws {
    let suites = try junit(SampleReport.report())
    #expect(
      suites.map { $0.attribute(forName: "name")?.stringValue } == [
        "export", "validation", "upload", "exit",
      ]
    )
    let cases = suites[2].elements(forName: "testcase")
      .compactMap { $0.attribute(forName: "name")?.stringValue }
    #expect(cases == ["Hero", "Story", "Hero upload.rejected", "Story plan.unmapped"])
  }

  @Test func `errors fail a case, warnings do not`() throws {
    let failed = try junit(SampleReport.report())[2].elements(forName: "testcase")
      .filter { !$0.elements(forName: "failure").isEmpty }
      .compactMap { $0.attribute(forName: "name")?.stringValue }
    #expect(failed == ["Hero", "Hero upload.rejected"])
  }

  @Test func `a command that stopped before any stage is a failed case`() throws {
    let suites = try junit(SampleReport.report([], status: 10))
    #expect(suites.count == 1)
    #expect(suites[0].attribute(forName: "failures")?.stringValue == "1")
    let good = try junit(SampleReport.report([], status: 0))
    #expect(good[0].attribute(forName: "failures")?.stringValue == "0")
  }

  // MARK: SARIF

  private func sarif(_ report: Report) throws -> JSONValue {
    let value = try JSONValue(parsing: ReportForm.sarif.text(of: report))
    #expect(value["version"] == "2.1.0")
    return try #require(value["runs"]?[0])
  }

  @Test func `SARIF names rules by their codes, the gravest findings first`() throws {
    let run = try sarif(SampleReport.report())
    let rules = try #require(run.value(at: "/tool/driver/rules")?.array)
    let results = try #require(run["results"]?.array)
    #expect(results.count == 4)
    #expect(results.map { $0["level"]?.text } == ["error", "error", "error", "warning"])
    for result in results {
      let index = try #require(result["ruleIndex"]?.integer)
      #expect(rules[Int(index)]["id"] == result["ruleId"])
    }
  }

  @Test func `SARIF keeps the run of a store that a later stage lists without one`() throws {
    let stages = [["run": "r-1"], [:]].map { (line: JSONObject) -> JSONValue in
      var line = line
      line["entity"] = "a.store"
      return ["type": "fleet", "stores": [.object(line)]]
    }
    let run = try sarif(SampleReport.report(stages, status: 0))
    #expect(run["properties"]?["runs"] == ["a.store": "r-1"])
  }

  @Test func `SARIF is a whole document when nothing was found`() throws {
    let run = try sarif(SampleReport.report([SampleReport.export], status: 0))
    #expect(run["results"]?.array?.isEmpty == true)
    #expect(run.value(at: "/tool/driver/rules")?.array?.count == ReportRule.known.count)
    #expect(run.value(at: "/invocations/0/executionSuccessful") == true)
  }

  @Test func `SARIF places a finding in the package's file by a relative path`() throws {
    let result = try #require(try sarif(SampleReport.report())["results"]?[0])
    let place = result.value(at: "/locations/0/physicalLocation")
    #expect(place?["artifactLocation"]?["uri"] == "out/p.ferry/data/Hero-00001.jsonl")
    #expect(place?["region"]?["startLine"] == 3)
  }

  @Test func `the same finding has the same fingerprint in another run`() throws {
    func prints(_ report: Report) throws -> [JSONValue?] {
      try (sarif(report)["results"]?.array ?? []).map { $0.value(at: "/partialFingerprints") }
    }
    let first = try prints(SampleReport.report())
    var later = SampleReport.report()
    later.began = "2027-01-01T00:00:00Z"
    #expect(try prints(later) == first)
    #expect(Set(first.map { $0?.canonicalText ?? "" }).count == 4)
  }

  @Test func `a SARIF report lists as many findings as services take, and counts the rest`() throws
  {
    let run = try sarif(SampleReport.report([many(5_003)]))
    #expect(run["results"]?.array?.count == 5_000)
    let notice = run.value(at: "/invocations/0/toolExecutionNotifications/0/message/text")?.text
    #expect(notice == "3 findings more, not listed")
  }

  // MARK: Annotations

  @Test func `annotations are ten of a kind at most, the last of which counts the rest`() {
    let lines = Annotations.lines(of: SampleReport.report([many(30)]))
    #expect(lines.count { $0.hasPrefix("::error ") } == 10)
    #expect(lines.contains { $0.hasSuffix("::21 more kinds of findings") })
  }

  @Test func `an annotation is one line, regardless of the finding`() {
    let stage: JSONValue = [
      "type": "upload", "run": "r", "stage": "s", "media": [], "records": [],
      "findings": [
        [
          "code": "plan.conflict", "severity": "error", "pointer": "",
          "cause": "a\n::error::forged 100%", "cure": "",
        ]
      ],
    ]
    let lines = Annotations.lines(of: SampleReport.report([stage], status: 0))
    #expect(lines == ["::error title=plan.conflict::a%0A::error::forged 100%25"])
  }
}
