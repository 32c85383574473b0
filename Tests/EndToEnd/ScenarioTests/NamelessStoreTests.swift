import Foundation
import JSONText
import TestSupport
import Testing

/// Stores that have no identity of their own, several of one shape beside each other.
@Suite(.timeLimit(.minutes(3))) struct NamelessStoreTests {
  @Test func `no record of one database is deleted because another database of its shape lacks it`()
    async throws
  {
    try await withNotes { notes in
      let first = try notes.database("first", "('a', 'one'), ('b', 'two'), ('c', 'three')")
      let other = try notes.database("other", "('x', 'one'), ('y', 'two'), ('z', 'three')")
      try await notes.migrate(first).exits(0)
      let before = try notes.kept()
      for more in [["--delete", "-n"], ["--delete"], []] {
        let refused = try await notes.migrate(other, more).exits(12)
        for words in [first, other, "--state-dir", "--accept-change store"] {
          #expect(refused.standardError.contains(words), "\(refused)")
        }
        #expect(try notes.kept() == before)
      }
      try await notes.migrate(first, ["--delete"]).exits(0)
      #expect(try notes.kept() == before)
    }
  }

  @Test func `rows that two databases number alike are not written over each other`() async throws {
    try await withNotes { notes in
      let first = try notes.database("first", "('1', 'one'), ('2', 'two'), ('3', 'three')")
      let other = try notes.database("other", "('1', 'red'), ('2', 'blue'), ('3', 'green')")
      try await notes.migrate(first).exits(0)
      let before = try notes.kept()
      try await notes.migrate(other).exits(12)
      #expect(try notes.kept() == before)
    }
  }

  @Test func `a few common rows do not make two databases one`() async throws {
    try await withNotes { notes in
      let first = try notes.database("first", "('inbox', 'Inbox')", count: 40, title: "mine")
      let other = try notes.database("other", "('inbox', 'Inbox')", count: 40, title: "hers")
      try await notes.migrate(first).exits(0)
      let before = try notes.kept()
      try await notes.migrate(other).exits(12)
      #expect(try notes.kept() == before)
    }
  }

  @Test func `preferences of the same name in another folder are not taken for the first`()
    async throws
  {
    try await withNotes { notes in
      let first = try notes.preferences("first", [("a", "one"), ("b", "two")])
      let other = try notes.preferences("other", [("x", "one"), ("y", "two")])
      try await notes.migrate(first, profile: NoteFiles.ofPreferences).exits(0)
      let before = try notes.kept()
      let refused = try await notes.migrate(
        other,
        ["--delete"],
        profile: NoteFiles.ofPreferences
      ).exits(12)
      #expect(refused.standardError.contains(other))
      #expect(try notes.kept() == before)
    }
  }

  @Test func `a package carries the path at which its store was read`() async throws {
    try await withNotes { notes in
      let first = try notes.database("first", "('a', 'one'), ('b', 'two'), ('c', 'three')")
      let other = try notes.database("other", "('x', 'one'), ('y', 'two'), ('z', 'three')")
      let packages = try await [notes.exported(first), notes.exported(other)]
      try await notes.upload(packages[0], ["--delete"]).exits(0)
      let before = try notes.kept()
      let refused = try await notes.upload(packages[1], ["--delete"]).exits(12)
      #expect([first, other].allSatisfy { refused.standardError.contains($0) })
      #expect(try notes.kept() == before)
      #expect(try await notes.migrate(first).count("unchanged") == 3)
    }
  }

  @Test func `a database made anew in the same place is not written over the first`() async throws {
    try await withNotes { notes in
      let store = try notes.database("first", "('1', 'one'), ('2', 'two'), ('3', 'three')")
      try await notes.migrate(store).exits(0)
      let before = try notes.kept()
      try Python.edit(
        store,
        "DELETE FROM Note",
        "INSERT INTO Note VALUES ('1', 'red'), ('2', 'blue')"
      )
      for more in [["-n"], [], ["--delete"]] {
        let refused = try await notes.migrate(store, more).exits(12)
        #expect(refused.standardError.contains("each of its numbered rows was edited"))
        #expect(try notes.kept() == before)
      }
    }
  }

  @Test func `a refusal of new UUIDs says that none of them was sent before`() async throws {
    try await withNotes { notes in
      let store = try notes.database("first", "('1', 'one'), ('2', 'two')")
      try await notes.migrate(store).exits(0)
      try Python.edit(
        store,
        "DELETE FROM Note",
        "INSERT INTO Note VALUES ('6D1B4B0E-6F0C-4B1E-9C57-0D7A5E8C2A11', 'red')"
      )
      let refused = try await notes.migrate(store).exits(12)
      let words = "was sent before with the content that it has, or under a UUID"
      #expect(refused.standardError.contains(words), "\(refused)")
    }
  }

  @Test func `each of two databases is migrated with its own state folder`() async throws {
    try await withNotes { notes in
      let first = try notes.database("first", "('a', 'one'), ('b', 'two')")
      let other = try notes.database("other", "('x', 'one'), ('y', 'two')")
      for _ in 1...2 {
        try await notes.migrate(first, ["--delete"]).exits(0)
        try await notes.migrate(other, ["--delete"], state: "second").exits(0)
        #expect(try notes.kept().keys.sorted() == ["a.json", "b.json", "x.json", "y.json"])
      }
    }
  }

  // MARK: - What is the same store after all

  @Test func `a database that was moved and edited is migrated once the user accepts it`()
    async throws
  {
    try await withNotes { notes in
      let first = try notes.database("first", "('a', 'one'), ('b', 'two'), ('c', 'three')")
      try await notes.migrate(first).exits(0)
      let moved = try notes.copy(first, into: "moved")
      try Python.edit(
        moved,
        "DELETE FROM Note WHERE id = 'b'",
        "UPDATE Note SET title = 'ONE' WHERE id = 'a'",
        "INSERT INTO Note VALUES ('d', 'four')"
      )
      try await notes.migrate(moved, ["--delete"]).exits(12)
      let again = try await notes.migrate(moved, ["--delete", "--accept-change", "store"]).exits(0)
      for outcome in ["created", "updated", "deleted", "unchanged"] {
        #expect(again.count(outcome) == 1, "\(outcome): \(again)")
      }
      #expect(try notes.kept().keys.sorted() == ["a.json", "c.json", "d.json"])
      // The checkpoint is that of the moved one from then on.
      #expect(try await notes.migrate(moved, ["--delete"]).count("unchanged") == 3)
      try await notes.migrate(first).exits(12)
    }
  }

  @Test func `a copy with the same bytes is another store until that is accepted`() async throws {
    try await withNotes { notes in
      let first = try notes.database("first", "('a', 'one'), ('b', 'two')")
      try await notes.migrate(first).exits(0)
      let moved = try notes.copy(first, into: "moved")
      try await notes.migrate(moved).exits(12)
      try await notes.migrate(moved, ["--accept-change", "store"]).exits(0)
      try Python.edit(moved, "UPDATE Note SET title = 'ONE' WHERE id = 'a'")
      #expect(try await notes.migrate(moved).count("updated") == 1)
    }
  }

  @Test func `records with UUIDs as keys are the same, however many were edited`() async throws {
    try await withNotes { notes in
      let key = "5f0c1f2e-8a55-4c1b-9d55-0b7a3f6f2c11"
      let store = try notes.database("first", "('\(key)', 'one')")
      try await notes.migrate(store).exits(0)
      try Python.edit(store, "UPDATE Note SET title = 'ONE'")
      let again = try await notes.migrate(store).exits(0)
      #expect(again.count("updated") == 1)
    }
  }

  @Test func `numbered records are unchanged if only unsent fields were edited`() async throws {
    try await withNotes { notes in
      let store = try notes.database("first", "('1', 'one'), ('2', 'two')")
      try Python.edit(store, "ALTER TABLE Note ADD COLUMN state TEXT")
      try await notes.migrate(store, profile: NoteFiles.withState).exits(0)
      try Python.edit(store, "UPDATE Note SET state = 'synced'")
      let again = try await notes.migrate(store, profile: NoteFiles.withState).exits(0)
      #expect(again.count("unchanged") == 2, "\(again)")
    }
  }

  @Test func `a database whose numbered rows were all edited is migrated once the user accepts it`()
    async throws
  {
    try await withNotes { notes in
      let store = try notes.database("first", "('1', 'one')", count: 12, title: "old")
      let first = try await notes.exported(store)
      try await notes.upload(first, []).exits(0)
      let before = try notes.kept()
      try Python.edit(store, "UPDATE Note SET title = 'new ' || title")
      let edited = try await notes.exported(store, as: "edited")
      try await notes.upload(edited, ["-n"]).exits(12)
      try await notes.upload(edited, []).exits(12)
      #expect(try notes.kept() == before)
      let again = try await notes.upload(edited, ["--accept-change", "store"]).exits(0)
      #expect(again.count("updated") == 13)
      try await notes.upload(edited, ["--delete"]).exits(0)
      #expect(try notes.kept().count == 13)
    }
  }

  @Test(arguments: [0, 12])
  func `a database with only new rows is migrated once the user accepts it`(count: Int)
    async throws
  {
    try await withNotes { notes in
      let store = try notes.database("first", "('a', 'one')", count: count, title: "old")
      try await notes.migrate(store).exits(0)
      let before = try notes.kept()
      try Python.edit(
        store,
        "UPDATE Note SET id = 'new' || id, title = 'new ' || title"
      )
      try await notes.migrate(store, ["--delete"]).exits(12)
      #expect(try notes.kept() == before)
      let accepted = try await notes.migrate(store, ["--delete", "--accept-change", "store"])
      #expect(accepted.status == 0, "\(accepted)")
      #expect(try notes.kept().count == count + 1)
      #expect(try notes.kept()["newa.json"] != nil)
      try await notes.migrate(store, ["--delete"]).exits(0)
    }
  }

  @Test func `another mapping of the same rows is another profile, not another store`()
    async throws
  {
    try await withNotes { notes in
      let store = try notes.database("first", "('1', 'one')", count: 12, title: "old")
      try await notes.migrate(store).exits(0)
      try await notes.migrate(
        store,
        ["--accept-change", "profile"],
        profile: NoteFiles.withMore
      ).exits(0)
    }
  }
}

