import Foundation
import JSONText
import TestSupport
import Testing

/// A token that ends amid a run, when the credentials may be others.
@Suite(.timeLimit(.minutes(3))) struct RenewedSignInTests {
  @Test func `credentials of another account amid a run end it, and that account is given nothing`()
    async throws
  {
    try await withCrossing { crossing in
      let other = try crossing.backend.addAccount(
        email: "bo@example.com",
        password: DemoAccount.environment["FERRY_TEST_PASSWORD"] ?? ""
      )
      var changing = crossing
      changing.credentials = [
        "--credential", "email=command:\(try turncoat(in: crossing.folder))",
        "--credential", "password=env:FERRY_TEST_PASSWORD",
      ]
      try crossing.backend.setFaults("status:n=1:401@POST /api/batch")
      let stopped = try await changing.migrate()
      #expect(stopped.status == 12, "\(stopped.standardOutput)\(stopped.standardError)")
      let id = try #require(other["id"]?.text)
      #expect(stopped.standardError.contains(id))
      #expect(try crossing.backend.rows("heroes").isEmpty)
      #expect(try crossing.backend.rows("stories").isEmpty)

      let again = try await crossing.migrate()
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(try crossing.backend.rows("heroes").count == 6, "as many as the sample has")
      #expect(try !crossing.backend.rows("heroes").values.contains { $0["userId"]?.text == id })
    }
  }

  @Test func `the same credentials go on amid a run`() async throws {
    try await withCrossing { crossing in
      try crossing.backend.setFaults("status:n=1:401@POST /api/batch")
      let moved = try await crossing.migrate()
      #expect(moved.status == 0, "\(moved.standardOutput)\(moved.standardError)")
      #expect(moved.value("verification")?["clean"] == true)
    }
  }

  /// A command that says one e-mail address when it is asked first, and another one ever after.
  private func turncoat(in folder: String) throws -> String {
    let (command, seen) = ("\(folder)/say", "\(folder)/seen")
    try """
    #!/bin/sh
    if [ -e '\(seen)' ]; then echo bo@example.com; else : >'\(seen)'; echo \(DemoAccount.email); fi

    """.write(toFile: command, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: command)
    return command
  }
}
