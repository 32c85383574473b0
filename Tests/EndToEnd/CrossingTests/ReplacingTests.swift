import Foundation
import JSONText
import TestSupport
import Testing

/// A server that takes a change for the whole record: what a PUT does not carry is gone there.
@Suite(.timeLimit(.minutes(3))) struct ReplacingTests {
  private func withPut(_ body: (NoteStore) async throws -> Void) async throws {
    try await NoteStore.withoutState { app in
      try String(contentsOfFile: app.crossing.profile, encoding: .utf8)
        .replacing("update: { request: \"PATCH ", with: "update: { request: \"PUT ")
        .write(toFile: app.crossing.profile, atomically: true, encoding: .utf8)
      try await body(app)
    }
  }

  private func note(_ app: NoteStore) throws -> JSONObject {
    try #require(try app.server()["n1"]?["data"]?.object)
  }

  @Test func `a change carries what stays as it is, and so does what takes it back`() async throws {
    try await withPut { app in
      try app.add(.init(id: "n1", plays: 3, isFavourite: true))
      #expect(try await app.crossing.migrate().status == 0)
      let before = try note(app)
      try app.sql("UPDATE note SET title = 'another' WHERE id = 'n1'")
      let changed = try await app.crossing.migrate()
      #expect(changed.status == 0, "\(changed.standardOutput)\(changed.standardError)")
      var expected = before
      expected["title"] = "another"
      #expect(try note(app) == expected)
      let back = try await app.crossing.rollback(try changed.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try note(app) == before)
    }
  }

  @Test func `what is emptied here is emptied there, and nothing else`() async throws {
    try await withPut { app in
      try app.add(.init(id: "n1", plays: 3))
      #expect(try await app.crossing.migrate().status == 0)
      let before = try note(app)
      try app.sql("UPDATE note SET modified = NULL WHERE id = 'n1'")
      let changed = try await app.crossing.migrate()
      #expect(changed.status == 0, "\(changed.standardOutput)\(changed.standardError)")
      let after = try note(app)
      #expect(after["modified"]?.isNull != false)
      for member in before.members where member.name != "modified" {
        #expect(after[member.name] == member.value, "\(member.name)")
      }
    }
  }
}
