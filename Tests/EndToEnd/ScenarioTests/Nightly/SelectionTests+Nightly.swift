import Foundation
import JSONText
import TestSupport
import Testing

extension SelectionTests {
  @Test func `with --entity only one entity is sent, and its dependents are left with a reason`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"), .init(id: "n2", book: nil))
      let first = try await app.scenario.migrate(["--only", "note"]).exits(0)
      #expect(Array(try app.server().keys) == ["n2"])
      let causes = first.findings("plan.skipped").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("depend on records that are not sent") })
      try await app.scenario.migrate().exits(0)
      #expect(Set(try app.server().keys) == ["n1", "n2"])
    }
  }

  @Test func `an unknown entity is refused with the known names`() async throws {
    try await NoteStore.with { app in
      let answer = try await app.scenario.migrate(["--only", "nowt"]).exits(64)
      #expect(answer.standardError.contains("book"))
    }
  }

  @Test func `an unknown field name is refused, and no record is sent or compared`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", title: "secret"), .init(id: "n2"))
      let mistyped = ["--skip", "note.titel=secret"]
      let refused = try await app.scenario.migrate(mistyped).exits(64)
      #expect(refused.standardError.contains("titel"))
      #expect(try app.server().isEmpty)
      try await app.scenario.migrate(["--skip", "note.title=secret"]).exits(0)
      #expect(Array(try app.server().keys) == ["n2"])
      let package = "\(app.scenario.folder)/p.ferry"
      try await app.scenario.export(to: package).exits(0)
      for choice in [mistyped, ["--only", "nowt"]] {
        let verified = try await app.scenario.ferry(
          ["verify", package] + app.scenario.destination + choice
        )
        #expect(verified.status == 64, "\(choice): \(verified)")
      }
    }
  }

  @Test func `an interrupted run is planned again if the selection changed`() async throws {
    try await NoteStore.with { app in
      for number in 1...20 { try app.add(.init(id: "n\(number)")) }
      try app.scenario.backend.setFaults("delay:1:50ms@PUT /collections")
      _ = try await app.scenario.run(
        ["migrate", app.scenario.sample.store] + app.scenario.destination,
        stop: .kill(after: .seconds(0.2), line: "upload …")
      )
      try app.scenario.backend.setFaults("")
      let sent = try app.server().count
      #expect(sent < 20)
      let second = try await app.scenario.migrate(["--skip", "note"]).exits(0)
      #expect(second.count("skipped", of: "note") == 20)
      try await app.scenario.migrate().exits(0)
      #expect(try app.server().count == 20)
    }
  }

  @Test func `records gone from the store are reported, although more are new or left out`()
    async throws
  {
    try await NoteStore.with { app in
      for number in 1...4 { try app.add(.init(id: "n\(number)")) }
      try await app.scenario.migrate().exits(0)
      try app.sql("DELETE FROM note WHERE id IN ('n1', 'n3')")
      try app.add(.init(id: "n5"), .init(id: "n6"), .init(id: "n7"))
      for more in [[], [], ["--skip", "note.title=a title"]] {
        let answer = try await app.scenario.migrate(more)
        let causes = answer.findings("plan.absent").compactMap { $0["cause"]?.text }
        #expect(causes.count == 1, "\(more): \(answer)")
        #expect(causes.allSatisfy { $0.contains(" 2 records of note") }, "\(more): \(causes)")
      }
    }
  }

  @Test func `a record that changed at the destination is not deleted for its absence`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      try app.seed("n2", ["title": "edited there"])
      try app.sql("DELETE FROM note WHERE id = 'n2'")
      try await app.scenario.migrate(["--delete"]).exits(6)
      #expect(Set(try app.server().keys) == ["n1", "n2"])
    }
  }

  @Test func `003-19 a record that the app evicted is not deleted at the destination`()
    async throws
  {
    try await NoteStore.with { app in
      let text = NoteStore.profile().replacing("unset: [0]", with: "unset: [0]\n      evicts: true")
      try text.save(to: app.scenario.profile)
      for number in 1...12 { try app.add(.init(id: "n\(number)")) }
      try await app.scenario.migrate().exits(0)
      try app.sql("DELETE FROM note WHERE id <> 'n3'")
      try await app.scenario.migrate(["--delete"]).exits(0)
      #expect(try app.server().count == 12)
    }
  }

  // A later model of an app may leave to the server what an earlier one kept in the store.
  @Test func `a record without an entity in the store is not deleted for its absence`() async throws
  {
    try await NoteStore.with { app in
      for number in 1...12 { try app.add(.init(id: "n\(number)")) }
      try await app.scenario.migrate().exits(0)
      // A table that is dropped makes a database another one: it is as if it were.
      let text = NoteStore.profile()
        .replacing(
          "  note:\n    identity",
          with: "  note:\n    from: memo\n    absent: omit\n    identity"
        )
        .replacing("entities:\n  user", with: "omit-entities: [note]\nentities:\n  user")
      try text.save(to: app.scenario.profile)
      let answer = try await app.scenario.migrate(["--delete", "--accept-change", "profile"])
      #expect(answer.status == 0, "\(answer)")
      #expect(answer.findings("plan.absent").count == 1)
      #expect(try app.server().count == 12)
    }
  }

  @Test func `a store without a record is refused, and nothing is sent or deleted`() async throws {
    try await NoteStore.with { app in
      for table in ["book", "user", "streak"] { try app.sql("DELETE FROM \(table)") }
      for more in [[], ["--delete"]] {
        let refused = try await app.scenario.migrate(more).exits(10)
        #expect(refused.standardError.contains("--allow-empty-source"))
      }
      #expect(try app.scenario.backend.writeCount() == 0)
    }
  }
}
