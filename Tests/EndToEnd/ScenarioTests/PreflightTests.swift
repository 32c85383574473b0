import Foundation
import JSONText
import TestSupport
import Testing

/// What is said of a destination before anything is sent.
@Suite(.timeLimit(.minutes(2))) struct PreflightTests {
  func checks(_ answer: Answer) -> [String] {
    (answer.value("preflight")?["checks"]?.array ?? []).map {
      "\($0["name"]?.text ?? "") \($0["verdict"]?.text ?? "")"
    }
  }

  @Test func `a fitting destination is reported as fitting, and no record is sent`() async throws {
    try await withScenario { scenario in
      let answer = try await scenario.ferry(["preflight"] + scenario.destination).exits(0)
      #expect(answer.value("preflight")?["fits"] == true)
      #expect(checks(answer).first == "account fits")
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  // 001-20, 004-21.
  @Test func `wrong credentials end with status 7, and a cure`() async throws {
    try await withScenario { scenario in
      var wrong = scenario
      wrong.environment["FERRY_TEST_PASSWORD"] = "battery-staple"
      let answer = try await wrong.ferry(["preflight"] + scenario.destination).exits(7)
      #expect(checks(answer) == ["account unfit"])
      #expect(answer.value("preflight")?["checks"]?[0]?["cure"]?.text?.isEmpty == false)
    }
  }

  // 001-65.
  @Test func `a missing destination is reported as passing`() async throws {
    try await withScenario { scenario in
      await scenario.backend.stop()
      let answer = try await scenario.ferry(["preflight", "--retries", "0"] + scenario.destination)
      #expect(answer.status == 5)
      #expect(checks(answer) == ["account unreached"])
    }
  }
}
