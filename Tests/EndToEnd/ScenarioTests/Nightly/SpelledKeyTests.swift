import Foundation
import JSONText
import TestSupport
import Testing

/// Two records whose keys are distinguished by how one letter is spelled: “é” as one code point and as two.
@Suite(.timeLimit(.minutes(2))) struct SpelledKeyTests {
  @Test func `a reference to one look-alike record does not become one to the other`() async throws
  {
    try await SpelledKeys.with { keys in
      let answer = try await keys.migrate().exits(0)
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try keys.bytes(of: "tag", in: "Item/1") == Array("caf\u{E9}".utf8))
      #expect(try keys.bytes(of: "tag", in: "Item/2") == Array("cafe\u{301}".utf8))
    }
  }

  @Test func `a change of two records with look-alike keys is sent without a conflict`()
    async throws
  {
    try await SpelledKeys.with { keys in
      let first = try await keys.migrate()
      try Python.edit(keys.store, "UPDATE Tag SET note = note || ' changed'")
      let second = try await keys.migrate().exits(0)
      #expect(second.count("updated", of: "Tag") == 2)
      for run in [try second.run(), try first.run()] {
        try await keys.ferry(["rollback", run]).exits(0)
      }
    }
  }

  @Test func `dependents of one look-alike record do not block the other's rollback`()
    async throws
  {
    try await SpelledKeys.with { keys in
      var other = keys
      other.device = "other"
      try other.makeTables()
      try Python.edit(
        other.store,
        "INSERT INTO Tag VALUES ('cafe' || char(769), 'two')",
        "INSERT INTO Item VALUES (2, 'cafe' || char(769))"
      )
      try Python.edit(
        keys.store,
        "DELETE FROM Item WHERE id = 2",
        "DELETE FROM Tag WHERE note = 'two'"
      )
      try await other.migrate().exits(0)
      let ours = try await keys.migrate().exits(0)
      try await keys.ferry(["rollback", try ours.run()]).exits(0)
      #expect(try keys.bytes(of: "tag", in: "Item/2") == Array("cafe\u{301}".utf8))
    }
  }
}

extension SpelledKeyTests {
  @Test func `a queued change of one look-alike record does not reach the other`() async throws {
    try await SpelledKeys.with { keys in
      try keys.addQueue()
      try await keys.migrate().exits(0)
      try Python.edit(
        keys.store,
        "INSERT INTO Waiting VALUES (1, 'change', 'caf' || char(233), '{\"note\": \"one, changed\"}'), "
          + "(2, 'change', 'cafe' || char(769), '{\"note\": \"two, changed\"}')"
      )
      try await keys.migrate().exits(0)
      #expect(try keys.note(of: "caf\u{E9}") == "one, changed")
      #expect(try keys.note(of: "cafe\u{301}") == "two, changed")
    }
  }

  @Test func `each quarantined record is repaired by its own line`() async throws {
    try await SpelledKeys.with { keys in
      try Python.edit(
        keys.store,
        "DELETE FROM Item",
        "UPDATE Tag SET note = note || ', and much too long'"
      )
      let (old, new) = ("\(keys.folder)/old.ferry", "\(keys.folder)/new.ferry")
      try await keys.run(["export", keys.store, "-o", old] + keys.profile).exits(0)
      try await keys.run(["validate", old, "--on-invalid", "quarantine"]).exits(3)
      let list = try await keys.run(["quarantine", "list"])
      let name = try #require(
        list.value("quarantine")?["packages"]?.array?.first?["package"]?.text
      )
      // Another count of lines than of records, so that each is found by its key.
      let lines = ["caf\u{E9}", "cafe\u{301}"].map { #"{"name":"\#($0)","note":"short"}"# }
      try (["", ""] + lines).joined(separator: "\n").save(to: "\(keys.folder)/Tag.jsonl")
      try await keys.run([
        "quarantine", "replay", name, "--package", old, "--records", keys.folder, "-o", new,
      ]).exits(0)
      #expect(try PackageLines(new).records("Tag").count == 2)
    }
  }
}

