import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct DryRunTests {
  @Test func `a dry run leaves no file and no record behind`() async throws {
    try await withScenario { scenario in
      let before = try SourceDigests(of: scenario.sample.folder)
      let plan = try await scenario.migrate(["-n"]).exits(0)
      #expect(plan.count("remaining", in: "plan") > 0)
      try expectNoTrace(scenario)
      #expect(try SourceDigests(of: scenario.sample.folder) == before)
    }
  }

  @Test func `a dry run lists the records that would be created`()
    async throws
  {
    try await withScenario { scenario in
      let plan = try await scenario.run(
        ["migrate", scenario.sample.store, "-n", "--progress", "none"] + scenario.destination
      ).exits(0)
      let headings = plan.standardOutput.split(separator: "\n").filter { $0.contains("records  ") }
      #expect(headings.count == 1)
      #expect(headings.allSatisfy { $0.contains("create") && !$0.contains("remaining") })
    }
  }

  @Test func `a plan only reads the destination`() async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let before = try SourceDigests(of: package)
      let plan = try await scenario.ferry(
        ["plan", package, "--detailed-exitcode"] + scenario.destination
      ).exits(2)
      let upload = try await scenario.ferry(["upload", package, "-n"] + scenario.destination)
      #expect(upload.status == 0)
      #expect(upload.count("remaining", in: "plan") == plan.count("remaining", in: "plan"))
      try expectNoTrace(scenario)
      #expect(try SourceDigests(of: package) == before)
      let sent = try await scenario.ferry(["upload", package] + scenario.destination)
      #expect(sent.count("created") == plan.count("remaining", in: "plan"))
      try await scenario.ferry(
        ["plan", package, "--detailed-exitcode"] + scenario.destination
      ).exits(0)
    }
  }

  /// Nothing is in the state folder and in the folder for temporary files, and the server was only
  /// asked.
  private func expectNoTrace(_ scenario: MigrationScenario) throws {
    for folder in [scenario.state, scenario.state + ".temporary", scenario.state + ".home"]
    where FileManager.default.fileExists(atPath: folder) {
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder) == [])
    }
    let state = try scenario.backend.state()
    #expect(state["writes"] == 0)
    for member in state["requests"]?.object?.members ?? [] {
      #expect(member.name.hasPrefix("GET ") || member.name.contains("/sign-in/"))
    }
  }
}
