import Foundation
import JSONText
import TestSupport
import Testing

/// A gateway that passes a request on, and answers 503 in its own words before the server has answered.
@Suite(.timeLimit(.minutes(3))) struct GatewayTests {
  @Test(arguments: [("/api/batch", "page"), ("/api/batch/stories", "page"), ("/api/batch", "json")])
  func `records that were created behind a gateway error are found, and not created again`(
    path: String,
    form: String
  ) async throws {
    try await withScenario { scenario in
      let gateway = try RealServer(
        "/usr/bin/env",
        [
          "python3", ServerScript.path("impatient_gateway.py"), "{port}", scenario.backend.origin,
          path, form,
        ],
        in: scenario.folder,
        answersAt: "/impatient"
      )
      var through = scenario
      through.origin = gateway.origin
      let moved = try await through.migrate()
      #expect(try RealServer.get("\(gateway.origin)/impatient") == 1)
      #expect(moved.status == 0, "\(moved)")
      #expect(moved.value("verification")?["clean"] == true)
      for (table, entity) in [("heroes", "Hero"), ("stories", "Story")] {
        let rows = try scenario.backend.rows(table)
        #expect(rows.count == Int(moved.count("created", of: entity)), "\(table)")
      }
      withExtendedLifetime(gateway) {}
    }
  }
}
