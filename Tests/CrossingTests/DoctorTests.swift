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
}
