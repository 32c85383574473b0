import Foundation
import JSONText
import TestSupport
import Testing

/// Kinto over PostgreSQL, whose conflicts and refusals its memory does not have.
@Suite(
  .enabled(
    if: Servers.kinto != nil && Servers.postgres != nil,
    "skipped: FERRY_KINTO and FERRY_POSTGRES do not both name programs"
  ),
  .timeLimit(.minutes(10))
)
struct PostgreSQLTests {
  @Test func `a killed run is resumed to every record, and rolled back to none`()
    async throws
  {
    try await withKinto(overPostgreSQL: true) { scenario, _ in
      try await FerryProgram().kill(
        ["migrate", scenario.store] + scenario.flags,
        state: "\(scenario.folder)/state",
        after: [0.2, 0.5, 0.9]
      )
      let last = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.count() == 190)
      try await scenario.ferry(["rollback", try last.run()]).exits(0)
      #expect(try scenario.count() == 0)
    }
  }

  /// If-Match is not atomic there: two clients may both be told that they changed a record.
  @Test func `another client's changes amid conditional updates go to the app, record by record`()
    async throws
  {
    try await withKinto(overPostgreSQL: true) { scenario, server in
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      try Python.edit(scenario.store, "UPDATE ZSTORY SET ZTITLE = 'ours ' || Z_PK")
      let script = ServerScript.path("other_writer.py")
      let origin = server.origin
      async let others = Task.detached {
        try Python.run([script, origin, "demo", "s3cret-word", "stories", "8"])
      }.value
      let policy = ["--on-conflict", "remote"]
      _ = try await scenario.ferry(["migrate", scenario.store] + policy)
      let written = try await others.split(separator: "\n")
      let after = try await scenario.ferry(["migrate", scenario.store] + policy)

      let stories = try KintoServer.records("stories", server)
      let theirs = Set(stories.filter { $0["title"]?.text == "theirs" }.map(Self.key))
      let ours = Set(stories.filter { $0["title"]?.text?.hasPrefix("ours") == true }.map(Self.key))
      #expect(theirs.count + ours.count == stories.count)
      #expect(!written.isEmpty && !theirs.isEmpty && !ours.isEmpty)
      let writeBack = "\(scenario.folder)/write-back.json"
      _ = try await FerryProgram().answer(
        ["write-back", try after.run(), "-o", writeBack],
        state: "\(scenario.folder)/state"
      )
      let entries = try JSONValue(parsing: String(at: writeBack))["records"]?.array ?? []
      let replaced = entries.filter { $0["status"] == "replace" }.map { $0["localID"]?.text ?? "" }
      #expect(Set(replaced) == theirs, "\(after.standardError)")
      #expect(
        entries.count == 190 && entries.count { $0["status"] == "synced" } == 190 - theirs.count
      )
    }
  }

  private static func key(_ story: JSONValue) -> String { story["localId"]?.text ?? "" }

  @Test func `a record that the server answers with 503 for ever is the only one rejected`()
    async throws
  {
    try await withKinto(overPostgreSQL: true) { scenario, _ in
      try Python.edit(
        scenario.store,
        "UPDATE ZSTORY SET ZTITLE = 'poison' || char(0) || 'ous' WHERE Z_PK = 3"
      )
      let moved = try await scenario.ferry(["migrate", scenario.store]).exits(3)
      #expect(moved.count("rejected") == 1)
      #expect(moved.findings("destination.keeps-failing").count == 1)
      #expect(try scenario.count() == 189)
    }
  }
}
