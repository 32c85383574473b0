import Foundation
import JSONText
import TestSupport
import Testing

extension InspectTests {
  @Test(arguments: [[], ["--format", "mermaid"]])
  func `what one store holds is reported in every form`(more: [String]) async throws {
    try await withTemporaryFolder { folder in
      let endings = ["json", "ndjson", "md", "html", "xml", "sarif"]
      let flags = endings.flatMap { ["--report", "\(folder)/r.\($0)"] }
      try await inspect([store] + flags + more).exits(0)
      func text(_ ending: String) throws -> String { try String(at: "\(folder)/r.\(ending)") }
      let report = try JSONValue(parsing: text("json"))
      #expect(try PublishedForm.faults(of: report, under: "ferry.report.v1.schema.json") == [])
      #expect(report.value(at: "/stages/0/type") == "inspection")
      let heroes = report.value(at: "/stages/0/entities")?.array?.first { $0["entity"] == "Hero" }
      #expect(heroes?["rows"] == 24)
      #expect(try text("md").contains("| Hero | 24 | 24 |"))
      #expect(try text("html").contains("<th scope=\"row\">Hero</th><td>24</td>"))
      #expect(try text("xml").contains("<testcase classname=\"ferry.inspection\" name=\"Hero\""))
      let sarif = try JSONValue(parsing: text("sarif"))
      #expect(sarif.value(at: "/runs/0/invocations/0/exitCode") == 0)
      #expect(try text("ndjson").split(separator: "\n").count == 3)
    }
  }

  @Test func `a folder's report has the folder and its store`() async throws {
    try await withTemporaryFolder { folder in
      let file = "\(folder)/r.json"
      try await inspect([Samples.infiniteStories.folder, "--report", file]).exits(0)
      let report = try JSONValue(parsing: String(at: file))
      #expect(try PublishedForm.faults(of: report, under: "ferry.report.v1.schema.json") == [])
      let stages = report["stages"]?.array?.compactMap { $0["type"]?.text }
      #expect(stages == ["container", "inspection"])
    }
  }

  @Test(arguments: [[], ["--format", "mermaid"]])
  func `how two models differ is reported in every form`(more: [String]) async throws {
    try await withTemporaryFolder { folder in
      let endings = ["json", "ndjson", "md", "html", "xml", "sarif"]
      let flags = endings.flatMap { ["--report", "\(folder)/r.\($0)"] }
      try await inspect([later, store] + flags + more).exits(6)
      func text(_ ending: String) throws -> String { try String(at: "\(folder)/r.\(ending)") }
      let (newer, older) = (
        "Samples/infinite-stories/later.store", "Samples/infinite-stories/default.store"
      )
      let report = try JSONValue(parsing: text("json"))
      #expect(try PublishedForm.faults(of: report, under: "ferry.report.v1.schema.json") == [])
      #expect(report["subject"] == .string(older))
      #expect(report.value(at: "/stages/0/from/path") == .string(newer))
      #expect(try text("md").contains("- compared with: `\(newer)`"))
      #expect(try text("html").contains("<dt>compared with</dt><dd><code>\(newer)</code>"))
      #expect(try text("xml").contains("<property name=\"compared with\" value=\"\(newer)\"/>"))
      let run = try JSONValue(parsing: text("sarif")).value(at: "/runs/0")
      #expect(run?.value(at: "/properties/compared with") == .string(newer))
      for ending in ["md", "html", "xml"] {
        #expect(try text(ending).contains("model.attribute-removed"), "\(ending)")
      }
      let errors = run?["results"]?.array?.filter { $0["level"] == "error" } ?? []
      #expect(errors.contains { $0["ruleId"] == "model.attribute-removed" })
      let lines = try text("ndjson").split(separator: "\n").map {
        try JSONValue(parsing: String($0))
      }
      #expect(lines.map { $0["type"]?.text } == ["began", "comparison", "summary"])
    }
  }

  // 001-21.
  @Test func `a later model version that only adds loses no data`() async throws {
    let finished = try await inspect([store, later, "--format", "json"]).exits(0)
    let comparison = try JSONValue(parsing: finished.standardOutput)
    #expect(comparison["lossy"] == false)
    #expect(comparison["differences"]?.array?.isEmpty == false)
  }

  @Test func `going back loses the data that only the later version has`() async throws {
    let finished = try await inspect([later, store, "--format", "json"]).exits(6)
    let codes = try JSONValue(parsing: finished.standardOutput)["differences"]?.array?
      .compactMap { $0["code"]?.text }
    #expect(codes?.contains("model.attribute-removed") == true)
  }

  @Test func `the model is drawn as a Mermaid diagram`() async throws {
    let finished = try await inspect([store, "--format", "mermaid"]).exits(0)
    let lines = finished.standardOutput.split(separator: "\n")
    #expect(lines.first == "erDiagram")
    #expect(lines.contains { $0.contains("Hero") && $0.contains("o{ Story") })
  }

  @Test func `the difference of two models is drawn as a Mermaid diagram`() async throws {
    let finished = try await inspect([later, store, "--format", "mermaid"]).exits(6)
    let lines = finished.standardOutput.split(separator: "\n")
    #expect(lines.first == "erDiagram")
    let removed = lines.filter { $0.contains("lossy model.attribute-removed") }
    #expect(!removed.isEmpty, "\(finished.standardOutput)")
    let remarks = lines.filter { $0.hasPrefix("  %% lossy: ") }
    #expect(remarks.count >= removed.count, "\(finished.standardOutput)")
    #expect(lines.contains { $0.contains("Hero") && $0.contains("o{ Story") })
  }

  @Test func `a plain database is inspected as a store`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/plain.db"
      try Python.run([
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); "
          + "c.execute('CREATE TABLE bottle(id INTEGER PRIMARY KEY, name TEXT NOT NULL)'); "
          + "c.execute(\"INSERT INTO bottle VALUES(1,'a')\"); c.commit()",
        path,
      ])
      let finished = try await inspect([path, "--format", "ndjson"])
      let inspection = try #require(try values(finished).first)
      #expect(inspection["kind"] == "sqlite")
      #expect(inspection["entities"]?.array?.first?["rows"] == 1)
    }
  }

  @Test func `keys of the system are reported with the option that reads them`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/com.example.notes.plist"
      let text =
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>AppleLocale</key>"
        + "<string>de</string></dict></plist>"
      try text.save(to: path)
      let lines = try await inspect([path]).standardOutput.split(separator: "\n")
      let line = lines.first { $0.contains("AppleLocale") } ?? ""
      #expect(line.contains("--system-keys") && !line.contains("tables"))
    }
  }

  @Test func `unread tables are reported as unread`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/plain.db"
      try Python.edit(path, "CREATE TABLE bottle (id)", "CREATE VIEW full AS SELECT * FROM bottle")
      let finished = try await inspect([path])
      #expect(finished.standardOutput.contains("tables that are not read: full"))
    }
  }
}
