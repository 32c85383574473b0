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

  @Test func `what another client writes at the same moment is never taken for ours`()
    async throws
  {
    // This server compares If-Match and writes in two steps: both clients may hear 200.
    try await withKinto(overPostgreSQL: true) { voyage, kinto in
      let first = try await voyage.ferry(["migrate", voyage.store])
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try Python.edit(voyage.store, "UPDATE ZSTORY SET ZTITLE = 'ours ' || Z_PK")
      let stop = "\(voyage.folder)/stop"
      let origin = kinto.origin
      async let other = Self.otherClient(of: origin, until: stop)
      let second = try await voyage.ferry(["migrate", voyage.store])
      try "".write(toFile: stop, atomically: true, encoding: .utf8)
      let taken = try await other
      #expect(taken > 0)
      #expect([0, 3, 6].contains(second.status), "\(second.standardOutput)\(second.standardError)")
      let theirs = try KintoServer.records("stories", kinto).filter {
        $0["title"]?.text?.hasPrefix("theirs") == true
      }
      #expect(!theirs.isEmpty)
      let package = "\(voyage.folder)/p.ferry"
      let profile = ["--profile", "\(Samples.folder)/kinto/profile.yaml"]
      _ = try await FerryProgram().run(
        ["export", voyage.store, "-o", package] + profile,
        state: "\(voyage.folder)/state"
      )
      let verdict = try await voyage.ferry(["verify", package])
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.different").count == theirs.count)
    }
  }

  @concurrent
  private static func otherClient(of origin: String, until stop: String) async throws -> Int {
    let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/other_client.py"
    let printed = try Python.run([script, origin, stop])
    return Int(printed.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }
}
