import Foundation
import JSONText
import TestSupport
import Testing

extension NamelessStoreTests {
  @Test func `rows that two databases number alike are not written over each other`() async throws {
    try await withNoteFiles { notes in
      let first = try notes.database("first", "('1', 'one'), ('2', 'two'), ('3', 'three')")
      let other = try notes.database("other", "('1', 'red'), ('2', 'blue'), ('3', 'green')")
      try await notes.migrate(first).exits(0)
      let before = try notes.kept()
      try await notes.migrate(other).exits(12)
      #expect(try notes.kept() == before)
    }
  }

  @Test func `a few common rows do not make two databases one`() async throws {
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
      let key = "5f0c1f2e-8a55-4c1b-9d55-0b7a3f6f2c11"
      let store = try notes.database("first", "('\(key)', 'one')")
      try await notes.migrate(store).exits(0)
      try Python.edit(store, "UPDATE Note SET title = 'ONE'")
      let again = try await notes.migrate(store).exits(0)
      #expect(again.count("updated") == 1)
    }
  }

  @Test func `numbered records are unchanged if only unsent fields were edited`() async throws {
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
    try await withNoteFiles { notes in
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
