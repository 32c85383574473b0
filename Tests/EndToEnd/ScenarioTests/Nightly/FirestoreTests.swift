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
  /// `batch` is the most documents of one commit; `signIn` replaces the line that signs in at the stand-in.
  static func backend(
    key: String = "key-of-the-project",
    password: String = "correct-horse",
    batch: Int = 500,
    signIn: String = "  sign-in: { server: \"{server}/identitytoolkit.googleapis.com\" }"
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "firestore",
      script: "firestore_server.py",
      credentials: ["email": "ada@example.com", "password": password],
      filled: {
        $0.replacing("    project:   # to be given", with: "    project: demo-notes")
          .replacing(
            "    key:   # to be given",
            with: "    key: \(key)\n    batch: \(batch)\n\(signIn)"
          )
      },
      counted: { try $0.number("SELECT count(*) FROM document") }
    )
  }

  /// The types are those of <https://firebase.google.com/docs/firestore/reference/rest/v1/Value>.
  @Test func `each kind of value and a reference arrive with their types`() async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.edit("UPDATE Note SET stars = 9007199254740993")
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

  @Test func `a document that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        let name = try #require(try scenario.names("notes").first)
        try scenario.write(
          [
            "update": ["name": .string(name), "fields": ["title": ["stringValue": "theirs"]]],
            "updateMask": ["fieldPaths": ["title"]],
          ]
        )
      }
      #expect(try scenario.titles().filter { $0 == "theirs" }.count == 1)
    }
  }

  @Test func `a busy server and contention delay a run, and every record arrives`() async throws {
    try await withStandIn(Self.backend(), notes: 30) { scenario in
      try scenario.ask("POST", "/__set", ["busy": 1, "aborted": 1])
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created") == 40)
      #expect(try scenario.count() == 40)
    }
  }

  @Test
  func `a document that is too large is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try await scenario.refusesOne(
        "n007",
        "maximum allowed size",
        spoilt: "UPDATE Note SET title = printf('%.*c', 1100000, 'x') WHERE id = 'n007'"
      )
    }
  }

  @Test func `a wrong API key and a wrong password are named, and nothing is sent`() async throws {
    try await withStandIn(Self.backend(key: "another-key"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("API key not valid"))
    }
    try await withStandIn(Self.backend(password: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("INVALID_LOGIN_CREDENTIALS"))
      #expect(answer.standardError.contains("credential"))
      #expect(try scenario.count() == 0)
    }
  }

  /// The rules of the stand-in let no one read “closed”, and no one write “sealed”.
  @Test(arguments: ["closed", "sealed"])
  func `a collection that the rules deny is named with its route`(collection: String) async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.rewrite {
        $0.replacing("collection: notes", with: "collection: \(collection)")
      }
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("PERMISSION_DENIED"))
      #expect(try scenario.names(collection).isEmpty)
    }
  }

  @Test func `documents go below the account that signed in`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try scenario.rewrite {
        $0.replacing("collection: notes", with: "collection: \"users/{account}/notes\"")
          .replacing("collection: folders", with: "collection: \"users/{account}/folders\"")
      }
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
    try await withStandIn(Self.backend(signIn: lines), notes: 3) { scenario in
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
      let seen = try scenario.seen()
      #expect(seen["signins"] == 0)
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
    try await withStandIn(Self.backend(signIn: lines), notes: 3) { scenario in
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

extension StandInScenario {
  fileprivate func names(_ collection: String) throws -> [String] {
    try rows("SELECT name FROM document WHERE collection = '\(collection)' ORDER BY name")
  }

  /// The fields of the first note.
  fileprivate func note() throws -> JSONValue {
    let text = try rows("SELECT fields FROM document WHERE collection = 'notes' LIMIT 1").first
    return try JSONValue(parsing: text ?? "")
  }

  /// The titles of the notes.
  fileprivate func titles() throws -> [String] {
    try rows(
      "SELECT fields ->> '$.title.stringValue' FROM document WHERE collection = 'notes'"
    )
  }

  /// Writes as another device does.
  fileprivate func write(_ write: JSONValue) throws {
    let documents = "/v1/projects/demo-notes/databases/(default)/documents"
    try ask("POST", "\(documents):commit", ["writes": [write]], ["Authorization: Bearer owner"])
  }
}
