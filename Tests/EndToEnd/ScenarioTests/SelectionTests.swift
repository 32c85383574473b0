import Foundation
import JSONText
import TestSupport
import Testing

/// Which records a person wants sent, and what may be deleted.
@Suite(.timeLimit(.minutes(5))) struct SelectionTests {
  @Test func `002-63 a record that a run leaves out is sent by a later one`() async throws {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", title: "keep"), .init(id: "n2", title: "later"))
      let first = try await app.scenario.migrate(["--skip", "note.title=later"]).exits(0)
      #expect(Array(try app.server().keys) == ["n1"])
      #expect(first.count("skipped", of: "note") == 1)
      let second = try await app.scenario.migrate().exits(0)
      #expect(second.count("created", of: "note") == 1)
      #expect(Set(try app.server().keys) == ["n1", "n2"])
    }
  }

  @Test func `more deletions than allowed end with status 8, and nothing is sent`() async throws {
    try await NoteStore.with { app in
      for number in 1...4 {
        try app.seed("srv-\(number)", ["title": "a title"])
        let version = try app.version("srv-\(number)")
        try app.add(
          .init(id: "n\(number)", state: "gone", serverID: "srv-\(number)", version: version)
        )
      }
      let writes = try app.scenario.backend.writeCount()
      for limit in ["3", "50%"] {
        let refused = try await app.scenario.migrate(["--max-delete", limit]).exits(8)
        #expect(refused.standardError.contains("--max-delete allows \(limit)"))
      }
      #expect(try app.scenario.backend.writeCount() == writes)
      let allowed = try await app.scenario.migrate(["--max-delete", "4"]).exits(0)
      #expect(allowed.count("deleted", of: "note") == 4)
    }
  }

  @Test func `a record gone from the store is deleted only when asked for`() async throws {
    try await NoteStore.with { app in
      for number in 1...4 { try app.add(.init(id: "n\(number)")) }
      try await app.scenario.migrate().exits(0)
      try app.sql("DELETE FROM note WHERE id = 'n3'")
      let kept = try await app.scenario.migrate().exits(0)
      #expect(kept.findings("plan.absent").count == 1)
      #expect(try app.server().count == 4)
      let deleted = try await app.scenario.migrate(["--delete"]).exits(0)
      #expect(deleted.count("deleted", of: "note") == 1)
      #expect(Set(try app.server().keys) == ["n1", "n2", "n4"])
    }
  }

  @Test func `a store that lost more than half of its records is refused`() async throws {
    try await NoteStore.with { app in
      for number in 1...12 { try app.add(.init(id: "n\(number)")) }
      try await app.scenario.migrate().exits(0)
      try app.sql("DELETE FROM note WHERE id <> 'n3'")
      let refused = try await app.scenario.migrate(["--delete"]).exits(10)
      #expect(refused.standardError.contains("--allow-empty-source"))
      #expect(try app.server().count == 12)
      try await app.scenario.migrate(["--delete", "--allow-empty-source"]).exits(0)
      #expect(try app.server().count < 12)
    }
  }
}
