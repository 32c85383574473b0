import Foundation
import JSONText
import TestSupport
import Testing

/// A person at the terminal, who is asked about a conflict.
@Suite(.timeLimit(.minutes(3))) struct TerminalTests {
  @Test(arguments: [("l", "mine"), ("remote", "theirs")])
  func `an answer at the terminal is applied at once`(answer: String, isKept: String) async throws {
    try await conflicting { app in
      let said = try await migrate(app, typing: [answer]).exits(0)
      #expect(said.standardOutput.contains("title in the store:       \"mine\""))
      #expect(said.standardOutput.contains("title at the destination: \"theirs\""))
      #expect(try app.server()["n1"]?["data"]?["title"]?.text == isKept)
    }
  }

  @Test func `an invalid answer at the terminal is asked for again`() async throws {
    try await conflicting { app in
      let said = try await migrate(app, typing: ["perhaps", "local"]).exits(0)
      #expect(said.standardOutput.ranges(of: "keep (l)ocal").count == 2)
      #expect(try app.server()["n1"]?["data"]?["title"] == "mine")
    }
  }

  @Test(arguments: [[""], nil])
  func `an unanswered conflict stays open, and is written down`(answers: [String]?) async throws {
    try await conflicting { app in
      let file = "\(app.scenario.folder)/decisions.json"
      let flags = ["--decisions", file] + (answers == nil ? ["--no-input"] : [])
      let said = try await migrate(app, typing: answers ?? [], flags).exits(6)
      #expect(said.standardOutput.contains("keep (l)ocal") == (answers != nil))
      #expect(try app.server()["n1"]?["data"]?["title"] == "theirs")
      let written = try JSONValue(parsing: String(at: file))
      #expect(written["conflicts"]?.array?.count == 1)
    }
  }

  /// Migrates at a terminal, where these lines are typed when something is asked.
  private func migrate(
    _ app: NoteStore,
    typing answers: [String],
    _ flags: [String] = []
  ) async throws -> FerryProgram.Finished {
    let typist = URL(filePath: #filePath).deletingLastPathComponent().path + "/typist.py"
    let typed = JSONValue.array(answers.map { .string($0) }).canonicalText
    let line = [app.scenario.program.path, "migrate", app.scenario.sample.store]
    return try await FerryProgram(at: "/usr/bin/env").run(
      ["python3", typist, typed] + line + app.scenario.destination + flags,
      environment: app.scenario.environment,
      state: app.scenario.state
    )
  }

  /// A note whose title was changed here and at the server since they last agreed.
  private func conflicting(_ body: (NoteStore) async throws -> Void) async throws {
    try await NoteStore.with(conflict: "ask") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.change("n1", ["title": "theirs"])
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await body(app)
    }
  }
}
