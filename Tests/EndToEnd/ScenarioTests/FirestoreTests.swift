import Foundation
import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset firestore` drafts, sent to a stand-in that is written from the
/// documentation of Firestore.
///
/// The documents are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct FirestoreTests {
  @Test func `250 rows are migrated, edited, deleted, verified and rolled back to nothing`()
    async throws
  {
    try await withFirestore { scenario in
      try await scenario.ferry(["preflight"]).exits(0)
      #expect(try scenario.count() == 0)
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 250)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.count() == 250)
      // The folders, and the notes.
      #expect(try scenario.seen("commits") == 2)
      try Python.edit(
        scenario.store,
        "UPDATE Note SET title = title || ' – neu' WHERE id IN ('n001', 'n100', 'n240')",
        "DELETE FROM Note WHERE id IN ('n002', 'n003')",
        "INSERT INTO Note(id, title, stars, folder) VALUES ('n241', 'late', 1, 'f01')"
      )
      let second = try await scenario.migrate(["--delete"]).exits(0)
      #expect(second.count("updated") == 3)
      #expect(second.count("deleted") == 2)
      #expect(second.count("created") == 1)
      #expect(second.value("verification")?["clean"] == true)
      #expect(try scenario.count() == 249)
      let package = "\(scenario.folder)/notes.ferry"
      try await FerryProgram().answer(
        ["export", scenario.store, "--profile", scenario.profile, "-o", package],
        state: "\(scenario.folder)/state"
      ).exits(0)
      try await scenario.ferry(["verify", package]).exits(0)
      let third = try await scenario.migrate().exits(0)
      #expect(third.count("unchanged") == 249)
      // What the second run deleted stays away, and is named.
      try await scenario.ferry(["rollback", try second.run()]).exits(6)
      try await scenario.ferry(["rollback", try first.run()]).exits(0)
      #expect(try scenario.count() == 0)
    }
  }

  /// The types are those of <https://firebase.google.com/docs/firestore/reference/rest/v1/Value>.
  @Test func `each kind of value and a reference arrive with their types`() async throws {
    try await withFirestore(notes: 1) { scenario in
      try await scenario.migrate().exits(0)
      let fields = try scenario.note()
      #expect(fields["title"] == ["stringValue": "note 1"])
      #expect(fields["stars"] == ["integerValue": "9007199254740993"])
      #expect(fields["score"] == ["doubleValue": 0.5])
      #expect(fields["picture"] == ["bytesValue": "AAEC"])
      let name = try #require(fields["folder_ref"]?["referenceValue"]?.text)
      #expect(name.hasPrefix("projects/demo-notes/databases/(default)/documents/folders/"))
      #expect(try scenario.names("folders").contains(name))
    }
  }

  @Test
  func `a run that is killed five times, with each third answer lost, stores each record once`()
    async throws
  {
    try await withFirestore(losing: 3, batch: 20) { scenario in
      for number in 1...5 {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(60 * number), line: "upload …")
        )
      }
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(try scenario.count() == 250)
      for run in try last.runs() where try scenario.count() > 0 {
        try await scenario.ferry(["rollback", run, "--retries", "20"]).exits(0)
      }
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `a document that another device changed is kept, and named`() async throws {
    try await withFirestore(notes: 3) { scenario in
      try await scenario.migrate().exits(0)
      let name = try #require(try scenario.names("notes").first)
      try scenario.write(
        [
          "update": ["name": .string(name), "fields": ["title": ["stringValue": "theirs"]]],
          "updateMask": ["fieldPaths": ["title"]],
        ]
      )
      try Python.edit(scenario.store, "UPDATE Note SET title = title || '!'")
      let second = try await scenario.migrate().exits(6)
      #expect(second.count("updated") == 2)
      #expect(second.findings("plan.conflict-kept-remote").count == 1)
      #expect(try scenario.titles().filter { $0 == "theirs" }.count == 1)
    }
  }

  @Test func `a busy server and contention delay a run, and every record arrives`() async throws {
    try await withFirestore(notes: 30) { scenario in
      try scenario.set(["busy": 1, "aborted": 1])
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created") == 40)
      #expect(try scenario.count() == 40)
    }
  }

  @Test
  func `a document that is too large is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withFirestore(notes: 20) { scenario in
      try Python.edit(
        scenario.store,
        "UPDATE Note SET title = printf('%.*c', 1100000, 'x') WHERE id = 'n007'"
      )
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.count("created") == 29)
      #expect(answer.count("rejected") == 1)
      #expect(answer.standardOutput.contains("n007"))
      #expect(answer.standardOutput.contains("maximum allowed size"))
    }
  }

  @Test func `a wrong API key and a wrong password are named, and nothing is sent`() async throws {
    try await withFirestore(notes: 1, key: "another-key") { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("API key not valid"))
    }
    try await withFirestore(notes: 1, password: "wrong") { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("INVALID_LOGIN_CREDENTIALS"))
      #expect(answer.standardError.contains("credential"))
      #expect(try scenario.count() == 0)
    }
  }

  /// The rules of the stand-in let no one read “closed”, and no one write “sealed”.
  @Test(arguments: ["closed", "sealed"])
  func `a collection that the rules deny is named with its route`(collection: String) async throws {
    try await withFirestore(notes: 1) { scenario in
      let profile = try String(at: scenario.profile)
      try profile.replacing("collection: notes", with: "collection: \(collection)")
        .save(to: scenario.profile)
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("PERMISSION_DENIED"))
      #expect(try scenario.names(collection).isEmpty)
    }
  }

  @Test func `documents go below the account that signed in`() async throws {
    try await withFirestore(notes: 3) { scenario in
      let profile = try String(at: scenario.profile)
      try profile.replacing("collection: notes", with: "collection: \"users/{account}/notes\"")
        .replacing("collection: folders", with: "collection: \"users/{account}/folders\"")
        .save(to: scenario.profile)
      let first = try await scenario.migrate().exits(0)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.names("users/uid-ada/notes").count == 3)
      #expect(try scenario.names("users/uid-ada/folders").count == 10)
      try await scenario.ferry(["rollback", try first.run()]).exits(0)
      #expect(try scenario.count() == 0)
    }
  }

  /// <https://firebase.google.com/docs/rules/emulator-setup>: an emulator takes “Bearer owner”.
  @Test func `a bearer token takes the place of the sign-in`() async throws {
    let lines = """
        credentials: [token]
        sign-in: null
        headers: { Authorization: "Bearer {token}" }
      """
    try await withFirestore(notes: 3, signIn: lines) { scenario in
      try secret("owner", "\(scenario.folder)/token")
      let flags = [
        "--profile", scenario.profile, "--to", scenario.origin, "--credential",
        "token=file:\(scenario.folder)/token",
      ]
      let answer = try await FerryProgram().answer(
        ["migrate", scenario.store] + flags,
        state: "\(scenario.folder)/state"
      ).exits(0)
      #expect(answer.count("created") == 13)
      #expect(try scenario.seen("signins") == 0)
    }
  }
}

