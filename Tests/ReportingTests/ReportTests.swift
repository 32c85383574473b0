import Foundation
import JSONText
import RecordDiffs
import Records
import Reporting
import SchemaValidation
import Schemas
import Testing
import UploadPlanning

struct ReportTests {
  private func faults(of value: JSONValue) throws -> [String] {
    let name = "ferry.report.v1.schema.json"
    let bytes = try #require(PublishedSchemas.bytes(named: name))
    let schema = try SchemaSet(schemas: [(name, bytes)]).schema(at: name)
    let document = JSONDocument()
    try document.parse(copying: value.canonicalBytes)
    return schema.faults(document, document.root).map(\.description)
  }

  @Test func `a report obeys its published schema`() throws {
    #expect(try faults(of: SampleReport.report().value) == [])
  }

  @Test func `a report with a comparison obeys its published schema`() throws {
    var report = SampleReport.report()
    report.comparison = ReportComparison(report, since: SampleReport.report([]))
    #expect(try faults(of: report.value) == [])
  }

  @Test func `a run whose list of findings is full obeys the schema with the counts of its rules`()
    throws
  {
    var object = try #require(SampleReport.upload.object)
    object["rules"] = [
      ["entity": .null, "code": "upload.rejected", "severity": "error", "count": 24_000]
    ]
    #expect(try faults(of: SampleReport.report([.object(object)]).value) == [])
  }

  @Test func `a report with a plan's diff obeys its published schema`() throws {
    var diff = DiffStage(DiffText(showsValues: true))
    let record = RecordID(entity: "Hero", key: "h1")
    diff.add(RecordDiff(record: record, action: .update, fields: []))
    #expect(try faults(of: SampleReport.report([diff.value]).value) == [])
  }

  @Test func `a written report is read back as the same`() throws {
    let report = SampleReport.report()
    #expect(Report(try JSONValue(parsing: report.value.prettyText)) == report)
  }

  @Test func `a report of a newer major version is not read`() throws {
    var object = try #require(SampleReport.report().value.object)
    object["format"] = "2.0"
    #expect(Report(.object(object)) == nil)
  }

  @Test func `each line of the event form obeys the schema, and the summary is the last`() throws {
    let lines = try ReportForm.ndjson.text(of: SampleReport.report()).split(separator: "\n")
      .map { try JSONValue(parsing: String($0)) }
    #expect(
      lines.map { $0["type"]?.text } == ["began", "export", "validation", "upload", "summary"]
    )
    for line in lines { #expect(try faults(of: line) == []) }
  }

