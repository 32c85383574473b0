import Foundation
import JSONText
import TestSupport
import Testing

/// What an app's own store knows of its server, and what a plan makes of it.
///
/// The numbers in the names are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(5))) struct SyncStateTests {
  @Test func `000-13 a row with a remote identity is adopted, and not created again`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "a title"])
      let version = try app.version("srv-1")
      try app.add(.init(id: "n1", state: "edited", serverID: "srv-1", version: version))
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.count("updated", of: "note") == 1)
      #expect(Array(try app.server().keys) == ["srv-1"])
      let writes = try app.scenario.backend.writeCount()
      #expect(try await app.scenario.migrate().count("unchanged", of: "note") == 1)
      #expect(try app.scenario.backend.writeCount() == writes)
    }
  }

  @Test(arguments: ["new", "done", "edited"])
  func `000-22, 000-33 a row without a remote identity is created, regardless of its state`(
    state: String
  ) async throws {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", state: state))
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.count("created", of: "note") == 1)
      #expect(try app.server()["n1"]?["data"]?["title"] == "a title")
    }
  }

  @Test
  func `000-37 a record deleted before it was ever sent is not sent, and the plan reports it`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(
        .init(id: "n1", state: "gone"),
        .init(id: "n2", deleted: "2024-05-02T00:00:00Z"),
        .init(id: "n3")
      )
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.count("skipped", of: "note") == 2)
      #expect(Array(try app.server().keys) == ["n3"])
      let left = answer.findings("plan.skipped").filter { $0["entity"] == "note" }
      #expect(left.compactMap { $0["cause"]?.text }.contains { $0.contains("2 records") })
    }
  }

  @Test func `a note of a deleted book keeps its reference to the remote book`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-b", ["title": "Old"], in: "books")
      try app.sql("INSERT INTO book VALUES ('b2', 'Old', 'done', 'srv-b')")
      try app.add(.init(id: "n1", book: "b2"))
      try await app.scenario.migrate().exits(0)
      #expect(try app.server()["n1"]?["data"]?["book"] == "srv-b")
      try app.sql("UPDATE book SET state = 'gone' WHERE id = 'b2'")
      let second = try await app.scenario.migrate()
      #expect(second.count("deleted", of: "book") == 1, "\(second)")
      try app.sql("UPDATE note SET title = 'another' WHERE id = 'n1'")
      let third = try await app.scenario.migrate().exits(0)
      let note = try app.server()["n1"]?["data"]
      #expect(note?["title"] == "another")
      #expect(note?["book"] == "srv-b")
      #expect(third.value("verification")?["clean"] == true)
    }
  }

  @Test
  func `000-36, 004-9 a row that the user deleted is deleted at the server, in the last phase`()
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
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.count("deleted") == 2)
      let methods = try app.scenario.backend.changes().compactMap { $0["method"]?.text }
        .filter { $0 == "PUT" || $0 == "DELETE" }
      #expect(methods == ["PUT", "PUT", "DELETE", "DELETE"])
      let paths = try app.scenario.backend.changes().suffix(2).compactMap { $0["path"]?.text }
      #expect(paths.map { $0.contains("/notes/") } == [true, false])
      let file = "\(app.scenario.folder)/write-back.json"
      try await app.scenario.ferry(["write-back", try answer.run(), "-o", file]).exits(0)
      let writeBack = try JSONValue(parsing: String(at: file))
      #expect(
        try PublishedForm.faults(of: writeBack, under: "ferry.write-back.v1.schema.json").isEmpty
      )
      let entry = writeBack["records"]?.array?.first { $0["localID"] == "n1" }
      #expect(entry?["status"] == "deleted")
      let again = try await app.scenario.migrate().exits(0)
      #expect(again.count("skipped", of: "note") == 1)
      #expect(Array(try app.server().keys) == ["n2"])
    }
  }

  @Test func `if the key is the server's identity, a deleted row is deleted there`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("n1", ["title": "a title"])
      let version = try app.version("n1")
      try app.add(.init(id: "n1", version: version, deleted: "2024-05-02T00:00:00Z"))
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.count("deleted", of: "note") == 1)
      #expect(try app.server().isEmpty)
    }
  }

  @Test func `000-19 the second of two rows with one remote identity is a fault`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "a title"])
      let version = try app.version("srv-1")
      try app.add(
        .init(id: "n1", state: "edited", serverID: "srv-1", version: version),
        .init(id: "n2", title: "mine", state: "edited", serverID: "srv-1", version: version)
      )
      let answer = try await app.scenario.migrate().exits(3)
      #expect(answer.count("rejected", of: "note") == 1)
      #expect(answer.findings("record.shared-identity").compactMap { $0["record"]?.text } == ["n2"])
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "a title")
    }
  }

  @Test
  func `a row whose record is gone at the destination is a conflict, and is not created again`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", state: "edited", serverID: "srv-9", version: 3))
      let answer = try await app.scenario.migrate().exits(6)
      #expect(answer.count("conflicted", of: "note") == 1)
      #expect(try app.server().isEmpty)
    }
  }

  @Test func `004-10 the app's own revision is the first base: a remote change is a conflict`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "theirs"])
      let seen = try app.version("srv-1")
      try app.seed("srv-1", ["title": "theirs, later"])
      try app.add(
        .init(id: "n1", title: "mine", state: "edited", serverID: "srv-1", version: seen)
      )
      let answer = try await app.scenario.migrate().exits(6)
      #expect(answer.count("conflicted", of: "note") == 1)
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "theirs, later")
    }
  }

  @Test(arguments: [false, true])
  func `000-12, 000-41 a synced row that is newer at the server does not overwrite it`(
    itsBookIsThere: Bool
  ) async throws {
    try await NoteStore.with { app in
      if itsBookIsThere { #expect(try await app.scenario.migrate().status == 0) }
      try app.seed("srv-1", ["title": "theirs"])
      let seen = try app.version("srv-1")
      try app.seed("srv-1", ["title": "theirs, later"])
      try app.add(.init(id: "n1", state: "done", serverID: "srv-1", version: seen))
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.findings("plan.remote-newer").count == 1)
      // A later edit of the stale row does not run over what the server has.
      try app.sql("UPDATE note SET state = 'edited', title = 'mine' WHERE id = 'n1'")
      try await app.scenario.migrate().exits(6)
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "theirs, later")
    }
  }

  @Test
  func `000-41 a differing row without a base is a conflict, and is not sent`()
    async throws
  {
    try await NoteStore.with { app in
      try app.seed("srv-1", ["title": "theirs"])
      try app.add(.init(id: "n1", title: "mine", state: "edited", serverID: "srv-1"))
      try await app.scenario.migrate().exits(6)
      #expect(try app.server()["srv-1"]?["data"]?["title"] == "theirs")
    }
  }

  @Test(arguments: [
    "remote", "merge", "{ policy: newest, newest: { local: modified, remote: when } }",
  ])
  func `a deletion that lost a conflict is not carried out by a later run`(policy: String)
    async throws
  {
    try await NoteStore.with(conflict: policy) { app in
      try app.seed("srv-1", ["title": "a title"])
      let seen = try app.version("srv-1")
      try app.seed("srv-1", ["title": "edited there"])
      try app.add(.init(id: "n1", state: "gone", serverID: "srv-1", version: seen))
      for run in 1...3 {
        let answer = try await app.scenario.migrate()
        #expect(answer.status == 6, "run \(run): \(answer.standardOutput)")
        #expect(answer.findings("plan.conflict-kept-remote").count == 1, "run \(run)")
        #expect(try app.server().count == 1)
      }
    }
  }

  // 000-8, 003-21: who is authoritative of what.
  @Test
  func `000-11, 002-4 derived and server-owned records are exported and counted, not sent`()
    async throws
  {
    try await NoteStore.with { app in
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.count("skipped", of: "streak") == 2)
      #expect(answer.count("skipped", of: "user") == 1)
      let causes = answer.findings("plan.skipped").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("2 records of streak") && $0.contains("follow") })
      #expect(causes.contains { $0.contains("1 record of user") && $0.contains("server's own") })
    }
  }

  @Test func `local-only data of the app is not sent`() async throws {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", state: "mine"), .init(id: "n2", state: "odd"))
      let answer = try await app.scenario.migrate().exits(0)
      #expect(Array(try app.server().keys) == ["n2"])
      #expect(answer.findings("plan.state").count == 1)
    }
  }

  @Test(arguments: [0.05, 0.2, 0.4])
  func `a run killed among creates and deletes ends the same when repeated`(wait: Double)
    async throws
  {
    try await NoteStore.with { app in
      for number in 1...12 {
        try app.seed("srv-\(number)", ["title": "a title"])
        let version = try app.version("srv-\(number)")
        try app.add(
          .init(id: "d\(number)", state: "gone", serverID: "srv-\(number)", version: version),
          .init(id: "n\(number)")
        )
      }
      try app.scenario.backend.setFaults("delay:1:30ms@DELETE /collections;drop-after:5")
      try await app.scenario.kill(after: [wait, wait])
      try app.scenario.backend.setFaults("")
      try await app.scenario.migrate().exits(0)
      #expect(Set(try app.server().keys) == Set((1...12).map { "n\($0)" }))
    }
  }
}