extension FirestoreTests {
  /// The lines are those of the guide, but for the server.
  @Test func `the key file of a service account takes the place of the sign-in`() async throws {
    let lines = """
        credentials: []
        sign-in:
          server: "{server}/oauth2.googleapis.com"
          request: POST /token
          form: true
          body:
            grant_type: urn:ietf:params:oauth:grant-type:jwt-bearer
            assertion: "{assertion}"
            email: null
            password: null
            returnSecureToken: null
          assertion:
            key: key
            scope: https://www.googleapis.com/auth/datastore
            audience: https://oauth2.googleapis.com/token
          token: { member: access_token }
          expires: expires_in
          account: null
      """
    try await withFirestore(notes: 3, signIn: lines) { scenario in
      try Python.run(["-c", makingKey, scenario.folder])
      let flags = [
        "--profile", scenario.profile, "--to", scenario.origin, "--credential",
        "key=file:\(scenario.folder)/key.json",
      ]
      let answer = try await FerryProgram().answer(
        ["migrate", scenario.store] + flags,
        state: "\(scenario.folder)/state"
      ).exits(0)
      #expect(answer.count("created") == 13)
      #expect(try scenario.count() == 13)
    }
  }
}

/// Makes a key file as Google Cloud gives it, and the modulus of its key for the stand-in.
private let makingKey = """
  import json, os, subprocess, sys
  folder = sys.argv[1]
  pem = subprocess.run(["openssl", "genrsa", "2048"], capture_output=True, check=True, text=True).stdout
  modulus = subprocess.run(["openssl", "rsa", "-modulus", "-noout"], input=pem, capture_output=True, check=True,
                           text=True).stdout.strip().split("=")[1]
  open(f"{folder}/modulus", "w").write(modulus)
  descriptor = os.open(f"{folder}/key.json", os.O_WRONLY | os.O_CREAT, 0o600)
  with os.fdopen(descriptor, "w") as file:
      json.dump({"type": "service_account", "client_email": "robot@demo-notes.iam.gserviceaccount.com",
                 "private_key_id": "k1", "private_key": pem}, file, indent=2)
  """

/// A store of ten folders and of notes, and the stand-in, maybe behind a proxy that loses answers.
private struct Firestore {
  let folder: String
  let store: String
  let profile: String
  let origin: String
  let server: RealServer
  let flags: [String]

