import Foundation
import TestSupport
import Testing

/// `ferry init`, and what it drafts, all the way to a package without a fault.
@Suite(.timeLimit(.minutes(3))) struct InitTests {
  private func run(_ arguments: [String], in folder: String) async throws
    -> FerryProgram.Finished
  {
    try await FerryProgram().run(arguments + ["--quiet"], state: "\(folder)/state")
  }

  @Test(arguments: ["default.store", "later.store"])
  func `a drafted profile exports records that obey the drafted schemas`(
    name: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let store = "\(Samples.infiniteStories.folder)/\(name)"
      let drafted = try await run(["init", store, "-o", "\(folder)/draft"], in: folder)
      #expect(drafted.status == 0, "\(drafted.standardError)")
      let exported = try await run(
        [
          "export", store, "--profile", "\(folder)/draft/profile.yaml", "-o", "\(folder)/one.ferry",
        ],
        in: folder
      )
      #expect(exported.status == 0, "\(exported.standardError)")
      let validated = try await run(["validate", "\(folder)/one.ferry"], in: folder)
      #expect(validated.status == 0, "\(validated.standardOutput)")
      #expect(validated.standardOutput.contains("no fault"))
    }
  }

  @Test func `a folder that holds something is not written to`() async throws {
    try await withTemporaryFolder { folder in
      try Data("mine".utf8).write(to: URL(filePath: "\(folder)/note"))
      let drafted = try await run(
        ["init", Samples.infiniteStories.store, "-o", folder],
        in: folder
      )
      #expect(drafted.status == 64)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.filter { !$0.hasPrefix("state") } == ["note"])
    }
  }

  @Test func `what a killed run left of the same draft is gone on with`() async throws {
    try await withTemporaryFolder { folder in
      let line = ["init", Samples.infiniteStories.store, "-o", "\(folder)/draft"]
      #expect(try await run(line, in: folder).status == 0)
      let whole = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/draft").sorted()
      let schema = try #require(whole.first { $0.hasSuffix(".json") })
      try FileManager.default.moveItem(
        atPath: "\(folder)/draft/\(schema)",
        toPath: "\(folder)/draft/.\(schema).draft"
      )
      let again = try await run(line, in: folder)
      #expect(again.status == 0, "\(again.standardError)")
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/draft").sorted()
      #expect(names == whole)
      // A draft that somebody edited is never written over.
      try Data("mine".utf8).write(to: URL(filePath: "\(folder)/draft/profile.yaml"))
      #expect(try await run(line, in: folder).status == 64)
    }
  }

  @Test func `a store is exported without any profile too`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/alone.store"
      for end in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: Samples.infiniteStories.store + end,
          toPath: store + end
        )
      }
      let exported = try await run(["export", store, "-o", "\(folder)/one.ferry"], in: folder)
      #expect(exported.status == 0, "\(exported.standardError)")
      let validated = try await run(["validate", "\(folder)/one.ferry"], in: folder)
      #expect(validated.standardOutput.contains("valid: 424 records, no fault"))
    }
  }
}
