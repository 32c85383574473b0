import Foundation
import JSONText
import TestSupport
import Testing

extension NotedSyncTests {
  // 004-1, 004-3, 004-10: adopted and changed where the server has what the app last saw.
  @Test func `a note that the server has as last seen is changed, not created again`() async throws
  {
    try await withNotedScenario { noted in
      let id = try await noted.push(1, "as it was")
      try noted.sql("UPDATE ZNOTEENTITY SET ZSERVERVERSION = 1, ZSYNCSTATUS = 1 WHERE Z_PK = 1")
      let answer = try await noted.scenario.migrate().exits(0)
      #expect(answer.count("updated", of: "NoteEntity") == 1)
      #expect(try noted.rows().count { $0["id"]?.text == id } == 1)
      #expect(try noted.row(id)?["plain_text"] != "as it was")
    }
  }

  // 004-1, 004-3, 004-8, 004-9, 004-10: nothing in the store is changed for the test.
  @Test func `the store goes to the server that it was synced with, edits and deletions included`()
    async throws
  {
    try await withNoted(isAsShipped: true) { scenario in
      let noted = NotedScenario(scenario: scenario)
      let known = try await noted.seedKnown()
      let answer = try await scenario.migrate(["--max-delete", "8"])
      #expect(answer.status == 6)
      let count = { answer.count($0, of: "NoteEntity") }
      // 30 live notes have no version. Of the others 6 are unchanged, 7 edited, 6 in conflict, 6 deleted.
      #expect(count("created") == 30 && count("updated") == 7, "\(answer)")
      #expect(count("deleted") == 6 && count("conflicted") == 6)
      // The server has both that were deleted here.
      #expect(answer.count("deleted", of: "NotebookEntity") == 2)
      let rows = try noted.rows()
      for (id, version) in known {
        #expect((rows.first { $0["id"]?.text == id }?["version"]?.integer ?? 0) >= version)
      }
    }
  }

  // 004-10, 004-11, 004-26, 000-45: the app shows both, and so does the run.
  @Test func `a note that changed at the server, or has no revision, is asked about`() async throws
  {
    try await withNotedScenario { noted in
      let moved = try await noted.push(2, "from the web")
      _ = try await noted.push(2, "from the web, again")
      let unknown = try await noted.push(3, "from the web too")
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSERVERVERSION = 1, ZSYNCSTATUS = 1 WHERE Z_PK = 2",
        "UPDATE ZNOTEENTITY SET ZSERVERVERSION = 0, ZSYNCSTATUS = 1 WHERE Z_PK = 3"
      )
      let decisions = "\(noted.scenario.folder)/decisions.json"
      let answer = try await noted.scenario.migrate(["--decisions", decisions]).exits(6)
      #expect(answer.count("conflicted", of: "NoteEntity") == 2)
      #expect(try noted.row(moved)?["plain_text"] == "from the web, again")
      let text = try String(at: decisions)
      #expect(text.contains(moved.uppercased()) && text.contains(unknown.uppercased()))
      try text.replacing(#""decision": null"#, with: #""decision": "local""#).save(to: decisions)
      try await noted.scenario.migrate(["--decisions", decisions]).exits(0)
      #expect(try noted.row(moved)?["plain_text"] != "from the web, again")
    }
  }

