import Foundation
import JSONText
import TestSupport
import Testing

extension CloudKitTests {
  @Test func `a record that is larger than CloudKit takes is refused in the plan, and named`()
    async throws
  {
    try await withCloudKitScenario { scenario in
      try Python.edit(
        scenario.store,
        "UPDATE ZSTORY SET ZCONTENT = replace(hex(zeroblob(600000)), '0', 'x') WHERE Z_PK = 1"
      )
      let writes = try scenario.backend.writeCount()
      let planned = try await scenario.ferry(["migrate", scenario.store, "-n"])
      #expect(planned.findings("record.large").count == 1, "\(planned)")
      #expect(try scenario.backend.writeCount() == writes)
      let moved = try await scenario.ferry(["migrate", scenario.store]).exits(3)
      #expect(moved.findings("record.large").count == 1)
      #expect(try scenario.names().count == scenario.recordCount - 1)
    }
  }

  // 002-65.
  @Test(arguments: [false, true])
  func `all records of a zone or of the public database are exported into a package`(
    isPublic: Bool
  ) async throws {
    try await withCloudKitScenario(isPublic: isPublic) { scenario in
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      let package = "\(scenario.folder)/back.ferry"
      let flags = scenario.flags.map { $0 == "--to" ? "--from" : $0 }
      let answer = try await Answer(
        scenario.program.run(
          ["export", "-o", package, "--format", "ndjson", "--progress", "none"] + flags,
          state: "\(scenario.folder)/state"
        )
      ).exits(0)
      let entities = (answer.value("export")?["entities"]?.array ?? [])
        .compactMap { $0["entity"]?.text }
      let read = try entities.flatMap { try PackageLines(package).records($0) }
      #expect(try read.compactMap { $0["$id"]?.text }.sorted() == scenario.names().sorted())
    }
  }

  @Test func `the web token is renewed after each run, and readable by no other user`() async throws
  {
    try await withCloudKitScenario { scenario in
      let path = "\(scenario.folder)/web-token"
      let before = try String(at: path)
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try String(at: path) != before)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `a lost answer ends the session, and the run resumes with a new token`()
    async throws
  {
    try await withCloudKitScenario { scenario in
      try scenario.backend.setFaults("drop-after:n=3@POST \(scenario.modify)")
      let stopped = try await scenario.ferry(["migrate", scenario.store, "--batch-size", "5"])
      #expect(stopped.status == 7, "\(stopped)")
      #expect(stopped.standardError.contains("web-token"))
      try scenario.backend.setFaults("")
      try scenario.signIn()
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.names().count == scenario.recordCount)
      #expect(Set(try scenario.names()).count == scenario.recordCount)
    }
  }

  // 002-10.
  @Test func `another environment is refused for a store that was migrated to one`() async throws {
    try await withCloudKitScenario { scenario in
      _ = try await scenario.ferry(["migrate", scenario.store])
      try scenario.editProfile("environment: development", "environment: production")
      let other = try await scenario.ferry([
        "migrate", scenario.store, "--accept-change", "profile",
      ]).exits(12)
      #expect(other.standardError.contains("production"))
    }
  }

  @Test func `a run is rolled back in its own zone, although the profile names another`()
    async throws
  {
    try await withCloudKitScenario { scenario in
      let run = try await scenario.ferry(["migrate", scenario.store]).run()
      try scenario.editProfile("zone: UserDataZone", "zone: OtherZone")
      try await scenario.ferry(["rollback", run]).exits(0)
      #expect(try scenario.names().isEmpty)
    }
  }

  @Test func `lost answers, throttling and truncation leave every record once`() async throws {
    try await withCloudKitScenario(isPublic: true) { scenario in
      try scenario.backend.setFaults(
        "drop-after:3@POST \(scenario.modify);"
          + "status:4:429:retry-after=1@POST \(scenario.modify);"
          + "truncate:5@POST \(scenario.modify)"
      )
      let first = try await scenario.ferry([
        "migrate", scenario.store, "--batch-size", "8", "--retries", "20",
      ]).exits(0)
      #expect(try scenario.names().count == scenario.recordCount)
      #expect(first.value("verification")?["clean"] == true)
    }
  }

  @Test func `a run that is refused without Retry-After ends, and resumes when repeated`()
    async throws
  {
    try await withCloudKitScenario { scenario in
      // The second request would be taken, existed one.
      try scenario.backend.setFaults("status:n=3:503@POST \(scenario.modify)")
      let stopped = try await scenario.ferry(["migrate", scenario.store, "--batch-size", "5"])
      #expect(stopped.status == 5, "\(stopped)")
      #expect(stopped.standardError.contains("names no time"))
      #expect(try scenario.names().count < scenario.recordCount)
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.names().count == scenario.recordCount)
    }
  }
}
