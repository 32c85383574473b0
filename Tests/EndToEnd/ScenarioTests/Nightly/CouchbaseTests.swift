import Foundation
import JSONText
import TestSupport
import Testing

/// A database of Couchbase Lite from its folder to a package, as a person moves it.
///
/// `couchbase.py` makes the databases after the description of the format; no file of Couchbase's own is read.
@Suite(.timeLimit(.minutes(3))) struct CouchbaseTests {
  private static let script = ServerScript.path("couchbase.py")

  /// Makes a database of a release's layout; gives its folder.
  private func make(_ layout: String, in folder: String) throws -> String {
    let path = "\(folder)/notes.cblite2"
    try Python.run([Self.script, path, layout])
    return path
  }

  private func run(_ arguments: [String], in folder: String) async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + ["--format", "ndjson", "--progress", "none"],
        state: "\(folder)/state"
      )
    )
  }

  /// Drafts, exports and validates a store; gives the findings of the export and the package.
  private func export(_ store: String, in folder: String) async throws -> (Answer, PackageLines) {
    let drafted = try await run(["init", store, "-o", "\(folder)/my"], in: folder)
    #expect(drafted.status == 0, "\(drafted.standardError)")
    let profile = "\(folder)/my/profile.yaml"
    let draft = try String(contentsOfFile: profile, encoding: .utf8)
    #expect(draft.contains("identity: { attribute: \"_id\" }"), "\(draft)")
    let package = "\(folder)/one.ferry"
    let exported = try await run(
      ["export", store, "--profile", profile, "-o", package],
      in: folder
    )
    #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
    let validated = try await run(["validate", package], in: folder)
    #expect(validated.status == 0, "\(validated.standardOutput)")
    return (exported, PackageLines(package))
  }

  private func expectPeople(_ people: [JSONValue]) throws {
    #expect(people.map { $0["_id"] } == ["person-1", "person-2", "person-3"], "\(people)")
    let ada = try #require(people.first)
    #expect(ada["name"] == "Ada" && ada["born"] == "1815-12-10T00:00:00Z")
    #expect(ada["tags"] == ["a", 2, .null, true])
    let floors: JSONValue = [-5, 300, 70_000, 1_099_511_627_776, -4_611_686_018_427_387_904]
    #expect(ada["address"] == ["city": "London", "floors": floors], "\(ada)")
    #expect(ada["photo"]?["content_type"] == "image/jpeg")
    let grace = people[1]
    #expect(grace["note"]?.text == String(repeating: "x", count: 40_000))
    #expect(grace["tags"]?.array?.count == 3000 && grace["tags"]?.array?.last == 2999)
    #expect(people.map { $0["name"] } == ["Ada", "Grace", "Kurt"])
    #expect(people[2]["raw"] == ["$base64": "AAEC"])
    #expect(people[2]["third"]?.canonicalText == "0.3333333333333333")
    #expect(people[2]["large"]?.canonicalText == "18446744073709551615")
  }

  @Test func `the documents of release 2 are drafted, exported and valid`() async throws {
    try await withTemporaryFolder { folder in
      let store = try make("2", in: folder)
      let database = URL(filePath: "\(store)/db.sqlite3")
      let before = try Data(contentsOf: database)
      let (exported, package) = try await export(store, in: folder)
      try expectPeople(package.records("_default"))
      let codes = exported.findings.compactMap { $0["code"]?.text }
      #expect(codes.contains("couchbase.documents-deleted"), "\(codes)")
      #expect(codes.contains("couchbase.files-missing"), "\(codes)")
      #expect(try Data(contentsOf: database) == before)
      let names = try FileManager.default.contentsOfDirectory(atPath: store).sorted()
      #expect(names == ["Attachments", "db.sqlite3"])
    }
  }

  @Test func `each collection of release 3 is drafted, exported and valid`() async throws {
    try await withTemporaryFolder { folder in
      let (_, package) = try await export(try make("3", in: folder), in: folder)
      try expectPeople(package.records("people"))
      let chairs = try package.records("inventory.Chairs")
      #expect(chairs.map { $0["_id"] } == ["chair-1", "chair-2"])
      #expect(chairs.map { $0["legs"] } == [4, .null])
    }
  }

  @Test func `the file of a blob is media, and a missing one is named`() async throws {
    try await withTemporaryFolder { folder in
      let store = try make("3", in: folder)
      try Self.profile.write(
        toFile: "\(folder)/profile.yaml",
        atomically: true,
        encoding: .utf8
      )
      let package = "\(folder)/one.ferry"
      let exported = try await run(
        ["export", store, "--profile", "\(folder)/profile.yaml", "-o", package],
        in: folder
      )
      #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
      let people = try PackageLines(package).records("people")
      #expect(people.map { $0["picture"]?["state"]?.text } == ["present", "missing", nil])
      #expect(people.first?["picture"]?["size"] == 21)
    }
  }

  private static let profile = """
    ferry-profile: 1
    app: people
    omit-entities: [inventory.Chairs]
    entities:
      people:
        identity: { attribute: _id }
        carry: listed
        fields: { _id: _id, name: name }
        media:
          picture: { from: photo_file, folder: Attachments, category: photo, types: { blob: image/jpeg } }
    """

  @Test func `inspect shows collections and their fields`() async throws {
    try await withTemporaryFolder { folder in
      let store = try make("3", in: folder)
      let inspected = try await FerryProgram().run(["inspect", store], state: "\(folder)/state")
      #expect(inspected.status == 0, "\(inspected.standardError)")
      let shown = inspected.standardOutput
      for words in ["Couchbase Lite database", "people (3 rows)", "_id: String", "photo_file"] {
        #expect(shown.contains(words), "\(shown)")
      }
    }
  }

  @Test func `a database of release 1 and a damaged document end with status 10`() async throws {
    try await withTemporaryFolder { folder in
      let old = try make("1", in: folder)
      let refused = try await run(["inspect", old], in: folder)
      #expect(refused.status == 10, "\(refused.standardOutput)\(refused.standardError)")
      #expect(refused.standardError.contains("Couchbase Lite 1"), "\(refused.standardError)")
      try FileManager.default.removeItem(atPath: old)
      let store = try make("3", in: folder)
      let body = "UPDATE \"kv_.people\" SET body = x'70018000' WHERE key = 'person-1'"
      try Python.edit("\(store)/db.sqlite3", body)
      let damaged = try await run(["inspect", store], in: folder)
      #expect(damaged.status == 10, "\(damaged.standardOutput)\(damaged.standardError)")
      #expect(damaged.standardError.contains("person-1"), "\(damaged.standardError)")
    }
  }
}
