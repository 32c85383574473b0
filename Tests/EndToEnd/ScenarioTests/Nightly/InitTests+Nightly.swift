import Foundation
import TestSupport
import Testing

extension InitTests {
  @Test func `a draft ends with the next four commands, with a backend and without one`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = Samples.infiniteStories.store
      let cases = [
        ([], ["ferry profile check ", "ferry export ", "ferry validate ", "ferry preset list"]),
        (
          ["--preset", "pocketbase", "--to", "http://127.0.0.1:8090"],
          ["ferry profile check ", "ferry preflight ", "ferry migrate ", "ferry migrate "]
        ),
      ]
      for (number, (flags, commands)) in cases.enumerated() {
        let answer = try await FerryProgram().run(
          ["init", store, "-o", "\(folder)/\(number)"] + flags,
          state: "\(folder)/state"
        ).exits(0)
        let said = answer.standardError.split(separator: "\n").compactMap {
          $0.firstMatch(of: /^(?:next|then): (.*)/)?.1
        }
        #expect(said.count == 4, "\(answer)")
        for (line, command) in zip(said, commands) { #expect(line.hasPrefix(command)) }
      }
    }
  }

  @Test func `a table that is called Preferences may have a token as its key`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/plain.db"
      try Python.run([
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); "
          + "c.execute('CREATE TABLE Preferences(access_token TEXT PRIMARY KEY, theme TEXT)'); "
          + "c.execute(\"INSERT INTO Preferences VALUES('a','dark')\"); c.commit()",
        path,
      ])
      try await run(["init", path, "-o", "\(folder)/draft"], in: folder).exits(0)
    }
  }

  @Test func `names of a store and words of the command line control no terminal`() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/\u{202E}plain.db"
      try Python.run([
        "-c",
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); "
          + "c.execute('CREATE TABLE \"a\u{202E}b\u{1B}[2J\" (id INTEGER PRIMARY KEY, \"c\u{202E}d\" TEXT)'); "
          + "c.execute('INSERT INTO \"a\u{202E}b\u{1B}[2J\" VALUES(1, ?)', ('x',)); c.commit()",
        path,
      ])
      for line in [
        ["init", path, "-o", "\(folder)/\u{202E}draft"], ["inspect", path],
        ["inspect", path, "--format", "mermaid"], ["init", path, "--nonsense\u{202E}"],
        ["init", path, "-o", "\(folder)/\u{202E}draft"],
        ["export", path, "-o", "\(folder)/\u{202E}p"],
        ["validate", "\(folder)/\u{202E}p"], ["upload", "\(folder)/none", "--timeout", "\u{202E}"],
      ] {
        let answer = try await FerryProgram().run(line, state: "\(folder)/state")
        let said = (answer.standardOutput + answer.standardError).unicodeScalars
        #expect(!said.contains { $0.value == 0x202E || $0.value == 0x1B }, "\(line)")
      }
    }
  }

  @Test func `a draft for a backend passes the check, and is shown written out`() async throws {
    try await withTemporaryFolder { folder in
      let draft = "\(folder)/draft"
      let drafted = try await FerryProgram().run(
        [
          "init", Samples.infiniteStories.store, "--preset", "pocketbase",
          "--to", "http://127.0.0.1:8090", "-o", draft,
        ],
        state: "\(folder)/state"
      )
      #expect(drafted.status == 0, "\(drafted.standardError)")
      #expect(drafted.standardError.contains("next: ferry profile check"))
      let checked = try await run(["profile", "check", "\(draft)/profile.yaml"], in: folder)
      #expect(checked.status == 0, "\(checked.standardError)")
      #expect(checked.standardOutput.contains("5 of 5 entities are sent, no fault"))
      let shown = try await run(["profile", "show", "\(draft)/profile.yaml"], in: folder)
      #expect(shown.standardOutput.contains("POST /api/collections/story_illustrations/records"))
      // What is shown is a profile, which needs neither the preset nor a schema to be read.
      try Data(shown.standardOutput.utf8).write(to: URL(filePath: "\(folder)/whole.yaml"))
      let again = try await run(["profile", "show", "\(folder)/whole.yaml"], in: folder)
      #expect(again.standardOutput == shown.standardOutput, "\(again.standardError)")
    }
  }

  @Test func `a preset's file goes into the draft's folder, where the profile finds it`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let shown = try await run(["preset", "show", "rails"], in: folder)
      try Data(shown.standardOutput.utf8).write(to: URL(filePath: "\(folder)/mine.yaml"))
      let line = ["init", Samples.infiniteStories.store, "-o", "\(folder)/draft", "--preset"]
      try await run(line + ["\(folder)/mine.yaml"], in: folder).exits(0)
      let checked = try await run(["profile", "check", "\(folder)/draft/profile.yaml"], in: folder)
      #expect(checked.status == 0, "\(checked.standardError)")
      #expect(checked.standardOutput.contains("5 of 5 entities are sent, no fault"))
    }
  }

  @Test func `a preset file that is absent, at fault or named like a draft is refused`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let line = ["init", Samples.infiniteStories.store, "-o", "\(folder)/draft", "--preset"]
      let shown = try await run(["preset", "show", "rails"], in: folder)
      try Data(shown.standardOutput.utf8).write(to: URL(filePath: "\(folder)/profile.yaml"))
      let named = try await run(line + ["\(folder)/profile.yaml"], in: folder)
      #expect(named.status == 64)
      #expect(named.standardError.contains("are both called “profile.yaml”"))
      try Data("ferry-preset: 1\n".utf8).write(to: URL(filePath: "\(folder)/empty.yaml"))
      let empty = try await run(line + ["\(folder)/empty.yaml"], in: folder)
      #expect(empty.status == 12)
      #expect(empty.standardError.contains("empty.yaml"))
      let absent = try await run(line + ["./absent.yaml"], in: folder)
      #expect(absent.status == 64)
      #expect(absent.standardError.contains("there is no preset at ./absent.yaml"))
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/draft"))
    }
  }

  @Test func `a misspelt preset is answered with the likely one, and nothing is written`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let line = ["init", Samples.infiniteStories.store, "--preset", "pocketbas", "-o"]
      let drafted = try await run(line + ["\(folder)/draft"], in: folder)
      #expect(drafted.status == 64)
      #expect(drafted.standardError.contains("write “pocketbase”, or see “ferry preset list”"))
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/draft"))
      let shown = try await run(["preset", "show", "pocketbas"], in: folder)
      #expect(shown.status == 64 && shown.standardError.contains("write “pocketbase”"))
    }
  }

  @Test func `each preset is listed with what it can, and printed as it is`() async throws {
    try await withTemporaryFolder { folder in
      let listed = try await run(["preset", "list"], in: folder)
      #expect(listed.standardOutput.contains("can: bulk, changes, delete, revisions"))
      let root = URL(filePath: Samples.folder).deletingLastPathComponent()
      let presets = root.appending(path: "Sources/Destinations/Presets/Named").path
      for file in try FileManager.default.contentsOfDirectory(atPath: presets) {
        let name = String(file.dropLast(".yaml".count))
        #expect(listed.standardOutput.contains("\(name) "), "\(name) is not listed")
        let shown = try await run(["preset", "show", name], in: folder)
        let text = try String(contentsOfFile: "\(presets)/\(file)", encoding: .utf8)
        #expect(shown.standardOutput.hasPrefix(text.trimmingCharacters(in: .newlines)))
      }
    }
  }

  @Test func `a folder with files is not written to`() async throws {
    try await withTemporaryFolder { folder in
      try Data("mine".utf8).write(to: URL(filePath: "\(folder)/note"))
      try await run(
        ["init", Samples.infiniteStories.store, "-o", folder],
        in: folder
      ).exits(64)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.filter { !$0.hasPrefix("state") } == ["note"])
    }
  }

  @Test func `a killed run's part of the same draft is continued`() async throws {
    try await withTemporaryFolder { folder in
      let line = ["init", Samples.infiniteStories.store, "-o", "\(folder)/draft"]
      try await run(line, in: folder).exits(0)
      let whole = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/draft").sorted()
      let schema = try #require(whole.first { $0.hasSuffix(".json") })
      try FileManager.default.moveItem(
        atPath: "\(folder)/draft/\(schema)",
        toPath: "\(folder)/draft/.\(schema).draft"
      )
      try await run(line, in: folder).exits(0)
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/draft").sorted()
      #expect(names == whole)
      // A draft that a person edited is never written over.
      try Data("mine".utf8).write(to: URL(filePath: "\(folder)/draft/profile.yaml"))
      try await run(line, in: folder).exits(64)
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
      #expect(exported.status == 0, "\(exported)")
      let validated = try await run(["validate", "\(folder)/one.ferry"], in: folder)
      #expect(validated.standardOutput.contains("valid: 424 records, no fault"))
    }
  }

  @Test func `a draft that holds values of the store says so`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/app.plist"
      try PropertyListSerialization.data(
        fromPropertyList: ["scores": ["anna": 3]],
        format: .xml,
        options: 0
      ).write(to: URL(filePath: store))
      let drafted = try await FerryProgram().run(
        ["init", store, "-o", "\(folder)/draft"],
        state: "\(folder)/state"
      )
      #expect(drafted.standardError.contains("x-seen"), "\(drafted)")
    }
  }

  @Test func `tables whose names mean something in an address are exported and valid`() async throws
  {
    try await withTemporaryFolder { folder in
      let store = try unknownTables(in: folder)
      let draft = "\(folder)/draft"
      try await run(["init", store, "-o", draft], in: folder).exits(0)
      let validated = try await exportAndValidate(store, with: draft, in: folder).exits(0)
      #expect(validated.standardOutput.contains("valid: 12 records, no fault"))
    }
  }

  @Test(arguments: [
    "urn:ferry:schema:strange.x%23y.v1", "strange.x%23y.v1.schema.json",
    "package:///schemas/strange.x%23y.v1.schema.json", "strange.ä.v1.schema.json",
    "strange.%C3%A4.v1.schema.json", "strange.a%b.v1.schema.json", "strange.a%25b.v1.schema.json",
    "strange.a%2523b.v1.schema.json",
  ])
  func `drafted schemas of linked tables may refer to each other`(reference: String) async throws {
    try await withTemporaryFolder { folder in
      let store = try unknownTables(in: folder)
      let draft = "\(folder)/draft"
      try await run(["init", store, "-o", draft], in: folder).exits(0)
      try Data("{\"$ref\": \"\(reference)\"}".utf8)
        .write(to: URL(filePath: "\(draft)/strange.x#z.v1.schema.json"))
      try await exportAndValidate(store, with: draft, in: folder).exits(0)
    }
  }

  private func exportAndValidate(_ store: String, with draft: String, in folder: String)
    async throws -> FerryProgram.Finished
  {
    let package = "\(folder)/strange.ferry"
    try await run(
      ["export", store, "--profile", "\(draft)/profile.yaml", "-o", package],
      in: folder
    ).exits(0)
    return try await run(["validate", package], in: folder)
  }

  /// A database whose tables have names that mean something in an address, with a row in each.
  private func unknownTables(in folder: String) throws -> String {
    let store = "\(folder)/strange.db"
    let names = [
      "x#y", "x#z", "x?y", "x?z", "a/b", "a%b", "a%23b", "a b", "a\"b", "a'b", "a\nb", "ä",
    ]
    try Python.run(["-c", Self.tables, store] + names)
    return store
  }

  private static let tables = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    for name in sys.argv[2:]:
        quoted = '"' + name.replace('"', '""') + '"'
        db.execute(f"CREATE TABLE {quoted} (id INTEGER PRIMARY KEY, text TEXT)")
        db.execute(f"INSERT INTO {quoted} VALUES (1, 'a word')")
    db.commit()
    """
}
