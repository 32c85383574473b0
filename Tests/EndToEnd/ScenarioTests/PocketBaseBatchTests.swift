import Foundation
import JSONText
import TestSupport
import Testing

/// PocketBase's batches, by the profile that `ferry init --preset pocketbase` drafts for a table of notes.
@Suite(
  .enabled(
    if: Servers.pocketbase != nil,
    "skipped: FERRY_POCKETBASE does not name the program of PocketBase"
  ),
  .timeLimit(.minutes(5))
)
struct PocketBaseBatchTests {
  @Test func `250 records are created, changed and deleted by six requests each at most`()
    async throws
  {
    try await withNotes(count: 250) { notes in
      let first = try await notes.migrate().exits(0)
      #expect(first.count("created") == 250)
      #expect(try notes.takeWrites() <= 6)
      #expect(try notes.count() == 250)
      try Python.edit(notes.store, "UPDATE Note SET title = title || '!'")
      let second = try await notes.migrate().exits(0)
      #expect(second.count("updated") == 250)
      #expect(try notes.takeWrites() <= 5)
      try Python.edit(notes.store, "DELETE FROM Note WHERE id > 'n100'")
      let third = try await notes.migrate(["--delete"]).exits(0)
      #expect(third.count("deleted") == 150)
      #expect(try notes.takeWrites() <= 3)
      #expect(try notes.count() == 100)
    }
  }

  @Test func `one record among fifty that the server refuses is named, and the others are created`()
    async throws
  {
    try await withNotes(count: 51) { notes in
      try Python.edit(
        notes.store,
        "UPDATE Note SET title = 'much too long a title' WHERE id = 'n030'"
      )
      let answer = try await notes.migrate().exits(3)
      #expect(answer.count("created") == 50)
      #expect(answer.count("rejected") == 1)
      #expect(answer.standardOutput.contains("n030"))
      #expect(answer.standardOutput.contains("title: Must be no more than 20 character(s)."))
      // The first alone, the fifty, and the others of them.
      #expect(try notes.takeWrites() == 3)
      #expect(try notes.count() == 50)
    }
  }

  @Test func `a server that refuses batches is named by preflight, and gets one record a request`()
    async throws
  {
    try await withNotes(count: 120, takesBatches: false) { notes in
      let preflight = try await notes.ferry(["preflight"]).exits(0)
      #expect(preflight.standardOutput.contains("records go one by one"))
      let answer = try await notes.migrate().exits(0)
      #expect(answer.count("created") == 120)
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try notes.count() == 120)
    }
  }

  @Test func `batches are switched off by one key of the profile`() async throws {
    try await withNotes(count: 20, with: "  with: { batch: 1 }") { notes in
      _ = try notes.takeWrites()
      try await notes.migrate().exits(0)
      #expect(try notes.takeWrites() == 20)
      #expect(try notes.count() == 20)
    }
  }

  @Test func `a run that is killed five times, with lost answers, stores each record once`()
    async throws
  {
    try await withNotes(count: 400, losing: 3) { notes in
      for number in 1...5 {
        _ = try await FerryProgram().run(
          ["migrate", notes.store] + notes.flags,
          state: "\(notes.folder)/state",
          stop: .kill(after: .milliseconds(60 * number), line: "upload …")
        )
      }
      let last = try await notes.migrate(["--retries", "20"]).exits(0)
      #expect(try notes.count() == 400)
      for run in try last.runs() where try notes.count() > 0 {
        try await notes.ferry(["rollback", run, "--retries", "20"]).exits(0)
      }
      #expect(try notes.count() == 0)
    }
  }
}

/// A store of notes, and a PocketBase with a collection for them behind a proxy that counts.
private struct Notes {
  let folder: String
  let store: String
  let flags: [String]
  let count: () throws -> Int
  /// How many requests that may change something came since the last call, sign-ins left out.
  let takeWrites: () throws -> Int

  func ferry(_ arguments: [String]) async throws -> Answer {
    try await FerryProgram().answer(arguments + flags, state: "\(folder)/state")
  }

  func migrate(_ more: [String] = []) async throws -> Answer {
    try await ferry(["migrate", store] + more)
  }
}

/// Lends so many notes, `n001` and later ones, with titles of at most 20 characters at the server.
///
/// `with` is a line below the drafted `preset`; with `losing`, each answer of that number to a write is lost.
private func withNotes(
  count: Int,
  takesBatches: Bool = true,
  with line: String? = nil,
  losing number: Int = 1_000_000,
  _ body: (Notes) async throws -> Void
) async throws {
  let program = try #require(Servers.pocketbase)
  try await withTemporaryFolder { folder in
    let store = "\(folder)/notes.sqlite"
    try Python.run(["-c", makingNotes, store, "\(count)"])
    let drafted = try await FerryProgram().run(
      ["init", store, "--preset", "pocketbase", "-o", "\(folder)/draft"],
      state: "\(folder)/state"
    )
    #expect(drafted.status == 0, "\(drafted.standardError)")
    if let line {
      let place = "\(folder)/draft/profile.yaml"
      let text = try String(at: place)
      try text.replacing("  preset: pocketbase", with: "  preset: pocketbase\n\(line)").save(
        to: place
      )
    }
    try notesCollection.save(to: "\(folder)/collections.json")
    let server = try RealServer.pocketbase(
      program,
      in: folder,
      collections: "\(folder)/collections.json",
      takesBatches: takesBatches
    )
    let proxy = try RealServer.losing(number, before: server.origin, in: folder)
    try secret("dev@example.com", "\(folder)/user")
    try secret("password1", "\(folder)/password")
    var seen = try proxy.writeCount()
    let notes = Notes(
      folder: folder,
      store: store,
      flags: [
        "--profile", "\(folder)/draft/profile.yaml", "--to", proxy.origin,
        "--credential", "user=file:\(folder)/user",
        "--credential", "password=file:\(folder)/password",
      ],
      count: { try server.pocketbaseCount(of: ["notes"]) },
      takeWrites: {
        let now = try proxy.writeCount()
        defer { seen = now }
        return now - seen
      }
    )
    try await body(notes)
    withExtendedLifetime(proxy) {}
  }
}

private let makingNotes = """
  import sqlite3, sys
  db = sqlite3.connect(sys.argv[1])
  db.execute("CREATE TABLE Note(id TEXT PRIMARY KEY, title TEXT NOT NULL)")
  rows = [(f"n{number:03}", f"note {number}") for number in range(1, int(sys.argv[2]) + 1)]
  db.executemany("INSERT INTO Note VALUES(?, ?)", rows)
  db.commit()
  """

private let notesCollection = """
  {"deleteMissing": false, "collections": [{
    "name": "notes", "type": "base",
    "listRule": "@request.auth.id != ''", "viewRule": "@request.auth.id != ''",
    "createRule": "@request.auth.id != ''", "updateRule": "@request.auth.id != ''",
    "deleteRule": "@request.auth.id != ''",
    "fields": [
      {"name": "title", "type": "text", "max": 20},
      {"name": "updated", "type": "autodate", "onCreate": true, "onUpdate": true}
    ]
  }]}
  """
