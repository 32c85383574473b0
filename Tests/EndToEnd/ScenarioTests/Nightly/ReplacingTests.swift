import Foundation
import JSONText
import TestSupport
import Testing

/// A server that takes a change for the whole record: what a PUT does not carry is gone there.
@Suite(.timeLimit(.minutes(3))) struct ReplacingTests {
  private func withPut(_ body: (NoteStore) async throws -> Void) async throws {
    try await NoteStore.withoutState { app in
      try String(at: app.scenario.profile)
        .replacing("update: { request: \"PATCH ", with: "update: { request: \"PUT ")
        .save(to: app.scenario.profile)
      try await body(app)
    }
  }

  private func note(_ app: NoteStore) throws -> JSONObject {
    try #require(try app.server()["n1"]?["data"]?.object)
  }

  @Test func `a change carries the unchanged fields, and so does its rollback`() async throws {
    try await withPut { app in
      try app.add(.init(id: "n1", plays: 3, isFavourite: true))
      try await app.scenario.migrate().exits(0)
      let before = try note(app)
      try app.sql("UPDATE note SET title = 'another' WHERE id = 'n1'")
      let changed = try await app.scenario.migrate().exits(0)
      var expected = before
      expected["title"] = "another"
      #expect(try note(app) == expected)
      try await app.scenario.rollback(try changed.run()).exits(0)
      #expect(try note(app) == before)
    }
  }

  @Test func `fields cleared in the store are cleared at the destination, and no others`()
    async throws
  {
    try await withPut { app in
      try app.add(.init(id: "n1", plays: 3))
      try await app.scenario.migrate().exits(0)
      let before = try note(app)
      try app.sql("UPDATE note SET modified = NULL WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      let after = try note(app)
      #expect(after["modified"]?.isNull != false)
      for member in before.members where member.name != "modified" {
        #expect(after[member.name] == member.value, "\(member.name)")
      }
    }
  }
}
