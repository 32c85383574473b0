import Foundation
import TestSupport
import Testing

/// Files of rows and objects, from the file to a destination, as a person moves them.
@Suite(.timeLimit(.minutes(3))) struct FileSourceTests {
  private func run(_ arguments: [String], in folder: String) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none"],
        state: "\(folder)/state"
      )
    )
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  /// Drafts a profile of the store, to which an API of a folder is added.
  private func draft(_ store: String, body: String, in folder: String) async throws -> String {
    let drafted = try await run(["init", store, "-o", "\(folder)/my"], in: folder)
    #expect(drafted.status == 0, "\(drafted.standardError)")
    let path = "\(folder)/my/profile.yaml"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try write(text + "api:\n  kind: folder\n  entities:\n    \(body)\n", to: path)
    return path
  }

  @Test(arguments: [
    ("people.csv", "id;name;stars\r\n1;Ada;4.5\r\n2;\"Grace\r\nH.\";\r\n"),
    (
      "people.jsonl",
      "{\"id\":1,\"name\":\"Ada\",\"stars\":4.5}\n{\"id\":2,\"name\":\"Grace\\r\\nH.\"}\n"
    ),
    (
      "all.json",
      "{\"people\":[{\"id\":1,\"name\":\"Ada\",\"stars\":4.5},{\"id\":2,\"name\":\"Grace\\r\\nH.\"}]}"
    ),
  ])
  func `a file is drafted, exported, valid, migrated and unchanged when repeated`(
    name: String,
    text: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/\(name)"
      try write(text, to: store)
      let profile = try await draft(
        store,
        body: "people: { body: { id: id, name: name, stars: stars } }",
        in: folder
      )
      let package = "\(folder)/one.ferry"
      let exported = try await run(
        ["export", store, "--profile", profile, "-o", package],
        in: folder
      )
      #expect(exported.status == 0, "\(exported.standardError)")
      let validated = try await run(["validate", package], in: folder)
      #expect(validated.status == 0, "\(validated.standardOutput)")
      let destination = ["--profile", profile, "--to", "file:\(folder)/kept"]
      let first = try await run(["migrate", store] + destination, in: folder)
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.count("created") == 2)
      let kept = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept/people")
      #expect(kept.sorted() == ["1.json", "2.json"])
      let again = try await run(["migrate", store] + destination, in: folder)
      #expect(again.count("unchanged") == 2 && again.count("created") == 0)
      #expect(try Data(contentsOf: URL(filePath: store)) == Data(text.utf8))
    }
  }

  @Test func `documents of a folder are migrated under their names`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/people"
      try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
      try write("{\"name\": \"Ada\"}", to: "\(store)/ada.json")
      try write("{\"name\": \"Grace\"}", to: "\(store)/grace.json")
      let profile = try await draft(
        store,
        body: "people: { body: { name: name } }",
        in: folder
      )
      let migrated = try await run(
        ["migrate", store, "--profile", profile, "--to", "file:\(folder)/kept"],
        in: folder
      )
      #expect(migrated.status == 0, "\(migrated.standardOutput)\(migrated.standardError)")
      let kept = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept/people")
      #expect(kept.sorted() == ["ada.json", "grace.json"])
    }
  }

  @Test func `a file without a unique column is refused with the cure`() async throws {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/moods.csv"
      try write("mood,day\ngood,1\ngood,2\nbad,2\n", to: store)
      let refused = try await run(["init", store, "-o", "\(folder)/my"], in: folder)
      #expect(refused.status == 10, "\(refused.standardError)")
      #expect(refused.standardError.contains("no column of moods"))
      #expect(refused.standardError.contains("cure: add such a column, called id"))
    }
  }

  @Test func `a column that is unique by chance is the identity, and the draft says so`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/moods.csv"
      try write("mood,day\ngood,1\ngood,2\nbad,3\n", to: store)
      let drafted = try await run(["init", store, "-o", "\(folder)/my"], in: folder)
      #expect(drafted.status == 0, "\(drafted.standardError)")
      let yaml = try String(contentsOfFile: "\(folder)/my/profile.yaml", encoding: .utf8)
      #expect(yaml.contains("identity: { attribute: \"day\" }"), "\(yaml)")
      #expect(yaml.contains("# No attribute is called like an identity."), "\(yaml)")
    }
  }

  @Test func `the draft names the column called like an identity that repeats a value`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/people.csv"
      try write("id,name\n1,Ada\n1,Bob\n2,Cid\n", to: store)
      let drafted = try await run(["init", store, "-o", "\(folder)/my"], in: folder)
      #expect(drafted.status == 0, "\(drafted.standardError)")
      let yaml = try String(contentsOfFile: "\(folder)/my/profile.yaml", encoding: .utf8)
      #expect(yaml.contains("identity: { attribute: \"name\" }"), "\(yaml)")
      #expect(yaml.contains("# “id” is not the identity: rows lack it, or have the same."))
      #expect(!yaml.contains("No attribute is called like an identity"))
    }
  }

  @Test func `a bad row ends with status 10, and is left out with status 3 when that is allowed`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let store = "\(folder)/people.csv"
      try write("id,name\n1,Ada\n2\n3,Grace\n", to: store)
      let refused = try await run(["inspect", store], in: folder)
      #expect(refused.status == 10, "\(refused.standardError)")
      #expect(refused.standardError.contains("line 3: it has 1 value,"))
      let package = "\(folder)/one.ferry"
      let exported = try await run(
        ["export", store, "--read-damaged", "-o", package],
        in: folder
      )
      #expect(exported.status == 3, "\(exported.standardOutput)\(exported.standardError)")
      #expect(exported.findings("store.damaged-rows").count == 1)
      #expect(try PackageLines(package).records("people").count == 2)
    }
  }
}
