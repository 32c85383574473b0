import Files
import Foundation
import JSONText
import TestSupport
import Testing

/// The SwiftData store of Noted's Mac app to the routes that the other apps of Noted have too.
@Suite(.timeLimit(.minutes(5))) struct NotedMacTests {
  // 004-32: no route changes or removes a picture.
  @Test func `a picture that waits is sent with its note once, and a rollback leaves it`()
    async throws
  {
    try await withMac { scenario in
      let first = try await scenario.migrate().exits(0)
      #expect(first.value("verification")?["clean"] == true)
      let final = first.findings("plan.final-removal").compactMap { $0["entity"]?.text }
      #expect(final.sorted() == ["LocalNote", "LocalNotebook"])
      let there = try #require(try images(scenario).first)
      #expect(there["filename"] == "photo 1.jpg" && there["mime_type"] == "image/jpeg")
      let note = try StoreQuery.rows(
        scenario.sample.store,
        "SELECT lower(hex(ZID)) FROM ZLOCALNOTE WHERE Z_PK = 1"
      )
      #expect(there["note_id"]?.text?.replacing("-", with: "") == note.first)
      let picture = try #require(
        try FileManager.default.contentsOfDirectory(
          atPath: "\(scenario.sample.folder)/NotedMenu/Images"
        ).first
      )
      let bytes = try InputFile.sha256(of: "\(scenario.sample.folder)/NotedMenu/Images/\(picture)")
      let digest = bytes.digest.map { String(format: "%02x", $0) }.joined()
      #expect(there["sha256"]?.text == digest)
      try await scenario.expectNothingToSend()
      var other = scenario
      other.stateName = "another-machine"
      try await other.expectNothingToSend()
      let back = try await scenario.rollback(try first.run())
      #expect(back.status == 6, "\(back)")
      #expect(try images(scenario) == [there])
    }
  }

  /// The pictures at the server.
  func images(_ scenario: MigrationScenario) throws -> [JSONValue] {
    try scenario.backend.dump()["images"]?.array ?? []
  }

  /// Every row of the account but the notebook that the server made by itself.
  func rows(_ scenario: MigrationScenario) throws -> [JSONValue] {
    (try scenario.backend.dump()["syncRows"]?.array ?? []).filter { $0["title"] != "Main" }
  }
}
