import Foundation
import JSONText
import TestSupport
import Testing

/// A person at the terminal, who is asked about a conflict.
@Suite(.timeLimit(.minutes(3))) struct TerminalTests {
  @Test func `each conflict is counted, and a capital letter answers all of its kind`() async throws
  {
    try await conflicting(["n1", "n2", "n3"]) { app in
      let said = try await migrate(app, typing: ["R"]).exits(0)
      #expect(said.standardOutput.contains("(1 of 3): "))
      #expect(said.standardOutput.contains("a capital letter answers all 3 of this kind?"))
      #expect(said.standardOutput.ranges(of: "keep (l)ocal").count == 1)
      let titles = try app.server().values.map { $0["data"]?["title"]?.text }
      #expect(titles == ["theirs", "theirs", "theirs"])
    }
  }

  /// Migrates at a terminal, where these lines are typed when something is asked.
  func migrate(
    _ app: NoteStore,
    typing answers: [String],
    _ flags: [String] = []
  ) async throws -> FerryProgram.Finished {
    let typist = ServerScript.path("typist.py")
    let typed = JSONValue.array(answers.map { .string($0) }).canonicalText
    let line = [app.scenario.program.path, "migrate", app.scenario.sample.store]
    return try await FerryProgram(at: "/usr/bin/env").run(
      ["python3", typist, typed] + line + app.scenario.destination + flags,
      environment: app.scenario.environment,
      state: app.scenario.state
    )
  }

  /// Notes whose titles were changed here and at the server since they last agreed.
  func conflicting(
    _ notes: [String] = ["n1"],
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: "ask") { app in
      for note in notes { try app.add(.init(id: note)) }
      try await app.scenario.migrate().exits(0)
      for note in notes { try app.change(note, ["title": "theirs"]) }
      try app.sql("UPDATE note SET title = 'mine'")
      try await body(app)
    }
  }
}
