import Foundation
import JSONText
import TestSupport
import Testing

/// What can be handed to another person for support.
@Suite(.timeLimit(.minutes(5))) struct RedactionTests {
  func export(_ scenario: MigrationScenario, to package: String, _ flags: [String])
    async throws
    -> Answer
  {
    try await scenario.ferry(
      ["export", scenario.sample.store, "--profile", scenario.profile, "-o", package] + flags
    )
  }

  @Test func `a redacted package never reaches a destination`() async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/r.ferry"
      try await export(scenario, to: package, ["--redact"]).exits(0)
      let again = "\(scenario.folder)/again.ferry"
      for verb in ["plan", "upload", "verify"] {
        let answer = try await scenario.ferry([verb, package] + scenario.destination)
        #expect(answer.status == 12, "\(verb): \(answer.standardError)")
        #expect(answer.standardError.contains("is redacted"))
        #expect(answer.standardError.contains("without --redact"))
      }
      let joined = try await scenario.ferry(
        ["import", "\(scenario.folder)/store", "--into", package, "-o", again]
      )
      if joined.status == 0 {
        try await scenario.ferry(["upload", again] + scenario.destination).exits(12)
      }
      let store = try await scenario.migrate()
      #expect(store.status == 0 && store.count("created") > 0)
    }
  }
}
