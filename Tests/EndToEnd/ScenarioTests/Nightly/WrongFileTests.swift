import Foundation
import TestSupport
import Testing

/// Files that a verb does not take, and databases beside stores.
@Suite(.timeLimit(.minutes(2))) struct WrongFileTests {
  private func run(
    _ arguments: [String],
    in folder: String
  ) async throws -> FerryProgram.Finished {
    try await FerryProgram().run(arguments, state: "\(folder)/state")
  }

  /// A copy of the sample store with its log, alone in a folder.
  private func store(in folder: String) throws -> String {
    try makeFolder("\(folder)/app")
    let store = "\(folder)/app/app.sqlite"
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: Samples.infiniteStories.store + end,
        toPath: store + end
      )
    }
    return store
  }

  @Test func `every verb recognises a store, and opens no store in place`() async throws {
    try await withTemporaryFolder { folder in
      let store = try store(in: folder)
      let before = try contents(of: "\(folder)/app")
      let destination = ["--to", "http://127.0.0.1:1"]
      let lines: [[String]] = [
        ["upload", store] + destination, ["plan", store] + destination,
        ["verify", store] + destination, ["validate", store],
        ["validate", store, "--schema", Samples.infiniteStories.profile],
        ["checkpoint", "show", store], ["checkpoint", "repair", store],
        ["upgrade", store, "-o", "\(folder)/new.ferry"], ["schema", "diff", store, store],
        ["migrate", store, "--profile", store] + destination,
        ["fleet", store],
      ]
      for line in lines {
        let finished = try await run(line, in: folder)
        let said = finished.standardError
        #expect(finished.status == 64, "\(line): \(said)")
        #expect(said.contains("app.sqlite is a SwiftData store, not a"), "\(line): \(said)")
        // A verb that only reads is not answered with one that sends.
        let meant = line[0] == "upload" ? "migrate" : "inspect"
        #expect(said.contains("did you mean “ferry \(meant) \(store)”?"), "\(line): \(said)")
        #expect(!said.contains("damaged") && !said.contains("move it away"))
      }
      #expect(try contents(of: "\(folder)/app") == before)
      // A plan is not saved over it either.
      let exported = try await run(["export", store, "-o", "\(folder)/one.ferry"], in: folder)
      #expect(exported.status == 0, "\(exported)")
      #expect(try contents(of: "\(folder)/app") == before)
    }
  }

  @Test func `a list of stores that is not there ends with a cure and the status as its last line`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let finished = try await run(["fleet", "\(folder)/none.txt"], in: folder).exits(64)
      let said = finished.standardError
      #expect(said.contains("  cure: check the path of the list"), "\(said)")
      #expect(said.hasSuffix("ferry: usage (exit status 64)\n"), "\(said)")
      #expect(!said.contains("Usage:"), "\(said)")
    }
  }

  @Test func `a package or a checkpoint given as a store is named as one`() async throws {
    try await withTemporaryFolder { folder in
      let package = "\(folder)/one.ferry"
      let exported = try await run(["export", try store(in: folder), "-o", package], in: folder)
      #expect(exported.status == 0, "\(exported)")
      let checkpoint = "\(folder)/c.sqlite"
      try Python.edit(checkpoint, "PRAGMA application_id = 1181053561", "CREATE TABLE record (x)")
      try Python.run([
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); "
          + "c.execute('PRAGMA journal_mode = DELETE')",
        checkpoint,
      ])
      for verb in [
        ["inspect"], ["init", "-o", "\(folder)/draft"], ["export", "-o", "\(folder)/p"],
      ] {
        let first = try await run(verb + [package], in: folder).exits(64)
        #expect(first.standardError.contains("is an export package, not a store"))
        #expect(first.standardError.contains("ferry show \(package)"))
        let second = try await run(verb + [checkpoint], in: folder).exits(64)
        #expect(second.standardError.contains("is a checkpoint, where Ferry remembers its runs"))
      }
    }
  }

  @Test func `a folder with a Realm file is exported, and the unread file is named with status 3`()
    async throws
  {
    try await withTemporaryFolder { folder in
      _ = try store(in: folder)
      let realm =
        Data(repeating: 0, count: 16) + Data("T-DB".utf8) + Data(repeating: 9, count: 4000)
      try realm.write(to: URL(filePath: "\(folder)/app/default.realm"))
      let exported = try await run(
        ["export", "\(folder)/app", "-o", "\(folder)/one.ferry"],
        in: folder
      ).exits(3)
      let said = exported.standardOutput + exported.standardError
      #expect(said.contains("default.realm is not read: "))
      #expect(said.contains("the file is cut"))
      let inspected = try await run(["inspect", "\(folder)/app"], in: folder)
      #expect(inspected.standardOutput.contains("default.realm"))
    }
  }

  /// The names of a folder's files with their bytes.
  private func contents(of folder: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return Dictionary(
      uniqueKeysWithValues: try names.map { name in
        (name, try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
      }
    )
  }
}
