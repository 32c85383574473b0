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
      try Python.edit(notes.store, "UPDATE Note SET title = title || '!' WHERE id > 'n001'")
      let second = try await notes.migrate().exits(0)
      #expect(second.count("updated") == 249)
      #expect(try notes.takeWrites() <= 5)
      try Python.edit(notes.store, "DELETE FROM Note WHERE id > 'n190'")
      let third = try await notes.migrate(["--delete"]).exits(0)
      #expect(third.count("deleted") == 60)
      #expect(try notes.takeWrites() == 2)
      #expect(try notes.count() == 190)
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

  /// PocketBase answers an expired token with empty lists, with 404, and with 400 for a new record.
  @Test func `a run that outlives its token signs in again, and each record arrives`()
    async throws
  {
    try await withNotes(count: 30, with: "  with: { batch: 1 }", tokenSeconds: 10) { notes in
      let answer = try await notes.migrate(["--rate", "2"]).exits(0)
      #expect(answer.count("created") == 30)
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try notes.count() == 30)
      let back = try await notes.ferry(["rollback", try answer.run(), "--rate", "2"]).exits(0)
      #expect(back.count("deleted", in: "rollback") == 30)
      #expect(try notes.count() == 0)
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

/// The server's own collections, which `ferry init` and `ferry preflight` read.
@Suite(
  .enabled(
    if: Servers.pocketbase != nil,
    "skipped: FERRY_POCKETBASE does not name the program of PocketBase"
  ),
  .timeLimit(.minutes(5))
)
struct PocketBaseSchemaTests {
  /// The lines of the guide, as they are typed.
  @Test func `a draft by the server's collections is sent as it is, with the account as owner`()
    async throws
  {
    try await withServer { folder, server, environment in
      func ferry(_ line: String...) async throws -> Answer {
        try await FerryProgram().answer(line, environment: environment, state: "\(folder)/state")
      }
      let store = "\(folder)/notes.sqlite"
      let profile = "\(folder)/my/profile.yaml"
      try await ferry(
        "init",
        store,
        "--preset",
        "pocketbase",
        "--to",
        server.origin,
        "--credential",
        "admin=env:ADMIN",
        "-o",
        "\(folder)/my"
      ).exits(0)
      let draft = try String(at: profile)
      #expect(!draft.contains("# unchecked:"))
      #expect(draft.contains("      owner: \"writer\"\n"))
      #expect(draft.contains("      # at the server: created_at (createdAt)\n"))
      #expect(draft.contains("      # not at the server: colour\n"))
      try await ferry("preflight", "--profile", profile).exits(0)
      try await ferry("migrate", store, "--profile", profile, "-n").exits(0)
      #expect(try server.pocketbaseCount(of: ["notes", "folders"]) == 0)
      let answer = try await ferry("migrate", store, "--profile", profile).exits(0)
      #expect(answer.count("created") == 4)
      #expect(answer.value("verification")?["clean"] == true)
      let notes = try server.pocketbaseRecords(of: "notes")
      #expect(Set(notes.compactMap { $0["writer"]?.text }).count == 1)
      #expect(notes.allSatisfy { $0["writer"]?.text?.isEmpty == false })
      #expect(notes.allSatisfy { $0["folder"]?.text?.isEmpty == false })
    }
  }

  @Test func `preflight names the fields that a collection lacks, before anything is sent`()
    async throws
  {
    try await withServer { folder, server, environment in
      let store = "\(folder)/notes.sqlite"
      let drafted = try await FerryProgram().run(
        ["init", store, "--preset", "pocketbase", "--to", server.origin, "-o", "\(folder)/my"],
        environment: environment,
        state: "\(folder)/state"
      )
      #expect(drafted.status == 0, "\(drafted.standardError)")
      #expect(drafted.standardError.contains("--credential admin=env:VAR"))
      let profile = "\(folder)/my/profile.yaml"
      #expect(try String(at: profile).contains("# unchecked: createdAt"))
      let flags = [
        "--credential", "user=env:U", "--credential", "password=env:P", "--credential",
        "admin=env:ADMIN",
      ]
      let seen = try await FerryProgram().answer(
        ["preflight", "--profile", profile] + flags,
        environment: environment,
        state: "\(folder)/state"
      ).exits(7)
      #expect(seen.standardOutput.contains("“notes” has no field colour, createdAt, folder_ref"))
      let unseen = try await FerryProgram().answer(
        ["preflight", "--profile", profile],
        environment: environment,
        state: "\(folder)/state"
      ).exits(0)
      #expect(unseen.standardOutput.contains("were not looked at"))
    }
  }

  @Test func `collections that take other IDs are named by preflight, and a draft makes such IDs`()
    async throws
  {
    let id =
      #"{"name": "id", "type": "text", "primaryKey": true, "required": true, "system": true, "#
      + #""min": 36, "max": 36, "pattern": "^[a-z0-9-]+$"},"#
    let collections = Self.collections.replacing(#""fields": ["#, with: #""fields": [\#(id)"#)
    try await withServer(collections) { folder, server, environment in
      func ferry(_ line: [String]) async throws -> Answer {
        try await FerryProgram().answer(line, environment: environment, state: "\(folder)/state")
      }
      let store = "\(folder)/notes.sqlite"
      let profile = "\(folder)/my/profile.yaml"
      let admin = ["--credential", "admin=env:ADMIN"]
      try await ferry(
        ["init", store, "--preset", "pocketbase", "--to", server.origin, "-o", "\(folder)/my"]
          + admin
      ).exits(0)
      let draft = try String(at: profile)
      #expect(draft.contains("  client-id: uuid "))
      let answer = try await ferry(["migrate", store, "--profile", profile] + admin).exits(0)
      #expect(answer.value("verification")?["clean"] == true)
      try await ferry(["rollback", try answer.run()]).exits(0)
      let other = "\(folder)/my/other.yaml"
      try draft.replacing("client-id: uuid ", with: "client-id: sha256 ").save(to: other)
      let flags = [
        "--profile", other, "--credential", "user=env:U", "--credential", "password=env:P",
      ]
      let seen = try await ferry(["preflight"] + flags + admin).exits(7)
      #expect(seen.standardOutput.contains("“notes” takes as “id” only texts of 36 characters"))
      #expect(seen.standardOutput.contains("client-id: uuid"))
      try await ferry(["migrate", store] + flags + admin).exits(7)
      #expect(try server.pocketbaseCount(of: ["notes", "folders"]) == 0)
    }
  }

  @Test func `a token that is no superuser's gives no draft`() async throws {
    try await withServer { folder, server, environment in
      var environment = environment
      environment["ADMIN"] = "none"
      let drafted = try await FerryProgram().run(
        [
          "init", "\(folder)/notes.sqlite", "--preset", "pocketbase", "--to", server.origin,
          "--credential", "admin=env:ADMIN", "-o", "\(folder)/my",
        ],
        environment: environment,
        state: "\(folder)/state"
      )
      #expect(drafted.status == 7, "\(drafted.standardError)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/my"))
    }
  }

  /// Lends a PocketBase with collections that a team made, and a store that differs from them in a few names.
  private func withServer(
    _ collections: String = Self.collections,
    _ body: (String, RealServer, [String: String]) async throws -> Void
  ) async throws {
    let program = try #require(Servers.pocketbase)
    try await withTemporaryFolder { folder in
      try Python.run(["-c", Self.making, "\(folder)/notes.sqlite"])
      try collections.save(to: "\(folder)/collections.json")
      let server = try RealServer.pocketbase(
        program,
        in: folder,
        collections: "\(folder)/collections.json",
        takesBatches: true
      )
      let environment = [
        "ADMIN": try server.pocketbaseToken(), "U": "dev@example.com", "P": "password1",
        "FERRY_CREDENTIAL": "user=env:U,password=env:P",
      ]
      try await body(folder, server, environment)
    }
  }

  private static let making = """
    import sqlite3, sys
    sqlite3.connect(sys.argv[1]).executescript('''
      CREATE TABLE Folder(id TEXT PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE Note(id TEXT PRIMARY KEY, title TEXT NOT NULL, colour TEXT, createdAt TEXT NOT NULL,
        folder TEXT NOT NULL REFERENCES Folder(id));
      INSERT INTO Folder VALUES('f1', 'work');
      INSERT INTO Note VALUES('n1', 'one', 'red', '2026-01-02T03:04:05Z', 'f1');
      INSERT INTO Note VALUES('n2', 'two', 'red', '2026-01-02T03:04:06Z', 'f1');
      INSERT INTO Note VALUES('n3', 'three', NULL, '2026-01-02T03:04:07Z', 'f1');
    ''')
    """

  private static let collections = """
    {"deleteMissing": false, "collections": [
      {"id": "pbc_folders0001", "name": "folders", "type": "base",
       "listRule": "@request.auth.id != ''", "viewRule": "@request.auth.id != ''",
       "createRule": "@request.auth.id != ''", "updateRule": "@request.auth.id != ''",
       "deleteRule": "@request.auth.id != ''",
       "fields": [{"name": "name", "type": "text"}]},
      {"name": "notes", "type": "base",
       "listRule": "writer = @request.auth.id", "viewRule": "writer = @request.auth.id",
       "createRule": "writer = @request.auth.id", "updateRule": "writer = @request.auth.id",
       "deleteRule": "writer = @request.auth.id",
       "fields": [
         {"name": "title", "type": "text"}, {"name": "created_at", "type": "text"},
         {"name": "folder", "type": "relation", "collectionId": "pbc_folders0001", "maxSelect": 1},
         {"name": "writer", "type": "relation", "collectionId": "_pb_users_auth_", "maxSelect": 1},
         {"name": "updated", "type": "autodate", "onCreate": true, "onUpdate": true}]}
    ]}
    """
}

/// A store of notes, and a PocketBase with a collection for them behind a proxy that counts.
private struct BatchNotes {
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
/// A token of the account lives for `tokenSeconds`; for PocketBase's usual time unless given.
private func withNotes(
  count: Int,
  takesBatches: Bool = true,
  with line: String? = nil,
  losing number: Int = 1_000_000,
  tokenSeconds: Int? = nil,
  _ body: (BatchNotes) async throws -> Void
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
      takesBatches: takesBatches,
      tokenSeconds: tokenSeconds
    )
    let proxy = try RealServer.losing(number, before: server.origin, in: folder)
    try secret("dev@example.com", "\(folder)/user")
    try secret("password1", "\(folder)/password")
    var seen = try proxy.writeCount()
    let notes = BatchNotes(
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
