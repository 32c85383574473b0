import Foundation
import JSONText
import TestSupport
import Testing

/// The cases `D-doubling` and `A-adversary/stuck-run`.
@Suite(
  .enabled(if: CaseFolder.isGiven, "skipped: FERRY_CASES is not set"),
  .serialized,
  .timeLimit(.minutes(2))
)
struct CasesDoublingTests {
  /// Lends the case with its server, and what runs the program on its store under a profile.
  private func withCase(
    _ script: String,
    port: Int,
    _ body: (
      _ ferry: (_ profile: String, [String]) async throws -> Answer,
      _ count: () throws -> Int
    ) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let place = try CaseFolder.copy("D-doubling", into: URL(filePath: folder)).path
      let text = try String(at: "\(place)/\(script)")
        .replacing("\(port)", with: "int(__import__('sys').argv[1])")
      try text.save(to: "\(place)/\(script)")
      let server = try RealServer(
        "/usr/bin/env",
        ["python3", "\(place)/\(script)", "{port}"],
        in: folder,
        answersAt: "/notes"
      )
      let ferry = { (profile: String, arguments: [String]) async throws -> Answer in
        try await Answer(
          FerryProgram().run(
            arguments + [
              "--profile", "\(place)/\(profile)", "--to", server.origin, "--credential",
              "user=env:U", "--credential", "password=env:P", "--format", "ndjson", "--progress",
              "none",
            ],
            environment: ["U": "u", "P": "p"],
            state: "\(folder)/state"
          )
        )
      }
      try await body(
        { profile, arguments in
          try await ferry(profile, arguments.map { $0 == "notes.sqlite" ? "\(place)/\($0)" : $0 })
        },
        { try RealServer.get("\(server.origin)/notes")["items"]?.array?.count ?? -1 }
      )
      withExtendedLifetime(server) {}
    }
  }

  @Test func `three rows become one record at a server that chooses identities itself`()
    async throws
  {
    try await withCase("server.py", port: 8391) { ferry, count in
      let first = try await ferry("profile.yaml", ["migrate", "notes.sqlite"]).exits(7)
      #expect(first.standardError.contains("replay"), "\(first)")
      #expect(try count() == 1)
      _ = try await ferry("profile.yaml", ["migrate", "notes.sqlite"])
      #expect(try count() == 1)
      try await ferry("profile.yaml", ["rollback", try first.run()]).exits(0)
      #expect(try count() == 0)
    }
  }

  @Test(arguments: ["profile.yaml", "p-sha.yaml", "p-exists.yaml"])
  func `each row becomes one record, even if the first answers are lost`(profile: String)
    async throws
  {
    try await withCase("server2.py", port: 8392) { ferry, count in
      let first = try await ferry(profile, ["migrate", "notes.sqlite"]).exits(0)
      #expect(first.count("created") == 3)
      #expect(try count() == 3)
      try await ferry(profile, ["rollback", try first.run()]).exits(0)
      #expect(try count() == 0)
    }
  }

  @Test func `a run against a server that changes the case of identities ends, and is rolled back`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let place = try CaseFolder.copy("A-adversary/stuck-run", into: URL(filePath: folder)).path
      let said = try RealServer.output(
        "/usr/bin/env",
        [
          "FERRY=\(FerryProgram().path)", "HOME=\(folder)", "sh", "-c",
          "cd '\(place)' && sh ./t2.sh",
        ]
      )
      #expect(said.contains("client-id: lower"), "\(said)")
      #expect(!said.contains("rc=7"), "\(said)")
    }
  }
}
