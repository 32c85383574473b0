import Foundation
import JSONText
import TestSupport
import Testing

extension ConflictTests {
  @Test func `another device's content that a rollback restored counts as remote again`()
    async throws
  {
    try await NoteStore.withoutState(conflict: "remote") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.seed("n1", ["title": "theirs", "book": "b1"])
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      let sent = try await app.scenario.migrate(["--on-conflict", "local"])
      #expect(try member("title", app) == "mine")
      try await app.scenario.rollback(try sent.run()).exits(0)
      #expect(try member("title", app) == "theirs")
      for _ in 1...2 {
        let again = try await app.scenario.migrate()
        #expect(again.count("updated", of: "note") == 0, "\(again)")
        #expect(try member("title", app) == "theirs")
      }
    }
  }

  @Test(arguments: ["remote", "fail"])
  func `the store's own restored content is changed again, based on the remote content`(
    policy: String
  ) async throws {
    try await NoteStore.withoutState(conflict: policy) { app in
      // The server does not have a title that is empty.
      try String(at: app.scenario.profile)
        .replacing(
          "        title: title\n",
          with: "        title: { field: title, unless: \"\" }\n"
        )
        .replacing("      conflict:", with: "      compare: { title: blank }\n      conflict:")
        .save(to: app.scenario.profile)
      try app.add(.init(id: "n1", title: ""))
      try await app.scenario.migrate().exits(0)
      #expect(try member("title", app) == nil)
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      let sent = try await app.scenario.migrate()
      #expect(try member("title", app) == "mine")
      try await app.scenario.rollback(try sent.run()).exits(0)
      try await app.scenario.migrate().exits(0)
      #expect(try member("title", app) == "mine")
    }
  }

  @Test func `a value left to the remote stays when a change beside it is rolled back`()
    async throws
  {
    try await NoteStore.withoutState(conflict: "remote") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.change("n1", ["title": "theirs"])
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      #expect(try await app.scenario.migrate().findings("plan.conflict-kept-remote").count == 1)
      try app.sql("UPDATE note SET plays = 7 WHERE id = 'n1'")
      let beside = try await app.scenario.migrate()
      #expect(try member("plays", app) == 7)
      try await app.scenario.rollback(try beside.run()).exits(0)
      _ = try await app.scenario.migrate()
      #expect(try member("title", app) == "theirs")
    }
  }

  @Test
  func
    `001-39 merge: a field that both sides changed without a rule keeps the remote's value, and is listed`()
    async throws
  {
    try await conflicting(Self.merge, here: "title = 'mine'", there: ["title": "theirs"]) { app in
      let answer = try await app.scenario.migrate()
      #expect(try member("title", app) == "theirs")
      #expect(answer.findings("plan.merged").count == 1)
    }
  }

  @Test(arguments: [true, false])
  func `merge: a note that the app moved to another book names that book, old or new`(
    isMadeBefore: Bool
  ) async throws {
    let other = "INSERT INTO book VALUES ('b2', 'Other', 'new', NULL)"
    try await NoteStore.with(conflict: Self.merge) { app in
      try app.add(.init(id: "n1"))
      if isMadeBefore { try app.sql(other) }
      try await app.scenario.migrate().exits(0)
      if !isMadeBefore { try app.sql(other) }
      try app.change("n1", ["title": "theirs"])
      try app.sql("UPDATE note SET book_id = 'b2' WHERE id = 'n1'")
      let answer = try await app.scenario.migrate()
      #expect(answer.findings("plan.merged").isEmpty, "\(answer)")
      #expect(try member("book", app) == "b2")
      #expect(try member("title", app) == "theirs")
    }
  }

  @Test(arguments: [(merge, "plays = 5"), ("remote", "title = 'mine'")])
  func `the remote value stays when the note gets a reference to a new book`(
    policy: String,
    here: String
  ) async throws {
    try await conflicting(policy, here: here, there: ["title": "theirs"]) { app in
      _ = try await app.scenario.migrate()
      try app.sql(
        "INSERT INTO book VALUES ('b2', 'Other', 'new', NULL)",
        "UPDATE note SET book_id = 'b2' WHERE id = 'n1'"
      )
      let answer = try await app.scenario.migrate()
      #expect(try member("book", app) == "b2", "\(answer)")
      #expect(try member("title", app) == "theirs")
    }
  }

  @Test func `remote: the kept remote value of a note that names a new book is clean at verify`()
    async throws
  {
    let here = "title = 'mine', book_id = 'b2'"
    try await conflicting("remote", here: here, there: ["title": "theirs"]) { app in
      try app.sql("INSERT INTO book VALUES ('b2', 'Other', 'new', NULL)")
      let answer = try await app.scenario.migrate()
      #expect(answer.findings("plan.conflict-kept-remote").count == 1)
      #expect(answer.value("verification")?["clean"] == true, "\(answer)")
      #expect(try member("title", app) == "theirs")
    }
  }

  @Test func `000-50 sum: counts are added once, however often the same line runs`() async throws {
    var note = NoteStore.Note(id: "n1")
    note.plays = 3
    try await conflicting(Self.merge, here: "plays = 5", there: ["plays": 10], note: note) { app in
      for _ in 0..<3 {
        try await app.scenario.migrate().exits(0)
        #expect(try member("plays", app) == 12)
      }
      try app.sql("UPDATE note SET plays = 6 WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      #expect(try member("plays", app) == 13)
    }
  }

  @Test func `a merge that was rolled back is merged anew, and loses nothing`() async throws {
    var note = NoteStore.Note(id: "n1")
    note.plays = 3
    try await conflicting(Self.merge, here: "plays = 5", there: ["plays": 10], note: note) { app in
      let merged = try await app.scenario.migrate()
      #expect(try member("plays", app) == 12)
      try await app.scenario.rollback(try merged.run()).exits(0)
      #expect(try member("plays", app) == 10)
      let again = try await app.scenario.migrate().exits(0)
      let plays = try member("plays", app)
      #expect(plays == 12, "\(again)")
    }
  }

  @Test func `000-47, 003-25 union: additions of both sides are kept`() async throws {
    var note = NoteStore.Note(id: "n1")
    note.tags = #"["a"]"#
    try await conflicting(
      Self.merge,
      here: #"tags = '["a","b"]'"#,
      there: ["tags": ["a", "c"]],
      note: note
    ) { app in
      try await app.scenario.migrate().exits(0)
      #expect(try member("tags", app) == ["a", "c", "b"])
    }
  }

  @Test(arguments: [
    (false, true, false, true), (false, false, true, true), (true, false, true, false),
  ])
  func `000-49 or: a flag that one side set is set, and one that one side cleared is cleared`(
    base: Bool,
    here: Bool,
    there: Bool,
    isKept: Bool
  ) async throws {
    var note = NoteStore.Note(id: "n1")
    note.isFavourite = base
    try await conflicting(
      Self.merge,
      here: "title = 'mine', favourite = \(here ? 1 : 0)",
      there: ["plays": 2, "favourite": .boolean(there)],
      note: note
    ) { app in
      try await app.scenario.migrate().exits(0)
      #expect(try member("favourite", app) == .boolean(isKept))
    }
  }

  @Test(arguments: [(4.5, 4.75), (1.0, 5.0)])
  func `003-27 average: close ratings are averaged, and of distant ones the remote's is kept`(
    here: Double,
    isKept: Double
  ) async throws {
    try await conflicting(Self.merge, here: "rating = \(here)", there: ["rating": 5]) { app in
      _ = try await app.scenario.migrate()
      #expect(try member("rating", app)?.double == isKept)
    }
  }

  @Test func `a decision to merge merges both sides`() async throws {
    try await conflicting("ask", here: "title = 'mine'", there: ["plays": 3]) { app in
      let file = "\(app.scenario.folder)/decisions.json"
      try await app.scenario.migrate(["--decisions", file]).exits(6)
      let written = try JSONValue(parsing: String(at: file))
      #expect(written["conflicts"]?[0]?["answers"] == ["local", "remote", "merge"])
      try decide(file, "merge")
      try await app.scenario.migrate(["--decisions", file]).exits(0)
      #expect(try member("title", app) == "mine")
      #expect(try member("plays", app) == 3)
    }
  }

  @Test
  func `a merge is not offered without a base, and a decision for it leaves the conflict open`()
    async throws
  {
    try await NoteStore.with(conflict: "ask") { app in
      try app.seed("n1", ["title": "theirs"])
      try app.add(.init(id: "n1", title: "mine"))
      let file = "\(app.scenario.folder)/decisions.json"
      try await app.scenario.migrate(["--decisions", file]).exits(6)
      let written = try JSONValue(parsing: String(at: file))
      #expect(written["conflicts"]?[0]?["answers"] == ["local", "remote"])
      try decide(file, "merge")
      let answer = try await app.scenario.migrate(["--decisions", file]).exits(6)
      let cause = answer.findings("plan.conflict").first?["cause"]?.text
      #expect(cause?.contains("“merge” cannot settle it") == true, "\(answer)")
      #expect(try member("title", app) == "theirs")
    }
  }

  @Test func `a deletion by absence is asked about where the server's record was changed`()
    async throws
  {
    try await NoteStore.with(conflict: "ask") { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      try app.seed("n1", ["title": "theirs", "book": "b1"])
      try app.sql("DELETE FROM note WHERE id = 'n1'")
      let flags = ["--delete", "--decisions", "\(app.scenario.folder)/decisions.json"]
      let open = try await app.scenario.migrate(flags).exits(6)
      #expect(open.findings("plan.conflict").count == 1)
      try decide(flags[2], "local")
      let decided = try await app.scenario.migrate(flags)
      #expect(decided.count("deleted") == 1, "\(decided)")
      #expect(try Array(app.server().keys) == ["n2"])
    }
  }

  @Test func `000-48 merge without a base keeps the remote's value`() async throws {
    try await NoteStore.with(conflict: Self.merge) { app in
      try app.seed("srv-1", ["title": "theirs", "plays": 4])
      try app.add(.init(id: "n1", title: "mine", state: "edited", serverID: "srv-1", plays: 9))
      let answer = try await app.scenario.migrate()
      #expect(answer.findings("plan.conflict-kept-remote").count == 1)
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "theirs")
      #expect(try app.server()["srv-1"]?["data"]?["plays"] == 4)
    }
  }

  @Test func `the policy ask can hold for one field of a merge`() async throws {
    let rules = "{ policy: merge, fields: { plays: sum, title: ask } }"
    try await conflicting(
      rules,
      here: "title = 'mine', plays = 2",
      there: ["title": "theirs", "plays": 5]
    ) { app in
      let file = "\(app.scenario.folder)/decisions.json"
      try await app.scenario.migrate(["--decisions", file]).exits(6)
      #expect(try member("plays", app) == 5)
      try decide(file, "local")
      try await app.scenario.migrate(["--decisions", file]).exits(0)
      #expect(try member("title", app) == "mine")
      #expect(try member("plays", app) == 7)
    }
  }

  @Test func `a decision on an earlier conflict does not decide a later one`() async throws {
    try await conflicting("ask", here: "title = 'mine'", there: ["title": "theirs"]) { app in
      let file = "\(app.scenario.folder)/decisions.json"
      try await app.scenario.migrate(["--decisions", file]).exits(6)
      try decide(file, "local")
      try app.change("n1", ["title": "theirs, again"])
      try await app.scenario.migrate(["--decisions", file]).exits(6)
      #expect(try member("title", app) == "theirs, again")
    }
  }

  @Test func `a file without a list of decisions is refused by name`() async throws {
    try await NoteStore.with(conflict: "ask") { app in
      let file = "\(app.scenario.folder)/decisions.json"
      try #"{"format": "1.0", "conflicts": [{"mark": "x", "decision": "perhaps"}]}"#.save(to: file)
      let answer = try await app.scenario.migrate(["--decisions", file]).exits(64)
      #expect(answer.standardError.contains(file))
      #expect(answer.standardError.contains("/conflicts/0"))
    }
  }
}