/// A plain database with two such tags and an item of each, and the folder that they go to.
private struct SpelledKeys {
  let folder: String
  /// Which device it is; each has a store and a state folder of its own.
  var device = "tags"

  var store: String { "\(folder)/\(device).sqlite" }

  static func with(_ body: (SpelledKeys) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let keys = SpelledKeys(folder: folder)
      try text.save(to: keys.profilePath)
      try schema.save(to: "\(folder)/Tag.schema.json")
      try keys.makeTables()
      try Python.edit(
        keys.store,
        "INSERT INTO Tag VALUES ('caf' || char(233), 'one'), ('cafe' || char(769), 'two')",
        "INSERT INTO Item VALUES (1, 'caf' || char(233)), (2, 'cafe' || char(769))"
      )
      try await body(keys)
    }
  }

  func makeTables() throws {
    try Python.edit(
      store,
      "CREATE TABLE Tag (name TEXT PRIMARY KEY NOT NULL, note TEXT)",
      "CREATE TABLE Item (id INTEGER PRIMARY KEY, tag_id TEXT REFERENCES Tag(name))"
    )
  }

  /// Gives the app a queue of changes of its tags that wait for the server.
  func addQueue() throws {
    try Self.text.replacing("    schema: Tag", with: "    sync: { evicts: true }\n    schema: Tag")
      .replacing("\napi:", with: "\n" + Self.queue + "\napi:")
      .save(to: profilePath)
    try Python.edit(
      store,
      "CREATE TABLE Waiting (id INTEGER PRIMARY KEY, kind TEXT, tag TEXT, payload TEXT)"
    )
  }

  func migrate() async throws -> Answer { try await ferry(["migrate", store]) }

  func ferry(_ arguments: [String]) async throws -> Answer {
    try await run(arguments + profile + ["--to", "file:\(folder)/kept"])
  }

  func run(_ arguments: [String]) async throws -> Answer {
    try await FerryProgram().answer(arguments, state: "\(folder)/\(device)-state")
  }

  /// The bytes of a text in a document, which no spelling is equal to but its own.
  func bytes(of member: String, in document: String) throws -> [UInt8] {
    let text = try String(at: "\(folder)/kept/\(document).json")
    return Array(try #require(try JSONValue(parsing: text)["data"]?[member]?.text).utf8)
  }

  /// The note of the tag that is spelled so.
  func note(of tag: String) throws -> String? {
    let tags = "\(folder)/kept/Tag"
    for name in try FileManager.default.contentsOfDirectory(atPath: tags)
    where name.hasSuffix(".json") {
      let text = try String(at: "\(tags)/\(name)")
      let data = try JSONValue(parsing: text)["data"]
      if data?["name"] == JSONValue.string(tag) { return data?["note"]?.text }
    }
    return nil
  }

  var profile: [String] { ["--profile", profilePath] }

  private var profilePath: String { "\(folder)/profile.yaml" }

  private static let schema = #"{"type": "object", "properties": {"note": {"maxLength": 20}}}"#

  private static let queue = """
      Waiting:
        role: derived
        identity: { attribute: id }
        carry: listed
        queue:
          kind: kind
          target: tag
          payload: payload
          kinds: { change: { entity: Tag, does: update } }
        fields: { id: id, kind: kind, tag: tag, payload: { attribute: payload, as: json } }
    """

  private static let text = """
    ferry-profile: 1
    app: tags
    entities:
      Tag:
        schema: Tag.schema.json
        identity: { attribute: name }
        carry: listed
        fields: { name: name, note: note }
      Item:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, tag: { reference: tag } }
    api:
      kind: folder
      entities:
        Tag: { body: { name: name, note: note } }
        Item: { body: { id: id, tag: { reference: tag } } }
    """
}
