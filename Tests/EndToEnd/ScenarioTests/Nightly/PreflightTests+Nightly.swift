import Foundation
import JSONText
import TestSupport
import Testing

extension PreflightTests {
  @Test func `preflight and a migration state that no one compared the fields`() async throws {
    try await withScenario { scenario in
      let answer = try await scenario.ferry(["preflight"] + scenario.destination).exits(0)
      #expect(checks(answer).contains("fields unknown"), "\(answer)")
      let dry = try await scenario.migrate(["-n"]).exits(0)
      let words = "fields: the fields that records have at the destination were not looked at"
      #expect(dry.standardError.contains(words), "\(dry)")
    }
  }

  @Test func `files that no request sends are reported by preflight, plan and verify`() async throws
  {
    try await withScenario { scenario in
      let profile = try String(at: scenario.profile)
      let name = "Hero.avatarImagePath"
      let line = try #require(profile.split(separator: "\n").first { $0.contains("- \(name)") })
      try profile.replacing("\(line)\n", with: "").save(to: scenario.profile)
      let preflight = try await scenario.ferry(["preflight"] + scenario.destination)
      #expect(checks(preflight).contains("members unmapped"), "\(preflight)")
      let first = try await scenario.migrate().exits(0)
      for type in ["upload", "verification"] {
        let findings = first.value(type)?["findings"]?.array ?? []
        let reported = findings.filter { $0["cause"]?.text?.contains(name) == true }
        #expect(reported.map { $0["code"]?.text } == ["plan.unmapped"], "\(type): \(findings)")
      }
    }
  }