  @Test func `the format of a report follows its file's ending or a name`() {
    let forms = [
      "a.json", "a.ndjson", "a.md", "a.html", "junit.xml", "a.sarif", "a.sarif.json", "md=a.txt",
      "sarif=-",
    ].map { ReportTarget(parsing: $0)?.form }
    #expect(
      forms == [.json, .ndjson, .markdown, .html, .junit, .sarif, .sarif, .markdown, .sarif]
    )
    #expect(ReportTarget(parsing: "a.txt") == nil)
    #expect(ReportTarget(parsing: "html=") == nil)
  }

  @Test func `a comparison lists each number and each rule that changed`() throws {
    let before = SampleReport.report()
    let fewer: JSONValue = [
      "type": "upload", "run": "r", "stage": "finished", "media": [], "findings": [],
      "records": [SampleReport.line("Hero", ["created": 4])],
    ]
    let now = SampleReport.report([SampleReport.export, SampleReport.validation, fewer], status: 0)
    let comparison = ReportComparison(now, since: before)
    let words = (comparison.outcomes + comparison.findings).map {
      "\($0.stage) \($0.entity ?? "") \($0.name) \($0.before)→\($0.now)"
    }
    #expect(
      words == [
        "upload Hero created 3→4", "upload Hero rejected 1→0", "upload Story created 7→0",
        "upload Story unmapped 2→0", "upload Hero upload.rejected 1→0",
        "upload Story plan.unmapped 1→0",
      ]
    )
    #expect(ReportComparison(before, since: before).isEmpty)
  }

  @Test func `a verification counts the records that a conflict left to the destination`() throws {
    let stage = try #require(
      ReportStage([
        "type": "verification", "clean": true, "findings": [],
        "entities": [
          [
            "entity": "Hero", "same": 5, "different": 0, "conflicted": 2, "missing": 0, "unsent": 0,
            "untracked": 0, "leftOut": 1,
          ]
        ],
      ])
    )
    #expect(stage.lines[0].total == 8)
    #expect(stage.outcomeNames == ["same", "in conflict", "left out"])
    let report = SampleReport.report([stage.value], status: 0)
    #expect(ReportForm.markdown.text(of: report).contains("| Hero | 8 | 5 | 2 | 1 |"))
    #expect(ReportForm.junit.text(of: report).contains("failures=\"0\""))
    #expect(!ReportForm.junit.text(of: report).contains("<failure"))
  }

  @Test(arguments: [Int64.max, .min]) func `numbers of a report stay within the range of a run`(
    number: Int64
  ) throws {
    let stage = try #require(
      ReportStage([
        "type": "upload", "media": [], "findings": [], "findingCount": .number(JSONNumber(number)),
        "records": [
          [
            "entity": "Hero", "read": .number(JSONNumber(number)),
            "created": .number(JSONNumber(number)),
          ]
        ],
      ])
    )
    let bounds = 0...(1 << 42)
    #expect(bounds.contains(stage.lines[0].total))
    #expect(bounds.contains(stage.count("created")))
    #expect(bounds.contains(stage.findingCount))
  }

  @Test func `every code that the sources name is in the catalogue of rules`() throws {
    let known = Set(ReportRule.known.map(\.code))
    let families = Set(known.filter { $0.contains(".") }.map { $0.prefix { $0 != "." } })
    // What a package counts by, what ends an export, and the names of files are no codes of findings.
    let others: Set = ["store.unread", "value.unreadable", "profile.yaml", "model.json"]
    var unknown: Set<String> = []
    var interpolated: Set<String> = []
    for (path, text) in try Self.sources() {
      var codes: [String] = []
      for match in text.matches(of: /"([a-z]+)\.([A-Za-z0-9$_-]+)"/)
      where families.contains(match.1) { codes.append("\(match.1).\(match.2)") }
      for match in text.matches(of: /"([a-z]+)\.\\\(/) where families.contains(match.1) {
        interpolated.insert("\(match.1) in \(path.split(separator: "/").last ?? "")")
      }
      codes += Self.makers.filter { path.contains($0.file) }.flatMap { maker in
        text.matches(of: maker.code).map { maker.family + $0.1 }
      }
      for code in codes where !known.contains(code) && !others.contains(code) {
        unknown.insert("\(code) in \(path)")
      }
    }
    #expect(unknown == [])
    // Each of these makes codes of a few words, or counts media by their state.
    #expect(
      interpolated == [
        "import in ResultLedger+Stored.swift", "media in ExportStage.swift",
        "media in FetchedMedia.swift", "media in PackagedMedia.swift",
        "upgrade in UpgradeStep.swift",
      ]
    )
  }

  /// Where a code is put together from its family and a word.
  private static var makers: [(file: String, code: Regex<(Substring, Substring)>, family: String)] {
    [
      ("Records/EntityComparison", /add\(\s*"([a-z-]+)"/, "model."),
      ("Records/EntityComparison", /\? "([a-z]+-[a-z-]+)" :/, "model."),
      ("Records/EntityComparison", /: "([a-z]+-[a-z-]+)",/, "model."),
      ("RecordUpgrades/UpgradeStep", /fault\("([a-z-]+)"/, "upgrade."),
      ("SchemaValidation/FaultCollector", /\badd\(\s*"([A-Za-z]+)"/, "schema."),
      ("LegacyFiles/", /LegacyNote\(\s*code: "([a-z-]+)"/, ""),
      ("LegacyFiles/", /\bnote\("([a-z-]+)"/, ""),
    ]
  }

  private static func sources() throws -> [(path: String, text: String)] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    return try FileManager.default.subpathsOfDirectory(atPath: root.path())
      .filter {
        $0.hasSuffix(".swift") && !$0.hasPrefix("DevelopmentBackend")
          && !$0.hasSuffix("ReportRule.swift")
      }
      .map { ($0, try String(contentsOf: root.appending(path: $0), encoding: .utf8)) }
  }
}
