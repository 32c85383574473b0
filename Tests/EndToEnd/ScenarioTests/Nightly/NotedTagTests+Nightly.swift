import Foundation
import JSONText
import TestSupport
import Testing

extension NotedTagTests {
  @Test func `a tag that a note got or lost in the app is sent by the note's own route`()
    async throws
  {
    try await withNoted { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql(
        "DELETE FROM ZNOTETAGENTITY WHERE Z_PK = (SELECT MIN(j.Z_PK) FROM ZNOTETAGENTITY j "
          + "JOIN ZNOTEENTITY n ON n.Z_PK = j.ZNOTE WHERE n.ZDELETEDAT IS NULL)"
      )
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("updated", of: "NoteEntity") == 1)
      #expect(try there(scenario) == (try here(scenario)))
      let change = try #require(try scenario.backend.changes().last)
      #expect(change["method"] == "PUT")
      #expect(change["body"]?.text?.hasPrefix(#"{"tag_ids":["#) == true)
    }
  }

  @Test func `a note whose text and tags changed is sent by both routes`() async throws {
    try await withNoted { scenario in
      try await scenario.migrate().exits(0)
      let note =
        "(SELECT MIN(ZNOTE) FROM ZNOTETAGENTITY j JOIN ZNOTEENTITY n ON n.Z_PK = j.ZNOTE "
        + "WHERE n.ZDELETEDAT IS NULL)"
      try scenario.sql(
        "UPDATE ZNOTEENTITY SET ZPLAINTEXT = 'edited', ZSYNCSTATUS = 1 WHERE Z_PK = \(note)",
        "DELETE FROM ZNOTETAGENTITY WHERE ZNOTE = \(note)"
      )
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("updated", of: "NoteEntity") == 1, "\(answer)")
      #expect(try there(scenario) == (try here(scenario)))
      let writes = try scenario.backend.writeCount()
      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `with kills and lost answers, each link is there once`() async throws {
    try await withNoted { scenario in
      try scenario.backend.setFaults("delay:1:30ms@PUT /api/notes;drop-after:5@PUT /api/notes")
      try await scenario.kill(after: [0.2, 0.4])
      try scenario.backend.setFaults("drop-after:4@PUT /api/notes")
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try there(scenario) == (try here(scenario)))
      try scenario.backend.setFaults("")
      for back in try await scenario.rollbackAll(from: last) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try there(scenario).isEmpty)
    }
  }

  // 000-30, 004-10: the app needs the content that the server has, and the links are a part of it.
  @Test func `a copy that took the server's tags has nothing left to send`() async throws {
    try await withNoted { scenario in
      try await scenario.migrate().exits(0)
      let note = try #require(try there(scenario).first?.split(separator: " ").first)
      let path = "/api/notes/\(note)"
      _ = try scenario.backend.request("PUT", path, ["tag_ids": []], token: try token(scenario))
      let answer = try await scenario.migrate().exits(0)
      let file = "\(scenario.folder)/write-back.json"
      let copy = "\(scenario.folder)/copy"
      try makeFolder(copy)
      try await scenario.ferry(["write-back", try answer.run(), "-o", file]).exits(0)
      let target = "\(copy)/Noted.sqlite"
      let words = ["write-back", "apply", file, "--copy", scenario.sample.store, "-o", target]
      try await scenario.ferry(words + ["--profile", scenario.profile]).exits(0)
      var sample = scenario.sample
      sample.folder = copy
      let other = scenario.with(sample)
      #expect(try here(other) == (try there(scenario)))
      let writes = try scenario.backend.writeCount()
      let next = try await other.migrate().exits(0)
      #expect(next.count("unchanged", of: "NoteEntity") > 0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  // The server takes a removed tag off its notes, and leaves these their versions.
  @Test func `a tag that the server removed is not sent again with the text of a note`()
    async throws
  {
    try await withNoted { scenario in
      try await scenario.migrate().exits(0)
      let links = try there(scenario).map { $0.split(separator: " ").map(String.init) }
      let twice = links.first { link in links.count { $0[0] == link[0] } == 2 }
      let (note, tag) = try #require(twice.map { ($0[0], $0[1]) })
      try remove(tag, scenario)
      let key = note.replacing("-", with: "").uppercased()
      try scenario.sql(
        "UPDATE ZNOTEENTITY SET ZPLAINTEXT = 'from here', ZSYNCSTATUS = 1 WHERE hex(ZID) = '\(key)'"
      )
      for _ in 1...2 {
        let answer = try await scenario.migrate(["--on-conflict", "fail"]).exits(6)
        let notes = try await scenario.savedWriteBack(of: answer).entries("NoteEntity")
        let entry = notes.first { $0["localID"]?.text?.lowercased() == note }
        #expect(entry?["status"] == "conflicted")
        #expect(entry?["reason"] == "the destination did not keep tags as it was sent")
        let rows = try scenario.backend.dump()["syncRows"]?.array ?? []
        #expect(rows.first { $0["id"]?.text == note }?["plain_text"] == "from here")
      }
    }
  }

  /// Removes a tag as another device does.
  private func remove(_ tag: String, _ scenario: MigrationScenario) throws {
    let rows = try scenario.backend.dump()["syncRows"]?.array ?? []
    var row = try #require(rows.first { $0["id"]?.text == tag }?.object)
    let moment = Date().addingTimeInterval(60).ISO8601Format()
    row["updated_at"] = .string(moment)
    row["deleted_at"] = .string(moment)
    row["kind"] = nil as JSONValue?
    let body: JSONValue = ["tags": .array([.object(row)])]
    _ = try scenario.backend.request("POST", "/api/sync", body, token: try token(scenario))
  }

  private func token(_ scenario: MigrationScenario) throws -> String? {
    let answer = try scenario.backend.request(
      "POST",
      "/api/auth/login",
      ["email": .string(DemoAccount.email), "password": "correct-horse"]
    )
    return answer["access_token"]?.text
  }
}