  func ferry(_ arguments: [String]) async throws -> Answer {
    try await FerryProgram().answer(arguments + flags, state: "\(folder)/state")
  }

  func migrate(_ more: [String] = []) async throws -> Answer {
    try await ferry(["migrate", store] + more)
  }

  /// What the stand-in's own database answers, a row a line.
  private func rows(_ query: String) throws -> [String] {
    let script =
      "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(row[0])"
    return try Python.run(["-c", script, "\(folder)/firestore.sqlite", query])
      .split(separator: "\n").map(String.init)
  }

  func count() throws -> Int {
    Int(try rows("SELECT count(*) FROM document").first ?? "") ?? -1
  }

  func names(_ collection: String) throws -> [String] {
    try rows("SELECT name FROM document WHERE collection = '\(collection)' ORDER BY name")
  }

  /// The fields of the first note.
  func note() throws -> JSONValue {
    let text = try rows("SELECT fields FROM document WHERE collection = 'notes' LIMIT 1").first
    return try JSONValue(parsing: text ?? "")
  }

  /// The titles of the notes.
  func titles() throws -> [String] {
    try rows(
      "SELECT fields ->> '$.title.stringValue' FROM document WHERE collection = 'notes'"
    )
  }

  func seen(_ kind: String) throws -> Int64? {
    try RealServer.get("\(server.origin)/__seen")[kind]?.integer
  }

  func set(_ faults: JSONValue) throws {
    _ = try RealServer.get("\(server.origin)/__set", ["--data", faults.canonicalText])
  }

  /// Writes as another device does.
  func write(_ write: JSONValue) throws {
    let body: JSONValue = ["writes": [write]]
    _ = try RealServer.get(
      "\(server.origin)/v1/projects/demo-notes/databases/(default)/documents:commit",
      ["--header", "Authorization: Bearer owner", "--data", body.canonicalText]
    )
  }
}

/// Lends the stand-in with ten folders and so many notes, and the profile that Ferry drafts with what only a
/// person knows filled in.
///
/// `batch` is the most documents of one commit; `signIn` replaces the line that signs in at the stand-in.
private func withFirestore(
  notes: Int = 240,
  losing number: Int? = nil,
  key: String = "key-of-the-project",
  password: String = "correct-horse",
  batch: Int = 500,
  signIn: String? = nil,
  _ body: (Firestore) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let store = "\(folder)/notes.sqlite"
    try Python.run(["-c", makingNotes, store, "\(notes)"])
    let server = try RealServer.firestore(in: folder)
    let proxy = try number.map { try RealServer.losing($0, before: server.origin, in: folder) }
    let origin = proxy?.origin ?? server.origin
    let drafted = try await FerryProgram().run(
      ["init", store, "--preset", "firestore", "-o", "\(folder)/draft"],
      state: "\(folder)/state"
    )
    #expect(drafted.status == 0, "\(drafted.standardError)")
    let profile = "\(folder)/draft/profile.yaml"
    let access =
      signIn?.replacing("{server}", with: server.origin)
      ?? "  sign-in: { server: \"\(server.origin)/identitytoolkit.googleapis.com\" }"
    try String(at: profile)
      .replacing("    project:   # to be given", with: "    project: demo-notes")
      .replacing(
        "    key:   # to be given",
        with: "    key: \(key)\n    batch: \(batch)\n\(access)"
      )
      .save(to: profile)
    try secret("ada@example.com", "\(folder)/email")
    try secret(password, "\(folder)/password")
    let scenario = Firestore(
      folder: folder,
      store: store,
      profile: profile,
      origin: origin,
      server: server,
      flags: [
        "--profile", profile, "--to", origin, "--credential", "email=file:\(folder)/email",
        "--credential", "password=file:\(folder)/password",
      ]
    )
    try await body(scenario)
    withExtendedLifetime(proxy) {}
  }
}

private let makingNotes = """
  import sqlite3, sys
  db = sqlite3.connect(sys.argv[1])
  db.executescript('''
    CREATE TABLE Folder(id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE Note(id TEXT PRIMARY KEY, title TEXT NOT NULL, stars INTEGER, score REAL, picture BLOB,
      folder TEXT REFERENCES Folder(id));
  ''')
  db.executemany("INSERT INTO Folder VALUES(?, ?)", [(f"f{n:02}", f"folder {n}") for n in range(1, 11)])
  rows = [
      (f"n{n:03}", f"note {n}", 9007199254740992 + n, n / 2, bytes([0, 1, 2]), f"f{n % 10 + 1:02}")
      for n in range(1, int(sys.argv[2]) + 1)
  ]
  db.executemany("INSERT INTO Note VALUES(?, ?, ?, ?, ?, ?)", rows)
  db.commit()
  """
