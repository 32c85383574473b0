import Foundation
import JSONText
import TestSupport
import Testing

/// A token that ends amid a run, when the credentials may be others.
@Suite(.timeLimit(.minutes(3))) struct RenewedSignInTests {
  @Test func `credentials of another account end a run, and that account gets no record`()
    async throws
  {
    try await withScenario { scenario in
      let other = try scenario.backend.addAccount(
        email: "bo@example.com",
        password: DemoAccount.environment["FERRY_TEST_PASSWORD"] ?? ""
      )
      var changing = scenario
      changing.credentials = [
        "--credential", "email=command:\(try turncoat(in: scenario.folder))",
        "--credential", "password=env:FERRY_TEST_PASSWORD",
      ]
      try scenario.backend.setFaults("status:n=1:401@POST /api/batch")
      let stopped = try await changing.migrate().exits(12)
      let id = try #require(other["id"]?.text)
      #expect(stopped.standardError.contains(id))
      #expect(try scenario.backend.rows("heroes").isEmpty)
      #expect(try scenario.backend.rows("stories").isEmpty)

      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.rows("heroes").count == 6, "as many as the sample has")
      #expect(try !scenario.backend.rows("heroes").values.contains { $0["userId"]?.text == id })
    }
  }

  @Test func `renewed credentials of the same account continue a run`() async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("status:n=1:401@POST /api/batch")
      let moved = try await scenario.migrate().exits(0)
      #expect(moved.value("verification")?["clean"] == true)
    }
  }

  /// A command that says one e-mail address when it is asked first, and another one ever after.
  private func turncoat(in folder: String) throws -> String {
    let (command, seen) = ("\(folder)/say", "\(folder)/seen")
    try """
    #!/bin/sh
    if [ -e '\(seen)' ]; then echo bo@example.com; else : >'\(seen)'; echo \(DemoAccount.email); fi

    """.save(to: command)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: command)
    return command
  }
}
