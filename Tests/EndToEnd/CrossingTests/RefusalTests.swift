import Foundation
import JSONText
import TestSupport
import Testing

/// What the program will not do, and the status that says so.
@Suite(.timeLimit(.minutes(3))) struct RefusalTests {
  @Test func `another account for the same store is refused, naming both`() async throws {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0)
      let account = try crossing.backend.addAccount(email: "bo@example.com", password: "12345678")
      var other = crossing
      other.environment = [
        "FERRY_TEST_EMAIL": "bo@example.com", "FERRY_TEST_PASSWORD": "12345678",
      ]
      let before = try crossing.backend.writeCount()
      let refused = try await other.migrate()
      #expect(refused.status == 12)
      let mine = try crossing.backend.rows("accounts").values
        .first { $0["email"]?.text == DemoAccount.email }
      for id in [account["id"], mine?["id"]] {
        #expect(refused.standardError.contains(try #require(id?.text)))
      }
      #expect(try crossing.backend.writeCount() == before)
    }
  }

  @Test func `a changed profile has to be accepted`() async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let text = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try text.replacing("default: 6", with: "default: 7")
        .write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      let refused = try await crossing.migrate()
      #expect(refused.status == 12, "\(refused.standardError)")
      #expect(refused.standardError.contains("--accept-change profile"))
      #expect(refused.standardError.contains("default (6, now 7)"))
      let accepted = try await crossing.migrate(["--accept-change", "profile"])
      #expect(accepted.status == 0, "\(accepted.standardError)")
      #expect(accepted.count("created") == 0)
      #expect(try await crossing.migrate().status == 0)
    }
  }

  // 001-20.
  @Test func `statuses say what was the matter`() async throws {
    try await withCrossing { crossing in
      let flags = crossing.destination
      let missing = try await crossing.ferry(["migrate", "\(crossing.folder)/no.store"] + flags)
      #expect(missing.status == 10)
      #expect(missing.standardError.contains("no.store"))

      let text = "\(crossing.folder)/text.store"
      try Data("not a store at all".utf8).write(to: URL(filePath: text))
      #expect(try await crossing.ferry(["inspect", text]).status == 10)

      var stranger = crossing
      stranger.environment["FERRY_TEST_PASSWORD"] = "wrong-password"
      #expect(try await stranger.migrate().status == 7)

      #expect(try await crossing.ferry(["migrate"]).status == 64)
      #expect(try await crossing.migrate(["--on-failure", "explode"]).status == 64)
      #expect(try await crossing.ferry(["rollback", "nobody-1"] + flags).status == 64)
      let nowhere = try await crossing.ferry(
        ["migrate", crossing.sample.store, "--profile", crossing.profile, "--to", "nowhere"]
      )
      #expect(nowhere.status == 64)
      #expect(nowhere.standardError.contains("no destination of the name “nowhere”"))

      let foreign = "\(crossing.folder)/foreign.ferry"
      #expect(try await crossing.export(to: foreign).status == 0)
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZHERO SET ZNAME = 'Somebody else' WHERE Z_PK = 1"
      )
      let inTheWay = try await crossing.export(to: foreign)
      #expect(inTheWay.status == 12, "\(inTheWay.standardError)")
      #expect(inTheWay.standardError.contains(foreign))

      await crossing.backend.kill()
      let down = try await crossing.migrate(["--retries", "0"])
      #expect(down.status == 5, "\(down.standardError)")
      try await crossing.backend.restart()
      #expect(try await crossing.migrate().status == 0)
    }
  }
}