  @Test func `a profile is checked without a network for all that preflight finds in it`()
    async throws
  {
    try await withScenario { scenario in
      let profile = try String(at: scenario.profile)
      let name = "Hero.avatarImagePath"
      let line = try #require(profile.split(separator: "\n").first { $0.contains("- \(name)") })
      try profile.replacing("\(line)\n", with: "")
        .replacing("infinite-stories.Hero.v3", with: "infinite-stories.Hero.v9")
        .save(to: scenario.profile)
      let given = DemoAccount.flags.prefix(2) + ["--credential", "password=env:FERRY_NOTHING"]
      await scenario.backend.stop()
      let answer = try await scenario.ferry(["profile", "check", scenario.profile] + given)
        .exits(12)
      let checks = (answer.value("profile")?["checks"]?.array ?? []).map {
        "\($0["name"]?.text ?? "") \($0["verdict"]?.text ?? "") \($0["detail"]?.text ?? "")"
      }
      #expect(
        checks.contains {
          $0.hasPrefix("schema unfit \(scenario.profile):")
            && $0.contains(": no schema “infinite-stories.Hero.v9.schema")
        }
      )
      #expect(checks.contains("members unmapped no place for avatarImagePath"))
      let unset = "the environment has no FERRY_NOTHING, where “password” should be"
      #expect(checks.contains("credentials unfit \(unset)"), "\(checks)")
    }
  }

  @Test func `every credential that is missing is reported without a request`() async throws {
    try await withScenario { scenario in
      let line = ["preflight", "--profile", scenario.profile, "--to", scenario.backend.origin]
      await scenario.backend.stop()
      let answer = try await scenario.ferry(line).exits(64)
      #expect(checks(answer) == ["credentials unfit", "credentials unfit"])
    }
  }

  @Test func `a missing ticket route is found by preflight, and by a run before it sends anything`()
    async throws
  {
    try await withScenario(takesMedia: true) { scenario in
      try await scenario.ferry(["preflight"] + scenario.destination).exits(0)
      try scenario.backend.setFaults("status:1:404@POST /api/files/upload")
      let preflight = try await scenario.ferry(["preflight"] + scenario.destination).exits(7)
      #expect(checks(preflight).contains("files unfit"))
      let log = "\(scenario.folder)/run.log"
      for more in [["-n"], []] {
        let answer = try await scenario.migrate(["--log-file", log] + more).exits(7)
        #expect(answer.standardError.contains("has no POST /api/files/upload: "), "\(answer)")
      }
      // 000-74: what the destination says is not in the log.
      let logged = try String(at: log)
      #expect(logged.contains(#"has no POST /api/files/upload","event":"ended""#), "\(logged)")
      #expect(try scenario.backend.writeCount() == 0)
      try scenario.backend.setFaults("")
      try await scenario.migrate().exits(0)
    }
  }

  @Test func `pages of HTML in place of answers are unfit, and a passing fault of a run`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.backend.setFaults("html:1@/api")
      let flags = ["--retries", "1"] + scenario.destination
      let answer = try await scenario.ferry(["preflight"] + flags).exits(7)
      #expect(checks(answer) == ["account unfit"])
      let check = answer.value("preflight")?["checks"]?[0]
      #expect(check?["detail"]?.text?.contains("a page of HTML") == true)
      #expect(check?["cure"]?.text?.contains("a sign-in page or a proxy") == true)
      let sent = try await scenario.migrate(["--retries", "1"]).exits(5)
      #expect(sent.standardError.contains("a page of HTML"), "\(sent)")
      #expect(sent.standardError.contains("a sign-in page or a proxy"), "\(sent)")
    }
  }

  @Test func `a missing CloudKit zone that may not be created is reported`() async throws {
    try await withCloudKitScenario { scenario in
      try await scenario.ferry(["preflight"]).exits(0)
      try scenario.editProfile("create-zone: true", "create-zone: false")
      let bad = try await scenario.ferry(["preflight"]).exits(7)
      #expect(bad.standardOutput.contains("UserDataZone"))
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  // 002-31.
  @Test func `a CloudKit environment without the record types is reported`()
    async throws
  {
    try await withCloudKitScenario { scenario in
      try scenario.editProfile("environment: development", "environment: production")
      let answer = try await scenario.ferry(["preflight"]).exits(7)
      #expect(checks(answer).filter { $0 == "record type unfit" }.count == 3)
      #expect(answer.standardOutput.contains("deploy the schema"))
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  @Test func `a missing folder fits, and a file in its place does not`() async throws {
    try await withScenario { scenario in
      let line = ["preflight", "--profile", scenario.profile, "--to"]
      let kept = "\(scenario.folder)/kept"
      let good = try await scenario.ferry(line + ["file:\(kept)"]).exits(0)
      #expect(checks(good).prefix(2) == ["account fits", "folder fits"])
      #expect(!FileManager.default.fileExists(atPath: kept))
      try Data().write(to: URL(filePath: kept))
      let bad = try await scenario.ferry(line + ["file:\(kept)"]).exits(7)
      #expect(checks(bad) == ["account unfit"])
    }
  }

  // 004-21.
  @Test func `a backend of changesets fits, and wrong credentials are reported`() async throws {
    try await withScenario { scenario in
      var notes = scenario
      notes.profile = "\(Samples.folder)/noted/profile.yaml"
      let good = try await notes.ferry(["preflight"] + notes.destination).exits(0)
      #expect(checks(good).allSatisfy { $0.hasSuffix(" fits") } && checks(good).count > 3)
      #expect(try notes.backend.writeCount() == 0)
      notes.environment["FERRY_TEST_PASSWORD"] = "battery-staple"
      let bad = try await notes.ferry(["preflight"] + notes.destination).exits(7)
      #expect(checks(bad) == ["account unfit"])
    }
  }

  @Test(
    .enabled(if: ObjectStore.python != nil, "skipped: FERRY_SWIFT is not set"),
    arguments: [
      (true, ObjectStore.secretKey, "fits"), (false, ObjectStore.secretKey, "unfit"),
      (true, "another", "unfit"),
    ]
  )
  func `only an existing bucket that can be opened fits`(
    isThere: Bool,
    secretKey: String,
    verdict: String
  ) async throws {
    try await withScenario { scenario in
      var scenario = scenario
      let bucket = try ObjectStore()
      try scenario.putFiles(
        into: bucket.origin,
        named: isThere ? bucket.bucket : "absent",
        secretKey: secretKey
      )
      let answer = try await scenario.ferry(["preflight"] + scenario.destination)
      #expect(answer.status == (verdict == "fits" ? 0 : 7), "\(answer)")
      #expect(checks(answer).contains("bucket \(verdict)"))
      #expect(try bucket.objects().isEmpty)
    }
  }
}
