import TestSupport
import Testing

/// The program `ferry-backend`, and that `ferry` does not start the development backend.
@Suite(.timeLimit(.minutes(1))) struct ProgramTests {
  private func run(
    _ program: FerryProgram,
    _ words: [String]
  ) async throws -> FerryProgram.Finished {
    try await withTemporaryFolder { folder in
      try await program.run(words, state: "\(folder)/state")
    }
  }

  @Test func `help lists the flags`() async throws {
    let help = try await run(FerryProgram(named: "ferry-backend"), ["--help"])
    #expect(help.status == 0)
    let flags = [
      "--port", "--port-file", "--database", "--fault", "--upload-tickets", "--quiet",
      "--sign-media",
      "--media-lifetime", "--token-lifetime", "--limit", "--batch-item-time", "--ask-for-terms",
      "--any-tags", "--any-sync-rows",
    ]
    for flag in flags { #expect(help.standardOutput.contains("\(flag) "), "\(flag)") }
  }

  @Test func `both programs print the same version`() async throws {
    let version = try await run(FerryProgram(named: "ferry-backend"), ["--version"])
    #expect(version.status == 0)
    #expect(version.standardOutput.contains("."))
    let ferry = try await run(FerryProgram(named: "ferry"), ["--version"])
    #expect(version.standardOutput == ferry.standardOutput)
  }

  @Test func `an unknown flag is a usage error with the nearest flag`() async throws {
    let answer = try await run(FerryProgram(named: "ferry-backend"), ["--prot", "8080"])
    #expect(answer.status == 64)
    #expect(answer.standardError.contains("--port"), "\(answer.standardError)")
  }

  @Test(arguments: [
    (["--fault", "explode:3"], "ferry-backend: fault rule \"explode:3\""),
    (["--limit", "reads"], "ferry-backend: limit \"reads\": write a name and a number"),
    (["--limit", "naps=3"], "the names are story-generations, hero-creations"),
    (["--database", "/dev/null/rows.sqlite"], "ferry-backend: cannot open the database"),
    (["--port-file", "/dev/null/port"], "ferry-backend: cannot write the port"),
  ])
  func `a server that cannot start says why and ends with status 1`(
    words: [String],
    reason: String
  ) async throws {
    let answer = try await run(FerryProgram(named: "ferry-backend"), words)
    #expect(answer.status == 1)
    #expect(answer.standardError.contains(reason), "\(answer.standardError)")
  }

  @Test func `ferry has no verb backend`() async throws {
    let answer = try await run(FerryProgram(named: "ferry"), ["backend", "--port", "0"])
    #expect(answer.status == 64)
    #expect(answer.standardError.contains("there is no verb “backend” of ferry"))
  }
}
