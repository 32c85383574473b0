import Files
import Foundation
import JSONText
import TestSupport
import Testing

/// What the program will not do, and the status that says so.
@Suite(.timeLimit(.minutes(3))) struct RefusalTests {
  @Test func `another account for the same store is refused, naming both`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let account = try scenario.backend.addAccount(email: "bo@example.com", password: "12345678")
      var other = scenario
      other.environment = [
        "FERRY_TEST_EMAIL": "bo@example.com", "FERRY_TEST_PASSWORD": "12345678",
      ]
      let before = try scenario.backend.writeCount()
      let refused = try await other.migrate().exits(12)
      let mine = try scenario.backend.rows("accounts").values
        .first { $0["email"]?.text == DemoAccount.email }
      for id in [account["id"], mine?["id"]] {
        #expect(refused.standardError.contains(try #require(id?.text)))
      }
      #expect(try scenario.backend.writeCount() == before)
    }
  }

  @Test func `a run beside another run of the store is refused before the store is exported`()
    async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let folder = "\(scenario.state)/checkpoints"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      let name = try #require(names.first { $0.hasSuffix(".sqlite") })
      guard let lock = try LockFile(taking: "\(folder)/\(name).lock") else {
        Issue.record("no other user holds it")
        return
      }
      let package = "second.ferry"
      let output = ["-o", "\(scenario.folder)/\(package)"]
      let refused = try await scenario.migrate(output).exits(11)
      #expect(refused.standardError.contains("another run holds the checkpoint"))
      let left = try FileManager.default.contentsOfDirectory(atPath: scenario.folder)
      #expect(!left.contains { $0.hasPrefix(package) }, "\(left)")
      _ = lock.path
    }
  }

  @Test func `a changed profile has to be accepted`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let text = try String(at: scenario.profile)
      try text.replacing("default: 6", with: "default: 7").save(to: scenario.profile)
      let refused = try await scenario.migrate().exits(12)
      #expect(refused.standardError.contains("--accept-change profile"))
      #expect(refused.standardError.contains("default (6, now 7)"))
      let accepted = try await scenario.migrate(["--accept-change", "profile"]).exits(0)
      #expect(accepted.count("created") == 0)
      try await scenario.migrate().exits(0)
    }
  }

  @Test func `once all runs are rolled back, a run begins with any profile`() async throws {
    try await withScenario { scenario in
      let first = try await scenario.migrate().exits(0)
      _ = try await scenario.rollbackAll(from: first)
      let text = try String(at: scenario.profile)
      try text.replacing("default: 6", with: "default: 7").save(to: scenario.profile)
      let next = try await scenario.migrate().exits(0)
      #expect(next.count("created") == first.count("created"))
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
      try await scenario.ferry(["inspect", text]).exits(10)

      var otherDevice = scenario
      otherDevice.environment["FERRY_TEST_PASSWORD"] = "wrong-password"
      try await otherDevice.migrate().exits(7)

      try await scenario.ferry(["migrate"]).exits(64)
      try await scenario.migrate(["--on-failure", "explode"]).exits(64)
      try await scenario.ferry(["rollback", "nobody-1"] + flags).exits(64)
      let nowhere = try await scenario.ferry(
        ["migrate", scenario.sample.store, "--profile", scenario.profile, "--to", "nowhere"]
      ).exits(64)
      #expect(nowhere.standardError.contains("no destination of the name “nowhere”"))

      let foreign = "\(scenario.folder)/foreign.ferry"
      try await scenario.export(to: foreign).exits(0)
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Somebody else' WHERE Z_PK = 1")
      let inTheWay = try await scenario.export(to: foreign).exits(12)
      #expect(inTheWay.standardError.contains(foreign))

      await scenario.backend.kill()
      try await scenario.migrate(["--retries", "0"]).exits(5)
      try await scenario.backend.restart()
      try await scenario.migrate().exits(0)
    }
  }
}