/// Notes in stores of one shape, a folder that they go to, and what moves them there.
private struct NoteFiles {
  let folder: String

  /// Makes a database in a folder of its own; with `count`, of so many further rows.
  func database(
    _ name: String,
    _ rows: String,
    count: Int = 0,
    title: String = ""
  ) throws -> String {
    let path = try place(name) + "/notes.sqlite"
    try Python.edit(
      path,
      "CREATE TABLE Note (id TEXT PRIMARY KEY NOT NULL, title TEXT)",
      "INSERT INTO Note VALUES \(rows)",
      """
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < \(100 + count))
      INSERT INTO Note SELECT i, '\(title) ' || i FROM n WHERE i > 100
      """
    )
    return path
  }

  /// Makes preferences, all of one name, in a folder of their own.
  func preferences(_ name: String, _ rows: [(id: String, title: String)]) throws -> String {
    let path = try place(name) + "/com.example.notes.plist"
    let list = rows.map { #"{"id": "\#($0.id)", "title": "\#($0.title)"}"# }
    try Python.run([
      "-c",
      """
      import plistlib, sys
      plistlib.dump({'notes': sys.argv[2].encode()}, open(sys.argv[1], 'wb'))
      """, path, "[\(list.joined(separator: ", "))]",
    ])
    return path
  }

  /// Copies a database, with its log, to another folder.
  func copy(_ database: String, into name: String) throws -> String {
    let path = try place(name) + "/notes.sqlite"
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: database + ending, toPath: path + ending)
    }
    return path
  }

  private func place(_ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try makeFolder(path)
    return path
  }

  func migrate(
    _ store: String,
    _ more: [String] = [],
    profile: String = NoteFiles.profile,
    state: String = "state"
  ) async throws -> Answer {
    try await ferry(["migrate", store] + destination + more, profile, state: state)
  }

  func upload(_ package: String, _ more: [String]) async throws -> Answer {
    try await ferry(["upload", package] + destination + more, Self.profile)
  }

  func exported(_ store: String, as name: String = "notes") async throws -> String {
    let package = "\(store).\(name).ferry"
    let answer = try await ferry(["export", store, "-o", package], Self.profile)
    guard answer.status == 0 else { throw TestSupportError(answer.standardError) }
    return package
  }

  /// What lies in the folder, by the names of the files.
  func kept() throws -> [String: Data] {
    var kept: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept/Note") {
      kept[name] = try Data(contentsOf: URL(filePath: "\(folder)/kept/Note/\(name)"))
    }
    return kept
  }

  private var destination: [String] { ["--to", "file:\(folder)/kept"] }

  private func ferry(
    _ arguments: [String],
    _ profile: String,
    state: String = "state"
  ) async throws -> Answer {
    let path = "\(folder)/profile.yaml"
    try profile.save(to: path)
    return try await Answer(
      FerryProgram().run(
        arguments + ["--profile", path, "--format", "ndjson", "--progress", "none"],
        state: "\(folder)/\(state)"
      )
    )
  }

  static let profile = NoteFolder.profile

  /// The same, with one member more in each record.
  static let withMore =
    profile
    .replacing("fields: { id: id,", with: "fields: { id: id, also: title,")
    .replacing("body: { id: id,", with: "body: { id: id, also: also,")

  /// The same, with a column in each record that is not sent.
  static let withState =
    profile
    .replacing("app: notes", with: "app: notes\naccept-unmapped: [Note.state]")
    .replacing("title: title }\n", with: "title: title, state: state }\n")
    .replacing("title: title } }", with: "title: title }, unmapped: [state] }")

  static let ofPreferences = profile.replacing(
    "entities:\n  Note:\n    identity",
    with: "omit-entities: [Preferences]\nentities:\n  Note:\n    from: notes\n    identity"
  )
}

private func withNotes(_ body: (NoteFiles) async throws -> Void) async throws {
  try await withTemporaryFolder { folder in try await body(NoteFiles(folder: folder)) }
}
