import Foundation
import JSONText
import TestSupport
import Testing

/// What the program will not do, and the status that says so.
@Suite(.timeLimit(.minutes(3))) struct RefusalTests {
  @Test func `another account for the same store is refused, naming both`() async throws {
    try await withScenario { scenario in
      let first = try await scenario.migrate()
      #expect(first.status == 0)
      let account = try scenario.backend.addAccount(email: "bo@example.com", password: "12345678")
      var other = scenario
      other.environment = [
        "FERRY_TEST_EMAIL": "bo@example.com", "FERRY_TEST_PASSWORD": "12345678",
      ]
      let before = try scenario.backend.writeCount()
      let refused = try await other.migrate()
      #expect(refused.status == 12)
      let mine = try scenario.backend.rows("accounts").values
        .first { $0["email"]?.text == DemoAccount.email }
      for id in [account["id"], mine?["id"]] {
        #expect(refused.standardError.contains(try #require(id?.text)))
      }
      #expect(try scenario.backend.writeCount() == before)
    }
  }

  @Test func `a changed profile has to be accepted`() async throws {
    try await withScenario { scenario in
      #expect(try await scenario.migrate().status == 0)
      let text = try String(contentsOfFile: scenario.profile, encoding: .utf8)
      try text.replacing("default: 6", with: "default: 7")
        .write(toFile: scenario.profile, atomically: true, encoding: .utf8)
      let refused = try await scenario.migrate()
      #expect(refused.status == 12, "\(refused.standardError)")
      #expect(refused.standardError.contains("--accept-change profile"))
      #expect(refused.standardError.contains("default (6, now 7)"))
      let accepted = try await scenario.migrate(["--accept-change", "profile"])
      #expect(accepted.status == 0, "\(accepted.standardError)")
      #expect(accepted.count("created") == 0)
      #expect(try await scenario.migrate().status == 0)
    }
  }

  // 001-20.
  @Test func `each failure ends with its exit status`() async throws {
    try await withScenario { scenario in
      let flags = scenario.destination
      let missing = try await scenario.ferry(["migrate", "\(scenario.folder)/no.store"] + flags)
      #expect(missing.status == 10)
      #expect(missing.standardError.contains("no.store"))

      let text = "\(scenario.folder)/text.store"
      try Data("not a store at all".utf8).write(to: URL(filePath: text))
      #expect(try await scenario.ferry(["inspect", text]).status == 10)

      var otherDevice = scenario
      otherDevice.environment["FERRY_TEST_PASSWORD"] = "wrong-password"
      #expect(try await otherDevice.migrate().status == 7)

      #expect(try await scenario.ferry(["migrate"]).status == 64)
      #expect(try await scenario.migrate(["--on-failure", "explode"]).status == 64)
      #expect(try await scenario.ferry(["rollback", "nobody-1"] + flags).status == 64)
      let nowhere = try await scenario.ferry(
        ["migrate", scenario.sample.store, "--profile", scenario.profile, "--to", "nowhere"]
      )
      #expect(nowhere.status == 64)
      #expect(nowhere.standardError.contains("no destination of the name “nowhere”"))

      let foreign = "\(scenario.folder)/foreign.ferry"
      #expect(try await scenario.export(to: foreign).status == 0)
      try Python.edit(
        scenario.sample.store,
        "UPDATE ZHERO SET ZNAME = 'Somebody else' WHERE Z_PK = 1"
      )
      let inTheWay = try await scenario.export(to: foreign)
      #expect(inTheWay.status == 12, "\(inTheWay.standardError)")
      #expect(inTheWay.standardError.contains(foreign))

      await scenario.backend.kill()
      let down = try await scenario.migrate(["--retries", "0"])
      #expect(down.status == 5, "\(down.standardError)")
      try await scenario.backend.restart()
      #expect(try await scenario.migrate().status == 0)
    }
  }
}
