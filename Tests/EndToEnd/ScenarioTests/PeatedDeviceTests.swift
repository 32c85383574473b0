import Foundation
import JSONText
import TestSupport
import Testing

/// Peated's SQLite database as it is on a device: only the caches and the queue of operations have rows.
@Suite(.timeLimit(.minutes(5))) struct PeatedDeviceTests {
  @Test func `the picture of a queued tasting is sent once the tasting is there`() async throws {
    try await withDevice { scenario in
      // The answer to the picture is lost as well.
      try scenario.backend.setFaults("drop-after:3@POST /v1/tastings/")
      let answer = try await scenario.migrate(["--retries", "5"]).exits(0)
      #expect(answer.value("verification")?["clean"] == true)
      let pictured = try PeatedScenario(scenario: scenario).server("tastings").values.filter {
        $0["imageUrl"]?.text != nil
      }
      #expect(pictured.count == 1)
      let address = try #require(pictured.first?["imageUrl"]?.text)
      let bytes = try RealServer.bytes(at: address)
      #expect(Data(bytes).base64EncodedString() == "iVBORw0KGgo=")
    }
  }

  // 003-8: success removes an operation.
  @Test func `the app's own replay after the write-back makes nothing twice`() async throws {
    try await withDevice { scenario in
      let answer = try await scenario.migrate().exits(0)
      let applied = try await scenario.appliedWriteBack(of: answer)
      let replay = try PeatedReplay(scenario)
      #expect(try replay.run(applied.store) == 0)
      // Without the write-back, the app would send its tastings once more.
      #expect(try replay.run(scenario.sample.store) >= 4)
    }
  }

  /// Lends a database without rows but those of caches and operations, and a server that has what was sent.
  func withDevice(_ body: (MigrationScenario) async throws -> Void) async throws {
    try await withPeatedDatabase { scenario in
      try scenario.sql(
        "DELETE FROM tastings",
        "DELETE FROM collection",
        "DELETE FROM bottles",
        "DELETE FROM users"
      )
      try await body(scenario)
    }
  }
}
