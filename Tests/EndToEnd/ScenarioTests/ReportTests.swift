import Foundation
import JSONText
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The report files that a run leaves, of the real program against the real server.
@Suite(.timeLimit(.minutes(3))) struct ReportTests {
  static let endings = ["json", "ndjson", "md", "html", "xml", "sarif"]

  func flags(_ folder: String, _ name: String) -> [String] {
    Self.endings.flatMap { ["--report", "\(folder)/\(name).\($0)"] }
  }

  func text(_ folder: String, _ name: String) throws -> String {
    try String(at: "\(folder)/\(name)")
  }

  func report(_ folder: String, _ name: String) throws -> JSONValue {
    let value = try JSONValue(parsing: text(folder, name + ".json"))
    #expect(try PublishedForm.faults(of: value, under: "ferry.report.v1.schema.json") == [])
    return value
  }

  func stages(of report: JSONValue) -> [String] {
    (report["stages"]?.array ?? []).compactMap { $0["type"]?.text }
  }

  @Test func `a migration writes all six forms of one report`() async throws {
    try await withScenario { scenario in
      let answer = try await scenario.migrate(flags(scenario.folder, "r")).exits(0)
      let report = try report(scenario.folder, "r")
      #expect(stages(of: report) == ["export", "validation", "upload", "verification"])
      #expect(report.value(at: "/end/status") == 0)
      #expect(report["stages"]?[2] == answer.value("upload"))
      let lines = try text(scenario.folder, "r.ndjson").split(separator: "\n").map {
        try JSONValue(parsing: String($0))
      }
      #expect(lines.last?["type"] == "summary")
      for line in lines {
        #expect(try PublishedForm.faults(of: line, under: "ferry.report.v1.schema.json") == [])
      }
      #expect(try text(scenario.folder, "r.md").contains("### ferry migrate: done"))
      #expect(try text(scenario.folder, "r.html").contains("</html>"))
      _ = try XMLDocument(xmlString: text(scenario.folder, "r.xml"))
      let sarif = try JSONValue(parsing: text(scenario.folder, "r.sarif"))
      #expect(sarif.value(at: "/runs/0/invocations/0/exitCode") == 0)
    }
  }

  // 001-59.
  @Test func `every record that was read is in one column of the report`() async throws {
    try await withScenario { scenario in
      _ = try await scenario.migrate(flags(scenario.folder, "r"))
      let report = try report(scenario.folder, "r")
      var read: [String: Int64] = [:]
      for line in report["stages"]?[0]?["entities"]?.array ?? [] {
        read[line["entity"]?.text ?? ""] = line["records"]?.integer
      }
      #expect(!read.isEmpty)
      for line in report["stages"]?[2]?["records"]?.array ?? [] {
        let columns = (line.object?.members ?? []).filter { !["entity", "read"].contains($0.name) }
        #expect(columns.reduce(0) { $0 + ($1.value.integer ?? 0) } == line["read"]?.integer)
        #expect(line["read"]?.integer == read[line["entity"]?.text ?? ""])
      }
    }
  }

  // 000-6, 001-61.
  @Test func `a run that was interrupted leaves its reports, and they say that it resumes`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:1:150ms@POST /api")
      try await scenario.run(
        ["migrate", scenario.sample.store] + scenario.destination + flags(scenario.folder, "r"),
        stop: FerryProgram.Stop(line: "upload …", signals: [.init(.interrupt)])
      ).exits(130)
      let report = try report(scenario.folder, "r")
      #expect(report.value(at: "/end/status") == 130)
      #expect(report.value(at: "/end/mayRetry") == true)
      #expect(stages(of: report).last == "upload")
      #expect(try text(scenario.folder, "r.ndjson").hasSuffix("\"type\":\"summary\"}\n"))
    }
  }

  @Test func `Ctrl-C at once ends a run that waits on the destination's request`() async throws {
    try await withScenario { scenario in
      // Longer than this suite may take.
      try scenario.backend.setFaults("status:1:429:retry-after=280@GET /api/v1/custom-events")
      let finished = try await scenario.run(
        ["migrate", scenario.sample.store] + scenario.destination,
        stop: FerryProgram.Stop(line: "plan …", signals: [.init(.interrupt, after: .seconds(2))])
      ).exits(130)
      #expect(finished.standardError.contains("the same command again resumes"))
      try scenario.backend.setFaults("")
      try await scenario.migrate().exits(0)
    }
  }

  @Test func `plan, upload, verify, rollback, validate and export write reports`()
    async throws
  {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      func run(_ words: [String], _ stages: [String]) async throws {
        let flags = ["--report", "\(scenario.folder)/\(words[0]).json"]
        let answer = try await scenario.ferry(words + flags)
        #expect(answer.status == 0, "\(words): \(answer.standardError)")
        let report = try report(scenario.folder, words[0])
        #expect(report["command"]?.text == words[0])
        #expect(self.stages(of: report) == stages, "\(words)")
      }
      let to = scenario.destination
      try await run(
        ["export", scenario.sample.store, "--profile", scenario.profile, "-o", package],
        ["export"]
      )
      try await run(["validate", package], ["validation"])
      try await run(["plan", package] + to, ["validation", "plan"])
      try await run(["upload", package] + to, ["validation", "upload"])
      try await run(["verify", package] + to, ["verification"])
      let made = try report(scenario.folder, "upload")
      let name = try #require(made["stages"]?[1]?["run"]?.text)
      try await run(["rollback", name] + to, ["rollback"])
    }
  }
}
