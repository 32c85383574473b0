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
  @Test func `killed on the way, the same line brings every record, and a rollback none`()
    async throws
  {
    try await withKinto(overPostgreSQL: true) { voyage, _ in
      for wait in [0.2, 0.5, 0.9] {
        _ = try await FerryProgram().run(
          ["migrate", voyage.store] + voyage.flags,
          state: "\(voyage.folder)/state",
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
      }
      let last = try await voyage.ferry(["migrate", voyage.store])
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(try voyage.count() == 190)
      let back = try await voyage.ferry(["rollback", try last.run()])
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try voyage.count() == 0)
    }
  }

  /// If-Match is not atomic there: two clients may both be told that they changed a record.
  @Test func `what another client wrote amid conditional updates is listed, record by record`()
    async throws
  {
    try await withKinto(overPostgreSQL: true) { voyage, server in
      #expect(try await voyage.ferry(["migrate", voyage.store]).status == 0)
      try Python.edit(voyage.store, "UPDATE ZSTORY SET ZTITLE = 'ours ' || Z_PK")
      let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/other_writer.py"
      let origin = server.origin
      async let others = Task.detached {
        try Python.run([script, origin, "demo", "s3cret-word", "stories", "8"])
      }.value
      let policy = ["--on-conflict", "server"]
      let amid = try await voyage.ferry(["migrate", voyage.store] + policy)
      let written = try await others.split(separator: "\n")
      let package = "\(voyage.folder)/p.ferry"
      let after = try await voyage.ferry(["migrate", voyage.store, "-o", package] + policy)
      let verdict = try await voyage.ferry(["verify", package])

      let stories = try KintoServer.records("stories", server)
      let theirs = Set(stories.filter { $0["title"]?.text == "theirs" }.map(Self.key))
      let ours = Set(stories.filter { $0["title"]?.text?.hasPrefix("ours") == true }.map(Self.key))
      #expect(theirs.count + ours.count == stories.count)
      #expect(!written.isEmpty && !theirs.isEmpty && !ours.isEmpty)
      let codes: Set = ["upload.conflict", "plan.yielded", "plan.conflict", "verify.different"]
      let told = (amid.findings + after.findings + verdict.findings)
        .filter { codes.contains($0["code"]?.text ?? "") }.compactMap { $0["record"]?.text }
      #expect(Set(told) == theirs, "\(amid.standardError)\(after.standardError)")
    }
  }

  private static func key(_ story: JSONValue) -> String { story["localId"]?.text ?? "" }

  @Test func `a record that the server answers with 503 for ever is the only one rejected`()
    async throws
  {
    try await withKinto(overPostgreSQL: true) { voyage, _ in
      try Python.edit(
        voyage.store,
        "UPDATE ZSTORY SET ZTITLE = 'poison' || char(0) || 'ous' WHERE Z_PK = 3"
      )
      let moved = try await voyage.ferry(["migrate", voyage.store])
      #expect(moved.status == 3, "\(moved.standardOutput)\(moved.standardError)")
      #expect(moved.count("rejected") == 1)
      #expect(moved.findings("destination.keeps-failing").count == 1)
      #expect(try voyage.count() == 189)
    }
  }
}
