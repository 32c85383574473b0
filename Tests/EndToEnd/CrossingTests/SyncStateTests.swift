import Foundation
import JSONText
import TestSupport
import Testing

/// What an app's own store knows of its server, and what a plan makes of it.
///
/// The numbers in the names are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(5))) struct SyncStateTests {
  @Test func `000-13 a row with the server's identity is adopted, and never made again`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "a title"])
      let version = try app.version("srv-1")
      try app.add(.init(id: "n1", state: "edited", serverID: "srv-1", version: version))
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("updated", of: "note") == 1)
      #expect(Array(try app.server().keys) == ["srv-1"])
      let writes = try app.crossing.backend.writeCount()
      #expect(try await app.crossing.migrate().count("unchanged", of: "note") == 1)
      #expect(try app.crossing.backend.writeCount() == writes)
    }
  }

  @Test(arguments: ["new", "done", "edited"])
  func `000-22, 000-33 whatever its state says, a row without a server identity is made`(
    state: String
  ) async throws {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", state: state))
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("created", of: "note") == 1)
      #expect(try app.server()["n1"]?["data"]?["title"] == "a title")
    }
  }

  @Test func `000-37 what was deleted before it was ever sent is not sent, and the plan says so`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(
        .init(id: "n1", state: "gone"),
        .init(id: "n2", deleted: "2024-05-02T00:00:00Z"),
        .init(id: "n3")
      )
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("skipped", of: "note") == 2)
      #expect(Array(try app.server().keys) == ["n3"])
      let left = answer.findings("plan.left").filter { $0["entity"] == "note" }
      #expect(left.compactMap { $0["cause"]?.text }.contains { $0.contains("2 record(s)") })
    }
  }

  @Test func `a note of a book that the user deleted goes on naming it as the server knew it`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-b", ["title": "Old"], in: "books")
      try app.sql("INSERT INTO book VALUES ('b2', 'Old', 'done', 'srv-b')")
      try app.add(.init(id: "n1", book: "b2"))
      let first = try await app.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(try app.server()["n1"]?["data"]?["book"] == "srv-b")
      try app.sql("UPDATE book SET state = 'gone' WHERE id = 'b2'")
      let second = try await app.crossing.migrate()
      #expect(second.count("deleted", of: "book") == 1, "\(second.standardOutput)")
      try app.sql("UPDATE note SET title = 'another' WHERE id = 'n1'")
      let third = try await app.crossing.migrate()
      #expect(third.status == 0, "\(third.standardOutput)\(third.standardError)")
      let note = try app.server()["n1"]?["data"]
      #expect(note?["title"] == "another")
      #expect(note?["book"] == "srv-b")
      #expect(third.value("verification")?["clean"] == true)
    }
  }

  @Test
  func `000-36, 004-9 a row that the user deleted is deleted at the server, last, for good`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-b", ["title": "Old"], in: "books")
      try app.seed("srv-1", ["title": "a title"])
      let version = try app.version("srv-1")
      try app.sql("INSERT INTO book VALUES ('b2', 'Old', 'gone', 'srv-b')")
      try app.add(
        .init(id: "n1", state: "gone", book: "b2", serverID: "srv-1", version: version),
        .init(id: "n2")
      )
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("deleted") == 2)
      let methods = try app.crossing.backend.changes().compactMap { $0["method"]?.text }
        .filter { $0 == "PUT" || $0 == "DELETE" }
      #expect(methods == ["PUT", "PUT", "DELETE", "DELETE"])
      let paths = try app.crossing.backend.changes().suffix(2).compactMap { $0["path"]?.text }
      #expect(paths.map { $0.contains("/notes/") } == [true, false])
      let file = "\(app.crossing.folder)/handback.json"
      #expect(try await app.crossing.ferry(["handback", try answer.run(), "-o", file]).status == 0)
      let handback = try JSONValue(parsing: String(contentsOfFile: file, encoding: .utf8))
      #expect(
        try PublishedForm.faults(of: handback, under: "ferry.handback.v1.schema.json").isEmpty
      )
      let entry = handback["records"]?.array?.first { $0["localID"] == "n1" }
      #expect(entry?["status"] == "deleted")
      let again = try await app.crossing.migrate()
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(again.count("skipped", of: "note") == 1)
      #expect(Array(try app.server().keys) == ["n2"])
    }
  }

  @Test func `where the key is the server's identity, a deleted row is deleted there`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("n1", ["title": "a title"])
      let version = try app.version("n1")
      try app.add(.init(id: "n1", version: version, deleted: "2024-05-02T00:00:00Z"))
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("deleted", of: "note") == 1)
      #expect(try app.server().isEmpty)
    }
  }

  @Test func `000-19 of two rows with one identity of the server's the second is a fault`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "a title"])
      let version = try app.version("srv-1")
      try app.add(
        .init(id: "n1", state: "edited", serverID: "srv-1", version: version),
        .init(id: "n2", title: "mine", state: "edited", serverID: "srv-1", version: version)
      )
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 3, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("rejected", of: "note") == 1)
      #expect(answer.findings("record.shared-identity").compactMap { $0["record"]?.text } == ["n2"])
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "a title")
    }
  }

  @Test func `a row whose record is gone at the server is a conflict, and is not made again`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", state: "edited", serverID: "srv-9", version: 3))
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 6)
      #expect(answer.count("conflicted", of: "note") == 1)
      #expect(try app.server().isEmpty)
    }
  }

  @Test func `004-10 the app's own version is the first base: moved at the server is a conflict`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "theirs"])
      let seen = try app.version("srv-1")
      try app.seed("srv-1", ["title": "theirs, later"])
      try app.add(
        .init(id: "n1", title: "mine", state: "edited", serverID: "srv-1", version: seen)
      )
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 6)
      #expect(answer.count("conflicted", of: "note") == 1)
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "theirs, later")
    }
  }

  @Test(arguments: [false, true])
  func `000-12, 000-41 a synced row that the server has newer leaves the server's as it is`(
    itsBookIsThere: Bool
  ) async throws {
    try await NoteStore.with { app in
      if itsBookIsThere { #expect(try await app.crossing.migrate().status == 0) }
      try app.seed("srv-1", ["title": "theirs"])
      let seen = try app.version("srv-1")
      try app.seed("srv-1", ["title": "theirs, later"])
      try app.add(.init(id: "n1", state: "done", serverID: "srv-1", version: seen))
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.findings("plan.trails").count == 1)
      // A later edit of the stale row does not run over what the server has.
      try app.sql("UPDATE note SET state = 'edited', title = 'mine' WHERE id = 'n1'")
      let second = try await app.crossing.migrate()
      #expect(second.status == 6, "\(second.standardOutput)")
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "theirs, later")
    }
  }

  @Test
  func `000-41 a row without a base that differs is a conflict, and without one it is not sent`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "theirs"])
      try app.add(.init(id: "n1", title: "mine", state: "edited", serverID: "srv-1"))
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 6)
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "theirs")
    }
  }

  @Test func `a row deleted here and changed at the server is a conflict`() async throws {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "a title"])
      let seen = try app.version("srv-1")
      try app.seed("srv-1", ["title": "edited there"])
      try app.add(.init(id: "n1", state: "gone", serverID: "srv-1", version: seen))
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 6)
      #expect(answer.count("conflicted", of: "note") == 1)
      #expect(try app.server().count == 1)
      let local = try await app.crossing.migrate(["--on-conflict", "local"])
      #expect(local.status == 0, "\(local.standardOutput)\(local.standardError)")
      #expect(try app.server().isEmpty)
    }
  }

  @Test(arguments: [
    "server", "merge", "{ policy: newest, newest: { here: modified, there: when } }",
  ])
  func `a deletion that gave way is not carried out by a later run`(policy: String) async throws {
    try await NoteStore.with(conflict: policy) { app in
      try app.seed("srv-1", ["title": "a title"])
      let seen = try app.version("srv-1")
      try app.seed("srv-1", ["title": "edited there"])
      try app.add(.init(id: "n1", state: "gone", serverID: "srv-1", version: seen))
      for run in 1...3 {
        let answer = try await app.crossing.migrate()
        #expect(answer.status == 6, "run \(run): \(answer.standardOutput)")
        #expect(answer.findings("plan.yielded").count == 1, "run \(run)")
        #expect(try app.server().count == 1)
      }
    }
  }

  // 000-8, 003-21: who is authoritative of what.
  @Test
  func `000-11, 002-4 what follows from others or is the server's is exported, counted, not sent`()
    async throws
  {
    try await NoteStore.with { app in
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("skipped", of: "streak") == 2)
      #expect(answer.count("skipped", of: "user") == 1)
      let causes = answer.findings("plan.left").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("2 record(s) of streak") && $0.contains("follow") })
      #expect(causes.contains { $0.contains("1 record(s) of user") && $0.contains("server's own") })
    }
  }

  @Test func `what the app did not mean for the server is not sent`() async throws {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", state: "mine"), .init(id: "n2", state: "odd"))
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(Array(try app.server().keys) == ["n2"])
      #expect(answer.findings("plan.state").count == 1)
    }
  }

  @Test(arguments: [0.05, 0.2, 0.4])
  func `killed among creates and deletes, the same line ends the same`(wait: Double) async throws {
    try await NoteStore.with { app in
      for number in 1...12 {
        try app.seed("srv-\(number)", ["title": "a title"])
        let version = try app.version("srv-\(number)")
        try app.add(
          .init(id: "d\(number)", state: "gone", serverID: "srv-\(number)", version: version),
          .init(id: "n\(number)")
        )
      }
      try app.crossing.backend.setFaults("delay:1:30ms@DELETE /collections;drop-after:5")
      for _ in 0..<2 {
        _ = try await app.crossing.program.run(
          ["migrate", app.crossing.sample.store] + app.crossing.destination,
          environment: app.crossing.environment,
          state: app.crossing.state,
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
      }
      try app.crossing.backend.setFaults("")
      let last = try await app.crossing.migrate()
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(Set(try app.server().keys) == Set((1...12).map { "n\($0)" }))
    }
  }
}
