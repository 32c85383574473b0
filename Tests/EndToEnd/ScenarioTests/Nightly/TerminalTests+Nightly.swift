import Foundation
import JSONText
import TestSupport
import Testing

extension TerminalTests {
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

  @Test func `a password that is typed at the terminal signs in, and is not shown`() async throws {
    try await NoteStore.with(conflict: "ask") { app in
      try app.add(.init(id: "n1"))
      let said = try await migrate(
        app,
        typing: ["correct-horse"],
        ["--credential", "password=ask"]
      ).exits(0)
      #expect(!said.standardOutput.contains("correct-horse"))
      #expect(try app.server()["n1"] != nil)
    }
  }

  @Test func `without a terminal a password that is to be typed is refused`() async throws {
    try await NoteStore.with(conflict: "ask") { app in
      try app.add(.init(id: "n1"))
      let refused = try await app.scenario.migrate(["--credential", "password=ask"]).exits(64)
      #expect(refused.standardError.contains("there is no terminal"))
    }
  }

  /// Migrates a note, deletes it in the store, and migrates that at a terminal.
  private func deleting(
    typing answers: [String],
    _ flags: [String] = [],
    _ body: (_ said: FerryProgram.Finished, _ isThere: Bool) throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: "ask") { app in
      for id in ["n1", "n2", "n3"] { try app.add(.init(id: id)) }
      try await app.scenario.migrate().exits(0)
      try app.sql("DELETE FROM note WHERE id = 'n1'")
      let said = try await migrate(app, typing: answers, ["--delete"] + flags)
      try body(said, app.server()["n1"] != nil)
    }
  }

  @Test func `a plan that deletes is asked about at the terminal, and no keeps the record`()
    async throws
  {
    try await deleting(typing: ["n"]) { said, isThere in
      said.exits(130)
      #expect(said.standardOutput.contains("go on, (y)es or (n)o?"))
      #expect(isThere)
    }
  }

  @Test(arguments: [(["y"], [] as [String]), ([], ["-y"]), ([], ["--no-input"])])
  func `yes, -y and --no-input carry out a plan that deletes`(
    answers: [String],
    flags: [String]
  ) async throws {
    try await deleting(typing: answers, flags) { said, isThere in
      said.exits(0)
      #expect(said.standardOutput.contains("go on, (y)es") == !answers.isEmpty)
      #expect(!isThere)
    }
  }

  @Test func `conflicts are answered one by one, each with its number`() async throws {
    try await conflicting(["n1", "n2"]) { app in
      let said = try await migrate(app, typing: ["l", "r"]).exits(0)
      #expect(said.standardOutput.contains("(1 of 2): "))
      #expect(said.standardOutput.contains("(2 of 2): "))
      let titles = Set(try app.server().values.compactMap { $0["data"]?["title"]?.text })
      #expect(titles == ["mine", "theirs"])
    }
  }

  @Test func `Ctrl-C at a question ends the command at once, and nothing is sent`() async throws {
    try await conflicting { app in
      let began = ContinuousClock.now
      // The terminal turns this character into the signal.
      try await migrate(app, typing: ["\u{3}"]).exits(130)
      #expect(ContinuousClock.now - began < .seconds(30))
      #expect(try app.server()["n1"]?["data"]?["title"] == "theirs")
      let said = try await migrate(app, typing: ["l"]).exits(0)
      #expect(said.standardOutput.contains("(1 of 1): "))
    }
  }
}
