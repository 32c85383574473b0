import Foundation
import JSONText
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

extension ReportTests {
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
