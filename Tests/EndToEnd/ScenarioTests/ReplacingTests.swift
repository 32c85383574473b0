import Foundation
import JSONText
import TestSupport
import Testing

/// A server that takes a change for the whole record: what a PUT does not carry is gone there.
@Suite(.timeLimit(.minutes(3))) struct ReplacingTests {
  private func withPut(_ body: (NoteStore) async throws -> Void) async throws {
    try await NoteStore.withoutState { app in
      try String(contentsOfFile: app.scenario.profile, encoding: .utf8)
        .replacing("update: { request: \"PATCH ", with: "update: { request: \"PUT ")
        .write(toFile: app.scenario.profile, atomically: true, encoding: .utf8)
      try await body(app)
    }
  }

  private func note(_ app: NoteStore) throws -> JSONObject {
    try #require(try app.server()["n1"]?["data"]?.object)
  }

  @Test func `a change carries the unchanged fields, and so does its rollback`() async throws {
    try await withPut { app in
      try app.add(.init(id: "n1", plays: 3, isFavourite: true))
      #expect(try await app.scenario.migrate().status == 0)
      let before = try note(app)
      try app.sql("UPDATE note SET title = 'another' WHERE id = 'n1'")
      let changed = try await app.scenario.migrate()
      #expect(changed.status == 0, "\(changed.standardOutput)\(changed.standardError)")
      var expected = before
      expected["title"] = "another"
      #expect(try note(app) == expected)
      let back = try await app.scenario.rollback(try changed.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try note(app) == before)
    }
  }

  @Test func `fields cleared in the store are cleared at the destination, and no others`()
    async throws
  {
    try await withPut { app in
      try app.add(.init(id: "n1", plays: 3))
      #expect(try await app.scenario.migrate().status == 0)
      let before = try note(app)
      try app.sql("UPDATE note SET modified = NULL WHERE id = 'n1'")
      let changed = try await app.scenario.migrate()
      #expect(changed.status == 0, "\(changed.standardOutput)\(changed.standardError)")
      let after = try note(app)
      #expect(after["modified"]?.isNull != false)
      for member in before.members where member.name != "modified" {
        #expect(after[member.name] == member.value, "\(member.name)")
      }
    }
  }
}
