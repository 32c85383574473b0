import TestSupport
import Testing

/// The real checkpoint on a disk that forgets what was not synced.
///
/// In a process of its own, because SQLite has one way to the disk for a whole process.
struct ForgettingDiskTests {
  private func simulate(_ words: [String]) async throws -> FerryProgram.Finished {
    try await withTemporaryFolder { folder in
      try await FerryProgram(named: "simulate").run(words, state: "\(folder)/state")
    }
  }

  @Test func `after every power cut the checkpoint holds every commit`() async throws {
    let lived = try await simulate(["--sqlite", "0-23"])
    #expect(lived.status == 0, "\(lived.standardOutput)")
    #expect(lived.standardOutput.contains("24 histories"))
    #expect(!lived.standardOutput.contains(" 0 crashes"))
  }

  @Test func `a disk that only claims to sync is detected within four histories`()
    async throws
  {
    let lived = try await simulate(["--lying", "0-3"])
    #expect(lived.status == 1)
    #expect(lived.standardOutput.contains("is not there after a cut"), "\(lived.standardOutput)")
  }
}
