import Foundation
import JSONText
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The report files that a run leaves, of the real program against the real server.
@Suite(.timeLimit(.minutes(3))) struct ReportTests {
  private static let endings = ["json", "ndjson", "md", "html", "xml", "sarif"]

  private func flags(_ folder: String, _ name: String) -> [String] {
    Self.endings.flatMap { ["--report", "\(folder)/\(name).\($0)"] }
  }

  private func text(_ folder: String, _ name: String) throws -> String {
    try String(at: "\(folder)/\(name)")
  }

  private func report(_ folder: String, _ name: String) throws -> JSONValue {
    let value = try JSONValue(parsing: text(folder, name + ".json"))
    #expect(try PublishedForm.faults(of: value, under: "ferry.report.v1.schema.json") == [])
    return value
  }

  private func stages(of report: JSONValue) -> [String] {
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

  @Test(arguments: [
    (507, "the account's quota is used up"), (403, "the account may not do this"),
  ])
  func `a run that the destination stops ends at once, with a cause and a cure`(
    status: Int,
    reason: String
  ) async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("status:n=3-1000:\(status)@POST /api/v1")
      let answer = try await scenario.migrate(flags(scenario.folder, "r")).exits(7)
      #expect(answer.standardError.contains("  cure: "))
      let report = try report(scenario.folder, "r")
      #expect(report.value(at: "/end/reason")?.text == "stopped: \(reason)")
      #expect(report.value(at: "/end/cure")?.text?.contains("the same command") == true)
      // No more than the two that may have been under way together.
      let refused = try scenario.backend.state()["faults"]?[0]?["fired"]?.integer ?? 0
      #expect((1...2).contains(refused))
    }
  }

  @Test func `a store that is missing leaves a report with the reason`() async throws {
    try await withScenario { scenario in
      try await scenario.ferry(
        ["migrate", "\(scenario.folder)/none.store", "--profile", scenario.profile]
          + flags(scenario.folder, "r")
      ).exits(10)
      let report = try report(scenario.folder, "r")
      #expect(report.value(at: "/end/status") == 10)
      #expect(report.value(at: "/end/reason")?.text?.isEmpty == false)
      let suites = try XMLDocument(xmlString: text(scenario.folder, "r.xml"))
      #expect(try suites.nodes(forXPath: "//failure").count == 1)
    }
  }

  @Test func `reports of a faulty store show no value and, with a key, no identity`() async throws {
    try await withScenario { scenario in
      try scenario.sql("UPDATE ZHERO SET ZNAME = '' WHERE Z_PK IN (1, 2)")
      try await scenario.migrate(flags(scenario.folder, "plain")).exits(4)
      let findings = try report(scenario.folder, "plain")["stages"]?[1]?["findings"]?.array ?? []
      let records = findings.compactMap { $0["record"]?.text }
      #expect(records.count == 2)
      for finding in findings {
        #expect(finding["cause"]?.text?.contains("found") == false)
      }
      var hidden = scenario
      hidden.environment["KEY"] = "0123456789abcdef0123456789abcdef"
      try await hidden.migrate(
        flags(scenario.folder, "hidden") + ["--pseudonyms", "env:KEY"]
      ).exits(4)
      for ending in Self.endings {
        let text = try text(scenario.folder, "hidden.\(ending)")
        for record in records { #expect(!text.contains(record), "\(ending)") }
      }
    }
  }

  @Test func `a report is compared with an earlier one`() async throws {
    try await withScenario { scenario in
      _ = try await scenario.migrate(["-n"] + flags(scenario.folder, "old"))
      _ = try await scenario.migrate()
      try await scenario.migrate(
        ["-n", "--compare", "\(scenario.folder)/old.json"] + flags(scenario.folder, "new")
      ).exits(0)
      let changes = try report(scenario.folder, "new").value(at: "/comparison/outcomes")?.array
      let hero = changes?.first { $0["entity"] == "Hero" && $0["name"] == "to send" }
      #expect(hero?["stage"] == "plan" && hero?["now"] == 0)
      #expect((hero?["before"]?.integer ?? 0) > 0)
      #expect(try text(scenario.folder, "new.md").contains("| plan | Hero | to send |"))
    }
  }

  @Test func `on GitHub findings are marked and the step's summary is filled`() async throws {
    try await withScenario { scenario in
      try scenario.sql("UPDATE ZHERO SET ZNAME = '' WHERE Z_PK = 1")
      var there = scenario
      there.environment["GITHUB_ACTIONS"] = "true"
      there.environment["GITHUB_WORKSPACE"] = scenario.folder
      there.environment["GITHUB_STEP_SUMMARY"] = "\(scenario.folder)/summary.md"
      let answer = try await there.migrate(["-n"]).exits(4)
      #expect(answer.standardError.contains("\n::error file=store/default.store,"))
      #expect(try text(scenario.folder, "summary.md").contains("### ferry migrate: invalid"))
      let silent = try await there.migrate(["-n", "--annotations", "none"])
      #expect(!silent.standardError.contains("::error"))
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

  @Test func `an import reports the outcome of each text`() async throws {
    try await withTemporaryFolder { folder in
      try Data("Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩⬛🟩⬛\n🟩🟩🟩🟩🟩\n".utf8)
        .write(to: URL(filePath: "\(folder)/chat.txt"))
      let finished = try await FerryProgram().run(
        ["import", "\(folder)/chat.txt", "-o", "\(folder)/p.ferry", "--time-zone", "UTC"]
          + flags(folder, "r"),
        state: "\(folder)/state"
      )
      let report = try report(folder, "r")
      #expect(report.value(at: "/end/status")?.integer == Int64(finished.status))
      #expect(stages(of: report) == ["import"], "\(finished)")
    }
  }

  @Test(arguments: [
    ["--report", "r.txt"], ["--report", "/nowhere/at/all/r.json"], ["--compare", "/nowhere.json"],
    ["--pseudonyms", "env:NONE"], ["--pseudonyms", "0123456789abcdef"],
    ["--annotations", "gitlab"],
  ])
  func `an invalid report option is refused before the run`(flags: [String]) async throws {
    try await withTemporaryFolder { folder in
      let finished = try await FerryProgram().run(
        ["validate", "\(folder)/none.ferry"] + flags,
        state: "\(folder)/state"
      ).exits(64)
      #expect(finished.standardError.contains(flags[0]), "\(finished)")
    }
  }
}
