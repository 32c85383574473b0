import Foundation
import JSONText
import TestSupport
import Testing

/// What a conflict left at the destination is another device's: it stays, and every report says so.
@Suite(.timeLimit(.minutes(5))) struct KeptRemoteTests {
  func changeBoth(_ app: NoteStore) throws {
    try app.change("n1", ["title": "theirs"])
    try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
  }

  func title(_ app: NoteStore) throws -> JSONValue? {
    try app.server()["n1"]?["data"]?["title"]
  }

  // MARK: - Reports

  @Test func `a kept conflict is status 6 in its run, its resume and its verify, then listed`()
    async throws
  {
    try await NoteStore.with(conflict: "remote") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try changeBoth(app)
      try app.scenario.backend.setFaults("delay:1:20s@GET /collections/")
      let killed = try await app.scenario.run(
        ["migrate", app.scenario.sample.store] + app.scenario.destination,
        stop: .kill(after: .milliseconds(50), line: "verify …")
      )
      #expect(killed.wasKilled, "\(killed)")
      try app.scenario.backend.setFaults("")
      let resumed = try await app.scenario.migrate().exits(6)
      #expect(resumed.count("conflicted", of: "note") == 1)
      #expect(resumed.findings("plan.conflict-kept-remote").count == 1)
      let history = try await app.scenario.ferry(["history", try resumed.run()])
      #expect(history.values.first?["conflicts"] == 1)
      let package = "\(app.scenario.folder)/p.ferry"
      try await app.scenario.export(to: package).exits(0)
      let verify = ["verify", package] + app.scenario.destination
      let verified = try await app.scenario.ferry(verify).exits(6)
      let note = verified.value("verification")?["entities"]?.array?.first {
        $0["entity"] == "note"
      }
      #expect(note?["conflicted"] == 1 && note?["same"] == 0)
      let writeBack = "\(app.scenario.folder)/write-back.json"
      _ = try await app.scenario.ferry(["write-back", try resumed.run(), "-o", writeBack])
      let written = try JSONValue(parsing: String(at: writeBack))
      let entry = written["records"]?.array?.first { $0["localID"] == "n1" }
      #expect(entry?["status"] == "replace")
      #expect(entry?["attributes"]?["title"] == "theirs")
      let later = try await app.scenario.migrate().exits(0)
      #expect(later.findings("plan.kept-remote").count == 1, "\(later)")
      try await app.scenario.ferry(verify).exits(0)
      #expect(try title(app) == "theirs")
    }
  }
}
