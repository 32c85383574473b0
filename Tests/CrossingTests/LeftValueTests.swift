import Foundation
import JSONText
import TestSupport
import Testing

/// What was left to the server stays known until something else is brought there.
@Suite(.timeLimit(.minutes(5))) struct LeftValueTests {
  /// What sends after all what was left to the server.
  private static let local = ["--on-conflict", "local", "--refresh"]

  /// Leaves a title to the server that both sides had changed.
  private func withLeftTitle(
    tellsVersions: Bool = true,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: "server", tellsVersions: tellsVersions) { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      let first = try await app.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      var data = try #require(try app.server()["n1"]?["data"]?.object)
      data["title"] = "theirs"
      try app.seed("n1", data)
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      let second = try await app.crossing.migrate()
      #expect(second.findings("plan.yielded").count == 1, "\(second.standardOutput)")
      try await body(app)
    }
  }

  private func title(_ app: NoteStore) throws -> JSONValue? {
    try app.server()["n1"]?["data"]?["title"]
  }

  /// Runs once more, as any day.
  private func expectLeft(_ app: NoteStore) async throws {
    try app.crossing.backend.setFaults("")
    let answer = try await app.crossing.migrate()
    #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
    #expect(answer.count("unchanged", of: "note") == 2)
    #expect(answer.value("verification")?["clean"] == true, "\(answer.standardOutput)")
    #expect(try title(app) == "theirs")
  }

  @Test func `a change that the server refuses leaves what it was to overwrite known as left`()
    async throws
  {
    try await withLeftTitle { app in
      try app.crossing.backend.setFaults("status:1:422@PATCH /collections")
      let refused = try await app.crossing.migrate(Self.local)
      #expect(refused.count("rejected", of: "note") == 1, "\(refused.standardOutput)")
      try await expectLeft(app)
    }
  }

  @Test func `a plan that deletes too much leaves what it was to overwrite known as left`()
    async throws
  {
    try await withLeftTitle { app in
      try app.sql("DELETE FROM note WHERE id = 'n2'")
      let refused = try await app.crossing.migrate(Self.local + ["--delete", "--max-delete", "0"])
      #expect(refused.status == 8, "\(refused.standardOutput)\(refused.standardError)")
      try app.add(.init(id: "n2"))
      try await expectLeft(app)
    }
  }

  @Test func `a run that stops and is given up leaves what it was to overwrite known as left`()
    async throws
  {
    try await withLeftTitle { app in
      try app.crossing.backend.setFaults("status:1:503@PATCH /collections")
      let stopped = try await app.crossing.migrate(Self.local + ["--retries", "0"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      try await expectLeft(app)
    }
  }

  @Test(arguments: [true, false])
  func `a run that stops and goes on sends what was left, as a person asked for`(
    tellsVersions: Bool
  ) async throws {
    try await withLeftTitle(tellsVersions: tellsVersions) { app in
      try app.crossing.backend.setFaults("status:1:503@PATCH /collections")
      let stopped = try await app.crossing.migrate(Self.local + ["--retries", "0"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      try app.crossing.backend.setFaults("")
      let answer = try await app.crossing.migrate(Self.local)
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(try title(app) == "mine")
      let again = try await app.crossing.migrate()
      #expect(again.value("verification")?["clean"] == true, "\(again.standardOutput)")
    }
  }
}
