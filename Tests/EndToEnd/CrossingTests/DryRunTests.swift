import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct DryRunTests {
  @Test func `a dry run leaves nothing behind anywhere`() async throws {
    try await withCrossing { crossing in
      let before = try SourceDigests(of: crossing.sample.folder)
      let plan = try await crossing.migrate(["-n"])
      #expect(plan.status == 0, "\(plan.standardError)")
      #expect(plan.count("remaining", in: "plan") > 0)
      try expectNoTrace(crossing)
      #expect(try SourceDigests(of: crossing.sample.folder) == before)
    }
  }

  @Test func `a dry run says what would be made, and not only that something would be`()
    async throws
  {
    try await withCrossing { crossing in
      let plan = try await crossing.program.run(
        ["migrate", crossing.sample.store, "-n", "--progress", "none"] + crossing.destination,
        environment: crossing.environment,
        state: crossing.state
      )
      #expect(plan.status == 0, "\(plan.standardError)")
      let headings = plan.standardOutput.split(separator: "\n").filter { $0.contains("records  ") }
      #expect(headings.count == 1)
      #expect(headings.allSatisfy { $0.contains("create") && !$0.contains("remaining") })
    }
  }

  @Test func `a plan only reads the destination`() async throws {
    try await withCrossing { crossing in
      let package = "\(crossing.folder)/p.ferry"
      #expect(try await crossing.export(to: package).status == 0)
      let before = try SourceDigests(of: package)
      let plan = try await crossing.ferry(
        ["plan", package, "--detailed-exitcode"] + crossing.destination
      )
      #expect(plan.status == 2, "\(plan.standardError)")
      let upload = try await crossing.ferry(["upload", package, "-n"] + crossing.destination)
      #expect(upload.status == 0)
      #expect(upload.count("remaining", in: "plan") == plan.count("remaining", in: "plan"))
      try expectNoTrace(crossing)
      #expect(try SourceDigests(of: package) == before)
      let sent = try await crossing.ferry(["upload", package] + crossing.destination)
      #expect(sent.count("created") == plan.count("remaining", in: "plan"))
      let after = try await crossing.ferry(
        ["plan", package, "--detailed-exitcode"] + crossing.destination
      )
      #expect(after.status == 0)
    }
  }

  /// Nothing is in the state folder and in the folder for temporary files, and the server was only
  /// asked.
  private func expectNoTrace(_ crossing: Crossing) throws {
    for folder in [crossing.state, crossing.state + ".temporary", crossing.state + ".home"]
    where FileManager.default.fileExists(atPath: folder) {
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder) == [])
    }
    let state = try crossing.backend.state()
    #expect(state["writes"] == 0)
    for member in state["requests"]?.object?.members ?? [] {
      #expect(member.name.hasPrefix("GET ") || member.name.contains("/sign-in/"))
    }
  }
}
