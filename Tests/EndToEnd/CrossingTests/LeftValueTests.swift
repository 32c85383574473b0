import Foundation
import JSONText
import TestSupport
import Testing

/// What was left to the server stays known until something else is brought there.
@Suite(.timeLimit(.minutes(5))) struct LeftValueTests {
  /// What sends after all what was left to the server.
  private static let local = ["--on-conflict", "local", "--full"]

  /// Sends two notes, and has both sides change the title of the first one.
  private func withContestedTitle(
    _ conflict: String = "server",
    tellsVersions: Bool = true,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict, tellsVersions: tellsVersions) { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      let first = try await app.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      var data = try #require(try app.server()["n1"]?["data"]?.object)
      data["title"] = "theirs"
      try app.seed("n1", data)
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await body(app)
    }
  }

  /// Leaves a title to the server that both sides had changed.
  private func withLeftTitle(
    tellsVersions: Bool = true,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await withContestedTitle(tellsVersions: tellsVersions) { app in
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

  /// Another device of the same person may have brought it there.
  @Test(arguments: [true, false])
  func `a server that says by now what the store says is no difference`(
    tellsVersions: Bool
  ) async throws {
    try await withLeftTitle(tellsVersions: tellsVersions) { app in
      var data = try #require(try app.server()["n1"]?["data"]?.object)
      data["title"] = "mine"
      try app.seed("n1", data)
      let answer = try await app.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.value("verification")?["clean"] == true, "\(answer.standardOutput)")
      #expect(try title(app) == "mine")
    }
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

  // MARK: - What a plan leaves that is not carried out

  /// Runs once more, which tells what is left; the run after that has nothing more to tell.
  private func expectTold(_ code: String, _ app: NoteStore) async throws {
    try app.crossing.backend.setFaults("")
    let told = try await app.crossing.migrate()
    #expect(told.findings(code).count == 1, "\(told.standardOutput)\(told.standardError)")
    #expect(try title(app) == "theirs")
    let later = try await app.crossing.migrate()
    #expect(later.status == 0, "\(later.standardOutput)\(later.standardError)")
    #expect(later.findings(code).isEmpty, "\(later.standardOutput)")
    #expect(try title(app) == "theirs")
  }

  @Test(arguments: [
    ("server", "plan.yielded", true), ("server", "plan.yielded", false),
    ("merge", "plan.merged", true), ("merge", "plan.merged", false),
  ])
  func `what a plan that deletes too much would have left is told by the run after it`(
    policy: String,
    code: String,
    tellsVersions: Bool
  ) async throws {
    try await withContestedTitle(policy, tellsVersions: tellsVersions) { app in
      try app.sql("DELETE FROM note WHERE id = 'n2'")
      let refused = try await app.crossing.migrate(["--delete", "--max-delete", "0"])
      #expect(refused.status == 8, "\(refused.standardOutput)\(refused.standardError)")
      try app.add(.init(id: "n2"))
      try await expectTold(code, app)
    }
  }

  @Test func `what a run that is given up would have left is told by the run after it`()
    async throws
  {
    try await withContestedTitle { app in
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n2'")
      try app.crossing.backend.setFaults("status:1:503@PATCH /collections")
      let stopped = try await app.crossing.migrate(["--retries", "0"])
      #expect(stopped.status != 0, "\(stopped.standardOutput)\(stopped.standardError)")
      try app.sql("UPDATE note SET plays = 1 WHERE id = 'n2'")
      try await expectTold("plan.yielded", app)
    }
  }

  @Test func `what a verification without a checkpoint found changed is told by the run after it`()
    async throws
  {
    try await withContestedTitle { app in
      var elsewhere = app.crossing
      elsewhere.stateName = "another-machine"
      let package = "\(elsewhere.folder)/a.ferry"
      #expect(try await elsewhere.export(to: package).status == 0)
      _ = try await elsewhere.ferry(["verify", package] + elsewhere.destination)
      let told = try await elsewhere.ferry(["upload", package] + elsewhere.destination)
      #expect(told.findings("plan.yielded").count == 1, "\(told.standardOutput)")
      #expect(try title(app) == "theirs")
    }
  }

  /// Lends a note in a book whose title the server has otherwise, by what no checkpoint knows.
  private func withOtherBook(_ body: (Crossing, _ words: [String]) async throws -> Void)
    async throws
  {
    try await NoteStore.with { app in
      try String(contentsOfFile: app.crossing.profile, encoding: .utf8)
        .replacing("body: { title: title }", with: "body: { title: title }\n      conflict: server")
        .write(toFile: app.crossing.profile, atomically: true, encoding: .utf8)
      try app.add(.init(id: "n1"))
      let first = try await app.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try app.seed("b1", ["title": "theirs"], in: "books")
      var elsewhere = app.crossing
      elsewhere.stateName = "another-machine"
      let package = "\(elsewhere.folder)/a.ferry"
      #expect(try await elsewhere.export(to: package).status == 0)
      try await body(elsewhere, [package] + elsewhere.destination)
    }
  }

  @Test func `a verification without a checkpoint knows a parent that differs to its children`()
    async throws
  {
    try await withOtherBook { crossing, words in
      let verdict = try await crossing.ferry(["verify"] + words)
      #expect(verdict.findings("wire.missing-reference").isEmpty, "\(verdict.standardOutput)")
    }
  }

  @Test func `a verification without a checkpoint tells which members differ`() async throws {
    try await withOtherBook { crossing, words in
      let verdict = try await crossing.ferry(["verify"] + words)
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.different").count == 1, "\(verdict.standardOutput)")
    }
  }

  @Test func `a verification without a checkpoint that was killed is made anew`() async throws {
    try await withOtherBook { crossing, words in
      try crossing.backend.setFaults("delay:1:1s@GET /collections/")
      let killed = try await crossing.program.run(
        ["verify"] + words,
        environment: crossing.environment,
        state: crossing.state,
        stop: .kill(after: .milliseconds(100), line: "verify …")
      )
      #expect(killed.wasKilled, "\(killed.standardError)")
      try crossing.backend.setFaults("")
      let verdict = try await crossing.ferry(["verify"] + words)
      #expect(verdict.status == 6, "\(verdict.standardOutput)\(verdict.standardError)")
      #expect(verdict.findings("verify.different").count == 1, "\(verdict.standardOutput)")
    }
  }
}
