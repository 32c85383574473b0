import Foundation
import JSONText
import TestSupport
import Testing

/// Servers that state no versions: what another device changed there is identified by its content alone.
@Suite(.timeLimit(.minutes(5))) struct ContentVersionTests {
  /// Sends two notes, then changes the title of the first one at the server.
  private func changedThere(
    conflict: String = "fail",
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict, listsRevisions: false) { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      let first = try await app.scenario.migrate()
      #expect(first.count("created", of: "note") == 2, "\(first)")
      try change("n1", app)
      try await body(app)
    }
  }

  private func change(_ id: String, _ app: NoteStore) throws {
    try app.change(id, ["title": "theirs"])
  }

  private func member(_ name: String, _ id: String, _ app: NoteStore) throws -> JSONValue? {
    try app.server()[id]?["data"]?[name]
  }

  @Test func `a record that both sides changed is a conflict, and the remote content stays`()
    async throws
  {
    try await changedThere { app in
      try app.sql("UPDATE note SET title = 'mine'")
      let answer = try await app.scenario.migrate().exits(6)
      #expect(answer.count("conflicted", of: "note") == 1)
      #expect(try member("title", "n1", app) == "theirs")
      #expect(try member("title", "n2", app) == "mine")
    }
  }

  @Test func `a change only in the store is sent, however often`() async throws {
    try await changedThere { app in
      for title in ["once", "twice", "once"] {
        try app.sql("UPDATE note SET title = '\(title)' WHERE id = 'n2'")
        let answer = try await app.scenario.migrate()
        #expect(answer.count("updated", of: "note") == 1, "\(answer)")
        #expect(answer.count("conflicted", of: "note") == 0)
        #expect(try member("title", "n2", app)?.text == title)
      }
    }
  }

  @Test func `a record whose reference changed only in the store is sent`() async throws {
    try await changedThere { app in
      try app.sql(
        "INSERT INTO book VALUES ('b2', 'Other', 'new', NULL)",
        "UPDATE note SET book_id = 'b2' WHERE id = 'n2'"
      )
      let answer = try await app.scenario.migrate()
      #expect(answer.count("conflicted", of: "note") == 0, "\(answer)")
      #expect(answer.count("updated", of: "note") == 1)
      #expect(try member("book", "n2", app) == "b2")
    }
  }

  @Test func `a record whose reference another device changed is a conflict`() async throws {
    try await changedThere { app in
      try app.sql("INSERT INTO book VALUES ('b2', 'Other', 'new', NULL)")
      #expect(try await app.scenario.migrate().count("created", of: "book") == 1)
      try app.change("n2", ["book": "b2"])
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n2'")
      try await app.scenario.migrate().exits(6)
      #expect(try member("title", "n2", app) == "a title")
    }
  }

  @Test func `a remote change after the plan is a conflict`() async throws {
    try await changedThere { app in
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n2'")
      let reading = "GET /collections/notes/records/n2"
      try app.scenario.backend.setFaults("status:1:503@\(reading)")
      let stopped = try await app.scenario.migrate()
      #expect(stopped.status != 0)
      #expect(stopped.count("updated", of: "note") == 0)
      try app.scenario.backend.setFaults("")
      try change("n2", app)
      try await app.scenario.migrate().exits(6)
      #expect(try member("title", "n2", app) == "theirs")
    }
  }

  // MARK: - What was made and not completed

  /// Sends a note that is asked to be liked in a second step, which the server refuses.
  private func uncompleted(
    conflict: String = "fail",
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict, listsRevisions: false) { app in
      let later = "favourite: { field: favourite, on: complete }"
      try String(at: app.scenario.profile).replacing("favourite: favourite", with: later)
        .save(to: app.scenario.profile)
      var note = NoteStore.Note(id: "n1")
      note.isFavourite = true
      try app.add(note)
      try app.scenario.backend.setFaults("status:1:422@PATCH /collections")
      let first = try await app.scenario.migrate()
      #expect(first.count("created", of: "note") == 1, "\(first)")
      #expect(try member("favourite", "n1", app) == nil)
      try app.scenario.backend.setFaults("")
      try await body(app)
    }
  }

  @Test func `an incomplete record that both sides changed is a conflict`()
    async throws
  {
    try await uncompleted { app in
      try change("n1", app)
      try app.sql("UPDATE note SET plays = 3")
      let answer = try await app.scenario.migrate().exits(6)
      #expect(answer.findings("plan.conflict").count == 1)
      #expect(try member("title", "n1", app) == "theirs")
    }
  }

  @Test(arguments: ["fail", "merge"])
  func `an incomplete record is completed with a local change`(
    policy: String
  ) async throws {
    try await uncompleted(conflict: policy) { app in
      try app.sql("UPDATE note SET plays = 3")
      try await app.scenario.migrate().exits(0)
      #expect(try member("plays", "n1", app) == 3)
      #expect(try member("favourite", "n1", app) == true)
    }
  }

  @Test(arguments: ["fail", "remote"])
  func `an incomplete record is completed although the server filled its field`(
    policy: String
  ) async throws {
    try await uncompleted(conflict: policy) { app in
      try app.change("n1", ["favourite": false])
      try app.sql("UPDATE note SET plays = 3")
      try await app.scenario.migrate().exits(0)
      #expect(try member("plays", "n1", app) == 3)
      #expect(try member("favourite", "n1", app) == true)
    }
  }

  // MARK: - What no other device changed

  /// Sends a note with other rules in its profile, and lends it.
  private func sent(
    _ rules: [(String, String)],
    _ statements: String...,
    body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: "fail", listsRevisions: false) { app in
      let path = app.scenario.profile
      var profile = try String(at: path)
      for (old, new) in rules { profile.replace(old, with: new) }
      try profile.save(to: path)
      try app.add(.init(id: "n1"))
      for statement in statements { try app.sql(statement) }
      try await app.scenario.migrate().exits(0)
      try await body(app)
    }
  }

  /// Changes the note's title here alone, which has to arrive.
  private func expectSent(_ app: NoteStore) async throws {
    try app.sql("UPDATE note SET title = 'mine'")
    let answer = try await app.scenario.migrate()
    #expect(answer.count("conflicted", of: "note") == 0, "\(answer)")
    #expect(try member("title", "n1", app) == "mine")
  }

  private static let placeholder = ("rating: rating\n", "rating: { field: rating, default: 3 }\n")

  @Test func `a placeholder for a missing value is not a change`()
    async throws
  {
    try await sent([Self.placeholder], "UPDATE note SET rating = NULL") { app in
      #expect(try member("rating", "n1", app) == 3)
      try await expectSent(app)
    }
  }

  @Test
  func
    `a record with a placeholder for a missing value is deleted after its deletion in the store`()
    async throws
  {
    try await sent([Self.placeholder], "UPDATE note SET rating = NULL") { app in
      try app.sql("UPDATE note SET state = 'gone'")
      let answer = try await app.scenario.migrate()
      #expect(answer.count("deleted", of: "note") == 1, "\(answer)")
      #expect(try app.server().isEmpty)
    }
  }

  @Test func `a default that the server fills in is not a change`()
    async throws
  {
    let rules = [
      (
        "      tags: { attribute",
        "      mood: { attribute: mood, absent: omit }\n      tags: { attribute"
      ),
      ("        tags: tags\n", "        tags: tags\n        mood: mood\n"),
    ]
    try await sent(rules) { app in
      try app.change("n1", ["mood": "calm"])
      try await expectSent(app)
    }
  }

  @Test func `a reference that is sent as a number counts as no change of either side`()
    async throws
  {
    let rule = (
      "        book: { reference: book }", "        book: { reference: book, as: number }"
    )
    try await sent(
      [rule],
      "INSERT INTO book VALUES ('5', 'Fifth', 'new', NULL)",
      "UPDATE note SET book_id = '5'"
    ) { app in
      #expect(try member("book", "n1", app) == 5)
      try await expectSent(app)
    }
  }
}
