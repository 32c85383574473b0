import Foundation
import JSONText
import TestSupport
import Testing

/// What is said of a destination before anything is sent.
@Suite(.timeLimit(.minutes(2))) struct DoctorTests {
  private func checks(_ answer: Answer) -> [String] {
    (answer.value("doctor")?["checks"]?.array ?? []).map {
      "\($0["name"]?.text ?? "") \($0["verdict"]?.text ?? "")"
    }
  }

  @Test func `a destination that fits is said to fit, and nothing is sent`() async throws {
    try await withCrossing { crossing in
      let answer = try await crossing.ferry(["doctor"] + crossing.destination)
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.value("doctor")?["fits"] == true)
      #expect(checks(answer).first == "account fits")
      #expect(try crossing.backend.writeCount() == 0)
    }
  }

  @Test func `files that no request sends are told by doctor, plan and verify`() async throws {
    try await withCrossing { crossing in
      let profile = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      let name = "Hero.avatarImagePath"
      let line = try #require(profile.split(separator: "\n").first { $0.contains("- \(name)") })
      try profile.replacing("\(line)\n", with: "").write(
        toFile: crossing.profile,
        atomically: true,
        encoding: .utf8
      )
      let doctor = try await crossing.ferry(["doctor"] + crossing.destination)
      #expect(checks(doctor).contains("members unmapped"), "\(doctor.standardOutput)")
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      for type in ["upload", "verification"] {
        let findings = first.value(type)?["findings"]?.array ?? []
        let told = findings.filter { $0["cause"]?.text?.contains(name) == true }
        #expect(told.map { $0["code"]?.text } == ["plan.unplaced"], "\(type): \(findings)")
      }
    }
  }

  // 001-20, 004-21.
  @Test func `credentials that do not fit end with 7, and a cure`() async throws {
    try await withCrossing { crossing in
      var wrong = crossing
      wrong.environment["FERRY_TEST_PASSWORD"] = "battery-staple"
      let answer = try await wrong.ferry(["doctor"] + crossing.destination)
      #expect(answer.status == 7)
      #expect(checks(answer) == ["account unfit"])
      #expect(answer.value("doctor")?["checks"]?[0]?["cure"]?.text?.isEmpty == false)
    }
  }

  // 001-65.
  @Test func `a destination that is not there may be there later`() async throws {
    try await withCrossing { crossing in
      await crossing.backend.stop()
      let answer = try await crossing.ferry(["doctor", "--retries", "0"] + crossing.destination)
      #expect(answer.status == 5)
      #expect(checks(answer) == ["account unreached"])
    }
  }

  @Test func `a zone that is missing and may not be made is found in CloudKit`() async throws {
    try await withCloudVoyage { voyage in
      let good = try await voyage.ferry(["doctor"])
      #expect(good.status == 0, "\(good.standardOutput)\(good.standardError)")
      try voyage.editProfile("create-zone: true", "create-zone: false")
      let bad = try await voyage.ferry(["doctor"])
      #expect(bad.status == 7)
      #expect(bad.standardOutput.contains("UserDataZone"))
      #expect(try voyage.backend.writeCount() == 0)
    }
  }

  // 002-31.
  @Test func `an environment that does not know the records' types is found in CloudKit`()
    async throws
  {
    try await withCloudVoyage { voyage in
      try voyage.editProfile("environment: development", "environment: production")
      let answer = try await voyage.ferry(["doctor"])
      #expect(answer.status == 7, "\(answer.standardOutput)\(answer.standardError)")
      #expect(checks(answer).filter { $0 == "record type unfit" }.count == 3)
      #expect(answer.standardOutput.contains("deploy the schema"))
      #expect(try voyage.backend.writeCount() == 0)
    }
  }

  @Test func `a folder fits before it is there, and a file in its place does not`() async throws {
    try await withCrossing { crossing in
      let line = ["doctor", "--profile", crossing.profile, "--to"]
      let kept = "\(crossing.folder)/kept"
      let good = try await crossing.ferry(line + ["file:\(kept)"])
      #expect(good.status == 0, "\(good.standardOutput)\(good.standardError)")
      #expect(checks(good).prefix(2) == ["account fits", "folder fits"])
      #expect(!FileManager.default.fileExists(atPath: kept))
      try Data().write(to: URL(filePath: kept))
      let bad = try await crossing.ferry(line + ["file:\(kept)"])
      #expect(bad.status == 7)
      #expect(checks(bad) == ["account unfit"])
    }
  }

  // 004-21.
  @Test func `a backend of changesets fits, and credentials that do not are found`() async throws {
    try await withCrossing { crossing in
      var notes = crossing
      notes.profile = "\(Samples.folder)/noted/profile.yaml"
      let good = try await notes.ferry(["doctor"] + notes.destination)
      #expect(good.status == 0, "\(good.standardOutput)\(good.standardError)")
      #expect(checks(good).allSatisfy { $0.hasSuffix(" fits") } && checks(good).count > 3)
      #expect(try notes.backend.writeCount() == 0)
      notes.environment["FERRY_TEST_PASSWORD"] = "battery-staple"
      let bad = try await notes.ferry(["doctor"] + notes.destination)
      #expect(bad.status == 7)
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
  func `a bucket fits that is there and can be opened, and no other`(
    isThere: Bool,
    secretKey: String,
    verdict: String
  ) async throws {
    try await withCrossing { crossing in
      var crossing = crossing
      let bucket = try ObjectStore()
      try crossing.putFiles(
        into: bucket.origin,
        named: isThere ? bucket.bucket : "absent",
        secretKey: secretKey
      )
      let answer = try await crossing.ferry(["doctor"] + crossing.destination)
      #expect(answer.status == (verdict == "fits" ? 0 : 7), "\(answer.standardOutput)")
      #expect(checks(answer).contains("bucket \(verdict)"))
      #expect(try bucket.objects().isEmpty)
    }
  }
}
