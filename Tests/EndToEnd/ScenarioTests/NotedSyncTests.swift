import Foundation
import JSONText
import TestSupport
import Testing

/// What the store of Noted knows of its server, and what a plan makes of it.
///
/// The numbers in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(5))) struct NotedSyncTests {
  @Test func `without a checkpoint, notes of a notebook that was deleted are found as they are`()
    async throws
  {
    try await withNotedScenario { noted in
      var before = noted.scenario
      before.stateName = "before"
      _ = try await before.migrateDeletingNotebook()
      let writes = try noted.scenario.backend.writeCount()
      let answer = try await noted.scenario.migrate().exits(0)
      #expect(answer.count("conflicted", of: "NoteEntity") == 0)
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try noted.scenario.backend.writeCount() == writes)
    }
  }
}

/// The sample store of Noted, as its client leaves it, and a server.
struct NotedScenario {
  let scenario: MigrationScenario

  func sql(_ statements: String...) throws {
    for statement in statements { try scenario.sql(statement) }
  }

  /// Every row of the account but the notebook that the server made by itself.
  func rows() throws -> [JSONValue] {
    (try scenario.backend.dump()["syncRows"]?.array ?? []).filter { $0["title"] != "Main" }
  }

  func row(_ id: String) throws -> JSONValue? { try rows().first { $0["id"]?.text == id } }

  func logIn() throws -> JSONValue {
    try scenario.backend.request(
      "POST",
      "/api/auth/login",
      ["email": .string(DemoAccount.email), "password": "correct-horse"]
    )
  }

  /// Has the app take over what a run came to: it keeps the row of the deleted notebook as long as notes of
  /// it are left, and has nothing more to send.
  func takeOver(_ run: Answer, expecting status: String) async throws {
    let entries = try await scenario.savedWriteBack(of: run).entries("NotebookEntity")
    let home = entries.first { $0["localID"] == "8DE737BF-3B81-4ABE-BEC7-81AA4C6EB9F4" }
    #expect(home?["status"]?.text == status)
    if status == "skipped" {
      #expect(home?["reason"] == "it is deleted, and rows of NoteEntity still name it")
    }
    try scenario.install(try await scenario.appliedWriteBack(of: run).store)
    try await scenario.expectNothingToSend()
  }

  /// A row of the server's, with the members of a record under its own names and others as they are.
  private func row(
    _ record: JSONValue,
    _ names: [String: String],
    _ others: JSONObject
  ) -> JSONValue {
    var row = others
    for (own, name) in names where row[own] == nil { row[own] = record[name] ?? .null }
    return .object(row)
  }

  /// Gives the server each note that has a version of its own in the store, at that version.
  ///
  /// One that the store says was edited has an earlier text there. Gives the versions by identity.
  func seedKnown() async throws -> [String: Int64] {
    let package = "\(scenario.folder)/known.ferry"
    _ = try await scenario.export(to: package)
    let lines = PackageLines(package)
    let login = try logIn()
    let user = login["user"]?["id"] ?? .null
    let date = JSONValue.string(Date(timeIntervalSinceNow: -86_400).ISO8601Format())
    var known: [String: Int64] = [:]
    var notes: [JSONValue] = []
    var notebooks: [JSONValue] = []
    for notebook in try lines.records("NotebookEntity") {
      let members = [
        "id": "id", "title": "title", "sort_order": "sortOrder", "created_at": "createdAt",
      ]
      notebooks.append(row(notebook, members, ["user_id": user, "updated_at": date]))
    }
    for note in try lines.records("NoteEntity") {
      guard let version = note["serverVersion"]?.integer, version > 0, let id = note["id"]?.text
      else { continue }
      known[id.lowercased()] = version
      let members = [
        "id": "id", "notebook_id": "notebookId", "content": "content", "version": "serverVersion",
        "plain_text": "plainText", "is_todo": "isTodo", "is_done": "isDone",
        "is_starred": "isStarred", "reminder_at": "reminderAt", "created_at": "createdAt",
      ]
      var others: JSONObject = ["user_id": user, "updated_at": date]
      if note["syncStatus"] != 0 { others["plain_text"] = "as it was" }
      notes.append(row(note, members, others))
    }
    _ = try scenario.backend.request(
      "POST",
      "/api/sync",
      ["notebooks": .array(notebooks), "notes": .array(notes)],
      token: login["access_token"]?.text
    )
    return known
  }

  /// Puts a note of the store, and its notebook, at the server, the note with another text, as the app's
  /// web page does; gives its identity there.
  func push(_ number: Int, _ text: String) async throws -> String {
    let package = "\(scenario.folder)/\(text.count)-\(number).ferry"
    _ = try await scenario.export(to: package)
    let hex = try Python.run([
      "-c",
      "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("
        + "'SELECT hex(ZID) FROM ZNOTEENTITY WHERE Z_PK = ?', (sys.argv[2],)).fetchone()[0])",
      scenario.sample.store, "\(number)",
    ]).trimmingCharacters(in: .whitespacesAndNewlines)
    let lines = PackageLines(package)
    let note = try #require(
      try lines.records("NoteEntity").first {
        $0["id"]?.text?.replacing("-", with: "") == hex
      }
    )
    let notebook = try #require(
      try lines.records("NotebookEntity").first { $0["id"] == note["notebookId"] }
    )
    let login = try logIn()
    // As a device dates what it has just changed; the later date wins at the server.
    let date = Date().ISO8601Format(.init(includingFractionalSeconds: true))
    let id = try #require(note["id"]?.text).lowercased()
    let version: Int64 = try row(id)?["version"]?.integer ?? 1
    let notebookID = try #require(notebook["id"]?.text).lowercased()
    let place: JSONValue = [
      "id": .string(notebookID), "user_id": login["user"]?["id"] ?? .null,
      "title": notebook["title"] ?? .null, "sort_order": notebook["sortOrder"] ?? .null,
      "created_at": notebook["createdAt"] ?? .null, "deleted_at": .null,
      "updated_at": .string(date),
    ]
    let pushed: JSONValue = [
      "id": .string(id), "user_id": login["user"]?["id"] ?? .null, "plain_text": .string(text),
      "notebook_id": .string(notebookID),
      "content": note["content"] ?? .null, "created_at": note["createdAt"] ?? .null,
      "version": .number(JSONNumber(version)), "deleted_at": .null,
      "updated_at": .string(date),
    ]
    _ = try scenario.backend.request(
      "POST",
      "/api/sync",
      ["notebooks": .array([place]), "notes": .array([pushed])],
      token: login["access_token"]?.text
    )
    return id
  }
}

func withNotedScenario(_ body: (NotedScenario) async throws -> Void) async throws {
  try await withNoted { try await body(NotedScenario(scenario: $0)) }
}