  // 004-10: Ferry's own base counts before a version of an earlier life of the server.
  @Test func `a stale revision in the store does not win over the agreed one`() async throws {
    try await withNotedScenario { noted in
      try await noted.scenario.migrate().exits(0)
      let (edited, deleted) = (
        try await noted.push(1, "from the web"), try await noted.push(2, "from the web too")
      )
      func version(_ id: String) throws -> Int64 {
        try #require(try noted.row(id)?["version"]?.integer)
      }
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1 WHERE Z_PK IN (1, 2)",
        "UPDATE ZNOTEENTITY SET ZSERVERVERSION = \(try version(edited)) WHERE Z_PK = 1",
        "UPDATE ZNOTEENTITY SET ZSERVERVERSION = \(try version(deleted)) WHERE Z_PK = 2",
        "UPDATE ZNOTEENTITY SET ZPLAINTEXT = 'from here' WHERE Z_PK = 1",
        "UPDATE ZNOTEENTITY SET ZDELETEDAT = 790000000 WHERE Z_PK = 2"
      )
      for policy in ["fail", "ask", "remote"] {
        let answer = try await noted.scenario.migrate(["--on-conflict", policy]).exits(6)
        #expect(answer.count("conflicted", of: "NoteEntity") == 2, "\(policy)")
        #expect(try noted.row(edited)?["plain_text"] == "from the web")
        #expect(try noted.row(deleted)?["plain_text"] == "from the web too")
        #expect(try noted.row(deleted)?["deleted_at"]?.isNull ?? true)
      }
    }
  }

  @Test func `a rollback leaves a note for which a person chose the remote content`()
    async throws
  {
    try await withNotedScenario { noted in
      try await noted.scenario.migrate().exits(0)
      let id = try await noted.push(1, "from the web")
      try noted.sql("UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZPLAINTEXT = 'here' WHERE Z_PK = 1")
      let decisions = "\(noted.scenario.folder)/decisions.json"
      try await noted.scenario.migrate(["--decisions", decisions]).exits(6)
      try String(at: decisions).replacing(#""decision": null"#, with: #""decision": "remote""#)
        .save(to: decisions)
      let decided = try await noted.scenario.migrate(["--decisions", decisions])
      // The app's row is not what the server has.
      let file = "\(noted.scenario.folder)/write-back.json"
      _ = try await noted.scenario.ferry(["write-back", try decided.run(), "-o", file])
      let writeBack = try JSONValue(parsing: String(at: file))
      let entry = writeBack["records"]?.array?.first { $0["localID"]?.text?.lowercased() == id }
      #expect(entry?["status"] == "replace")
      #expect(entry?["attributes"]?["plainText"] == "from the web")
      for run in try decided.runs() { _ = try await noted.scenario.rollback(run) }
      #expect(try noted.row(id)?["plain_text"] == "from the web")
      #expect(try noted.row(id)?["deleted_at"]?.isNull ?? true)
    }
  }

  // The server writes a note's notebook once, and takes a later one without a word.
  @Test func `a move that the server does not keep is conflicted in the write-back`() async throws {
    try await withNotedScenario { noted in
      try await noted.scenario.migrate().exits(0)
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZNOTEBOOKID = (SELECT ZID FROM ZNOTEBOOKENTITY "
          + "WHERE ZDELETEDAT IS NULL AND ZID <> ZNOTEENTITY.ZNOTEBOOKID LIMIT 1) WHERE Z_PK = 1"
      )
      // Each later run says the same, also those with and after a change of another field.
      for run in 1...4 {
        if run == 3 {
          try noted.sql(
            "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZPLAINTEXT = 'edited since' WHERE Z_PK = 1"
          )
        }
        let answer = try await noted.scenario.migrate().exits(6)
        let file = try await noted.scenario.savedWriteBack(of: answer)
        let open = file.entries("NoteEntity").filter { $0["status"] == "conflicted" }
        #expect(open.count == 1)
        #expect(open.first?["reason"] == "the destination did not keep notebook_id as it was sent")
        #expect(file.entries("NoteEntity").allSatisfy { $0["status"] != "replace" })
      }
    }
  }

  @Test func `a merge names the move that the server did not keep`() async throws {
    try await withNotedScenario { noted in
      try await noted.scenario.migrate().exits(0)
      let id = try await noted.push(1, "from the web")
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZNOTEBOOKID = (SELECT ZID FROM ZNOTEBOOKENTITY "
          + "WHERE ZDELETEDAT IS NULL AND ZID <> ZNOTEENTITY.ZNOTEBOOKID LIMIT 1) WHERE Z_PK = 1"
      )
      let answer = try await noted.scenario.migrate(["--on-conflict", "merge"]).exits(6)
      let file = try await noted.scenario.savedWriteBack(of: answer)
      let entry = file.entries("NoteEntity").first { $0["localID"]?.text?.lowercased() == id }
      #expect(entry?["status"] == "conflicted")
      #expect(entry?["reason"] == "the destination did not keep notebook_id as it was sent")
    }
  }

  // The server leaves an empty text out of its answers, and the app's model asks for one.
  @Test func `a text that was emptied at the server goes to the app as an empty one`() async throws
  {
    try await withNotedScenario { noted in
      try noted.sql("UPDATE ZNOTEENTITY SET ZPLAINTEXT = 'from here' WHERE Z_PK = 1")
      try await noted.scenario.migrate().exits(0)
      let id = try await noted.push(1, "")
      let answer = try await noted.scenario.migrate()
      let file = try await noted.scenario.savedWriteBack(of: answer)
      let entry = file.entries("NoteEntity").first { $0["localID"]?.text?.lowercased() == id }
      #expect(entry?["status"] == "replace")
      #expect(entry?["attributes"]?["plainText"] == "")
    }
  }

  // 004-9: soft delete, sent, then removed by the write-back.
  @Test func `a note deleted in the app is deleted at the destination, within the limit`()
    async throws
  {
    try await withNotedScenario { noted in
      let id = try await noted.push(1, "as it was")
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSERVERVERSION = 1, ZSYNCSTATUS = 1, ZDELETEDAT = 790000000 "
          + "WHERE Z_PK = 1"
      )
      try await noted.scenario.migrate(["--max-delete", "0"]).exits(8)
      #expect(try noted.row(id)?["deleted_at"]?.isNull ?? true)
      let answer = try await noted.scenario.migrate(["--max-delete", "1"]).exits(0)
      #expect(answer.count("deleted", of: "NoteEntity") == 1)
      #expect(try noted.row(id)?["deleted_at"]?.text != nil)
      let file = "\(noted.scenario.folder)/write-back.json"
      _ = try await noted.scenario.ferry(["write-back", try answer.run(), "-o", file])
      let writeBack = try JSONValue(parsing: String(at: file))
      let entry = writeBack["records"]?.array?.first { $0["localID"]?.text?.lowercased() == id }
      #expect(entry?["status"] == "deleted")
    }
  }

  // 004-9: the client writes no version down, so that its row says nothing of the server's.
  @Test
  func `a deletion in the app is sent, though neither a run nor a revision knows the record`()
    async throws
  {
    try await withNotedScenario { noted in
      var before = noted.scenario
      before.stateName = "before"
      // One that has no notes.
      try noted.sql("UPDATE ZNOTEBOOKENTITY SET ZDELETEDAT = NULL WHERE Z_PK = 7")
      try await before.migrate().exits(0)
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZDELETEDAT = 790000000 WHERE Z_PK = 1",
        "UPDATE ZNOTEBOOKENTITY SET ZSYNCSTATUS = 1, ZDELETEDAT = 790000000 WHERE Z_PK = 7"
      )
      let answer = try await noted.scenario.migrate(["--max-delete", "2"]).exits(0)
      #expect(answer.count("deleted", of: "NoteEntity") == 1)
      #expect(answer.count("deleted", of: "NotebookEntity") == 1)
    }
  }

  // 004-9: the app deletes the notebook alone, and so does its server.
  @Test func `a notebook that the app deleted is deleted at the destination, and its notes stay`()
    async throws
  {
    try await withNotedScenario { noted in
      let second = try await noted.scenario.migrateDeletingNotebook()
      #expect(second.count("deleted", of: "NotebookEntity") == 1)
      #expect(second.value("verification")?["clean"] == true)
      try await noted.takeOver(second, expecting: "skipped")
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZDELETEDAT = 790000000 "
          + "WHERE hex(ZNOTEBOOKID) = '8DE737BF3B814ABEBEC781AA4C6EB9F4'"
      )
      let third = try await noted.scenario.migrate(["--max-delete", "50"]).exits(0)
      try await noted.takeOver(third, expecting: "deleted")
    }
  }

  @Test
  func `a notebook with another device's change in it stays until the app saw that and went on`()
    async throws
  {
    try await withNotedScenario { noted in
      try await noted.scenario.migrate().exits(0)
      let book = "8de737bf-3b81-4abe-bec7-81aa4c6eb9f4"
      let note = try #require(try noted.rows().first { $0["notebook_id"]?.text == book })
      try noted.change(note, ["plain_text": "from the web"])
      try noted.sql(
        "UPDATE ZNOTEBOOKENTITY SET ZSYNCSTATUS = 1, ZDELETEDAT = 790000000 WHERE Z_PK = 1"
      )
      // The first write-back gives the app the change, with its revision. The deletion is older than that.
      for run in 1...3 {
        let answer = try await noted.scenario.migrate(["--max-delete", "1"]).exits(6)
        let kept = answer.findings("upload.conflict")
        #expect(kept.compactMap { $0["record"]?.text } == [book.uppercased()], "run \(run)")
        #expect(kept.allSatisfy { $0["cure"]?.text?.contains("--on-conflict") == false })
        #expect(try noted.row(book)?["deleted_at"]?.isNull ?? true, "run \(run)")
        try noted.scenario.install(try await noted.scenario.appliedWriteBack(of: answer).store)
      }
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZPLAINTEXT = 'read' "
          + "WHERE ZPLAINTEXT = 'from the web'"
      )
      let last = try await noted.scenario.migrate(["--max-delete", "1"])
      #expect(last.count("deleted", of: "NotebookEntity") == 1, "\(last)")
    }
  }

  /// Of a list that the app made longer, the server takes what it knows.
  @Test(arguments: [false, true])
  func `a change that the server took in part is failed in each run`(withTag: Bool) async throws {
    try await withNotedScenario { noted in
      try await noted.scenario.migrate().exits(0)
      let dump = try noted.scenario.backend.dump()
      let link = try #require(dump["noteTags"]?.array?.first)
      let id = try #require(link["note"]?.text)
      // The server never takes a removed tag again, and leaves it out of the notes without a word.
      var tag = try #require(
        dump["syncRows"]?.array?.first { $0["id"]?.text == link["tag"]?.text }?.object
      )
      tag["deleted_at"] = .string(Date().ISO8601Format())
      tag["updated_at"] = .string(Date().addingTimeInterval(60).ISO8601Format())
      tag["kind"] = nil as JSONValue?
      _ = try noted.scenario.backend.request(
        "POST",
        "/api/sync",
        ["tags": .array([.object(tag)])],
        token: try noted.logIn()["access_token"]?.text
      )
      try noted.change(try #require(try noted.row(id)), ["plain_text": "from the web"])
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZPLAINTEXT = 'from here' "
          + "WHERE lower(hex(ZID)) = '\(id.replacing("-", with: ""))'"
      )
      if withTag {
        try noted.sql(
          """
          INSERT INTO ZNOTETAGENTITY (Z_PK, Z_ENT, Z_OPT, ZNOTE, ZTAG)
          SELECT (SELECT max(Z_PK) + 1 FROM ZNOTETAGENTITY), 2, 1, note.Z_PK, tag.Z_PK
          FROM ZNOTEENTITY AS note, ZTAGENTITY AS tag
          WHERE ZPLAINTEXT = 'from here'
            AND tag.Z_PK NOT IN (SELECT ZTAG FROM ZNOTETAGENTITY WHERE ZNOTE = note.Z_PK) LIMIT 1
          """
        )
      }
      for run in 1...3 {
        let answer = try await noted.scenario.migrate(["--on-conflict", "local", "--full"])
        let entry = try await noted.scenario.savedWriteBack(of: answer).entries("NoteEntity")
          .first { $0["localID"]?.text?.lowercased() == id }
        #expect(entry?["status"] == "failed", "run \(run): \(String(describing: entry))")
        #expect(answer.findings("sync.dropped").contains { $0["record"] == entry?["localID"] })
        #expect(try noted.row(id)?["plain_text"] == "from here")
        try noted.scenario.install(try await noted.scenario.appliedWriteBack(of: answer).store)
      }
    }
  }

  @Test func `an edited note of a deleted notebook is changed at the destination`()
    async throws
  {
    try await withNotedScenario { noted in
      _ = try await noted.scenario.migrateDeletingNotebook()
      try noted.sql(
        "UPDATE ZNOTEENTITY SET ZSYNCSTATUS = 1, ZPLAINTEXT = 'edited since' WHERE Z_PK = 6"
      )
      let third = try await noted.scenario.migrate().exits(0)
      #expect(third.count("updated", of: "NoteEntity") == 1)
      #expect(third.value("verification")?["clean"] == true)
      let note = try #require(try noted.rows().first { $0["plain_text"] == "edited since" })
      #expect(note["notebook_id"] == "8de737bf-3b81-4abe-bec7-81aa4c6eb9f4")
      let writes = try noted.scenario.backend.writeCount()
      try await noted.scenario.migrate().exits(0)
      #expect(try noted.scenario.backend.writeCount() == writes)
    }
  }

  // 003-17, 002-9.
  @Test func `another person's notebook is not sent, and neither are its notes`() async throws {
    try await withNotedScenario { noted in
      try noted.sql(
        "INSERT INTO ZUSERENTITY (Z_PK, Z_ENT, Z_OPT, ZID, ZEMAIL, ZCREATEDAT, ZUPDATEDAT) "
          + "SELECT 2, Z_ENT, Z_OPT, x'0102030405060708090A0B0C0D0E0F10', 'ada@example.com', "
          + "ZCREATEDAT, ZUPDATEDAT FROM ZUSERENTITY WHERE Z_PK = 1",
        "UPDATE ZNOTEBOOKENTITY SET ZUSER = 2 WHERE Z_PK = 5"
      )
      let answer = try await noted.scenario.migrate().exits(0)
      let left = answer.findings("plan.skipped").compactMap { $0["cause"]?.text }
      #expect(
        left.contains { $0.contains("1 record of NotebookEntity") && $0.contains("another") }
      )
      #expect(
        left.contains { $0.contains("8 records of NoteEntity") && $0.contains("depend on") }
      )
      #expect(try noted.rows().allSatisfy { $0["title"] != "Reise nach Süden" })
    }
  }

  // 004-2: when the person last changed it, against when the server last did.
  @Test(arguments: [(1_000_000_000, "from here"), (0, "from the web")])
  func `a tag that both sides renamed gets the later name`(
    moment: Int,
    name: String
  ) async throws {
    try await withNotedScenario { noted in
      try await noted.scenario.migrate().exits(0)
      let tag = try #require(try noted.rows().first { $0["name"] == "urgent" }?.object)
      var renamed = tag
      renamed["name"] = "from the web"
      // The server keeps the date that a client gives, here by a clock that is fast.
      renamed["updated_at"] = .string(Date().addingTimeInterval(60).ISO8601Format())
      renamed["kind"] = nil as JSONValue?
      _ = try noted.scenario.backend.request(
        "POST",
        "/api/sync",
        ["tags": .array([.object(renamed)])],
        token: try noted.logIn()["access_token"]?.text
      )
      try noted.sql(
        "UPDATE ZTAGENTITY SET ZNAME = 'from here', ZSYNCSTATUS = 1, "
          + "ZLOCALLYMODIFIEDAT = \(moment) WHERE ZNAME = 'urgent'"
      )
      let answer = try await noted.scenario.migrate()
      #expect(answer.status == (moment == 0 ? 6 : 0), "\(answer)")
      let id = try #require(tag["id"]?.text)
      #expect(try noted.row(id)?["name"]?.text == name)
    }
  }

  @Test func `a device of another person is refused`() async throws {
    try await withNotedScenario { noted in
      try noted.sql("UPDATE ZUSERENTITY SET ZEMAIL = 'ada@example.com'")
      let refused = try await noted.scenario.migrate().exits(12)
      #expect(refused.standardError.contains("ada@example.com"))
      #expect(try noted.rows().isEmpty)
    }
  }
}

extension NotedScenario {
  /// Changes a note as another device does.
  fileprivate func change(_ note: JSONValue, _ members: JSONValue) throws {
    _ = try scenario.backend.request(
      "PUT",
      "/api/notes/\(note["id"]?.text ?? "")",
      members,
      token: try logIn()["access_token"]?.text
    )
  }
}
