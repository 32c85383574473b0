import DevelopmentBackend
import JSONText
import Testing

/// What the app's own server reads of a push, stores and answers.
struct SyncRouteTests {
  /// Pushes rows; those of the account get its identity, a date, and of a note a place and a content, where
  /// they have none.
  private func push(
    _ client: TestClient,
    _ kind: String,
    _ rows: [JSONValue],
    owner: String? = nil
  ) async throws -> Reply {
    let id = try await client.get("/api/auth/me").text("/id")
    let main = try await client.get("/api/sync").text("/notebooks/0/id")
    let owned = rows.map { row -> JSONValue in
      var object = row.object ?? [:]
      object["user_id"] = .string(owner ?? id)
      if object["updated_at"] == nil { object["updated_at"] = "2026-01-01T00:00:00Z" }
      if kind == "notes", object["notebook_id"] == nil { object["notebook_id"] = .string(main) }
      if kind == "notes", object["content"] == nil { object["content"] = [:] }
      return .object(object)
    }
    return try await client.post("/api/sync", .object([kind: .array(owned)]))
  }

  private func ids(_ reply: Reply, _ kind: String) -> [String] {
    (reply.json[kind]?.array ?? []).compactMap { $0["id"]?.text }
  }

  /// An identity by a number.
  private static func id(_ number: Int) -> String {
    "5e0a7c3d-0000-4000-8000-0000000000\(number + 10)"
  }

  // 004-22: the answers that the app's own tests made up, by a real server.
  @Test func `rows come back with a version and the server's own time`() async throws {
    try await withSignedInServer { client in
      let reply = try await push(client, "notes", [["id": .string(Self.id(1)), "version": 3]])
      #expect(reply.status == 200)
      #expect(reply.number("/notes/0/version") == 3)
      let all = try await client.get("/api/sync")
      #expect(ids(all, "notes") == [Self.id(1)])
      let mark = all.text("/server_time")
      let later = try await client.get("/api/sync?since=\(mark)")
      #expect(later.json["notes"] == [])
    }
  }

  @Test func `another user's row is skipped silently`() async throws {
    try await withSignedInServer { client in
      let reply = try await push(client, "notes", [["id": .string(Self.id(1))]], owner: Self.id(80))
      #expect(reply.status == 200)
      #expect(reply.json["has_conflict"] == false)
      #expect(try await client.get("/api/sync").json["notes"] == [])
    }
  }

  @Test func `an older version is a conflict, and the server keeps its own`() async throws {
    try await withSignedInServer { client in
      _ = try await push(
        client,
        "notes",
        [["id": .string(Self.id(1)), "plain_text": "a", "version": 1]]
      )
      _ = try await push(
        client,
        "notes",
        [["id": .string(Self.id(1)), "plain_text": "b", "version": 1]]
      )
      let stale = try await push(
        client,
        "notes",
        [["id": .string(Self.id(1)), "plain_text": "c", "version": 1]]
      )
      #expect(stale.status == 200)
      #expect(stale.json["has_conflict"] == true)
      let now = try await client.get("/api/sync")
      #expect(now.text("/notes/0/plain_text") == "b")
      #expect(now.number("/notes/0/version") == 2)
    }
  }

  @Test func `a removed row is listed with its removal date`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "tags", [["id": .string(Self.id(21)), "name": "a"]])
      let row = try await client.get("/api/sync").json.value(at: "/tags/0")
      var object = try #require(row?.object)
      object["deleted_at"] = "2026-01-01T00:00:00Z"
      _ = try await push(client, "tags", [.object(object)])
      #expect(try await client.get("/api/sync").text("/tags/0/deleted_at").hasSuffix("Z"))
    }
  }

  @Test func `a row keeps the date that it was pushed with`() async throws {
    try await withSignedInServer { client in
      let date: JSONValue = "2026-03-01T00:00:00.000Z"
      _ = try await push(
        client,
        "tags",
        [["id": .string(Self.id(21)), "name": "a", "updated_at": date]]
      )
      let reported = try await client.get("/api/sync").json.value(at: "/tags/0/updated_at")
      #expect(reported == date)
    }
  }

  @Test func `a row without a date is stored, and never listed`() async throws {
    try await withSignedInServer { client in
      let row: JSONValue = ["id": .string(Self.id(21)), "name": "a", "updated_at": .null]
      let reply = try await push(client, "tags", [row])
      #expect(ids(reply, "tags") == [Self.id(21)])
      #expect(try await client.get("/api/sync").json["tags"] == [])
    }
  }

  @Test func `a row dated before a cursor is not listed after that cursor`() async throws {
    try await withSignedInServer { client in
      let mark = try await client.get("/api/sync").text("/server_time")
      _ = try await push(client, "tags", [["id": .string(Self.id(21)), "name": "a"]])
      #expect(try await client.get("/api/sync?since=\(mark)").json["tags"] == [])
      let all = try await client.get("/api/sync")
      #expect(ids(all, "tags") == [Self.id(21)])
    }
  }

  @Test func `a row that is dated before the one that is there is a conflict`() async throws {
    try await withSignedInServer { client in
      let later: JSONValue = [
        "id": .string(Self.id(21)), "name": "a", "updated_at": "2026-03-01T00:00:00Z",
      ]
      _ = try await push(client, "tags", [later])
      let earlier = try await push(client, "tags", [["id": .string(Self.id(21)), "name": "b"]])
      #expect(earlier.json["has_conflict"] == true)
      #expect(try await client.get("/api/sync").text("/tags/0/name") == "a")
    }
  }

  @Test func `a removal keeps a tag's date, and is not listed after a later cursor`() async throws {
    try await withSignedInServer { client in
      let tag: JSONValue = ["id": .string(Self.id(21)), "name": "a"]
      _ = try await push(client, "tags", [tag])
      let mark = try await client.get("/api/sync").text("/server_time")
      var removed = try #require(tag.object)
      removed["deleted_at"] = "2026-01-01T00:00:00Z"
      _ = try await push(client, "tags", [.object(removed)])
      #expect(try await client.get("/api/sync?since=\(mark)").json["tags"] == [])
      let all = try await client.get("/api/sync")
      #expect(all.text("/tags/0/updated_at").hasPrefix("2026-01-01"))
    }
  }

  @Test func `a removal gives a note the server's own date, and is listed`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "notes", [["id": .string(Self.id(1))]])
      let mark = try await client.get("/api/sync").text("/server_time")
      let removed: JSONValue = [
        "id": .string(Self.id(1)), "version": 1, "deleted_at": "2026-01-01T00:00:00Z",
      ]
      _ = try await push(client, "notes", [removed])
      let changes = try await client.get("/api/sync?since=\(mark)")
      #expect(ids(changes, "notes") == [Self.id(1)])
    }
  }

  @Test func `a note stays in the notebook in which it was made`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "notebooks", [["id": .string(Self.id(41)), "title": "a"]])
      _ = try await push(
        client,
        "notes",
        [["id": .string(Self.id(1)), "notebook_id": .string(Self.id(41)), "plain_text": "a"]]
      )
      let moved: JSONValue = [
        "id": .string(Self.id(1)), "notebook_id": .string(Self.id(42)), "plain_text": "b",
        "version": 1,
      ]
      _ = try await push(client, "notes", [moved])
      let now = try await client.get("/api/sync")
      #expect(now.text("/notes/0/plain_text") == "b")
      #expect(now.text("/notes/0/notebook_id") == Self.id(41))
    }
  }

  @Test func `an empty text is left out of an answer, as the real server does`()
    async throws
  {
    try await withSignedInServer { client in
      _ = try await push(client, "tags", [["id": .string(Self.id(21)), "name": "a", "color": ""]])
      _ = try await push(client, "notes", [["id": .string(Self.id(1)), "plain_text": ""]])
      let now = try await client.get("/api/sync")
      #expect(now.json.value(at: "/tags/0/color") == nil)
      #expect(now.json.value(at: "/notes/0/plain_text") == nil)
      #expect(now.json.value(at: "/notes/0/tags") == nil)
      #expect(now.json.value(at: "/notes/0/is_todo") == false)
    }
  }

  @Test func `a row that cannot be stored is left out silently, and no other`() async throws {
    try await withSignedInServer { client in
      let long = JSONValue.string(String(repeating: "x", count: 101))
      let reply = try await push(
        client,
        "tags",
        [
          ["id": .string(Self.id(21)), "name": "a"], ["id": .string(Self.id(22)), "name": long],
          ["id": .string(Self.id(23)), "name": "a"],
        ]
      )
      #expect(reply.status == 200)
      #expect(reply.json["has_conflict"] == false)
      let all = try await client.get("/api/sync")
      #expect(ids(all, "tags") == [Self.id(21)])
    }
  }

  // The server reads a push into structures: https://pkg.go.dev/encoding/json#Unmarshal.
  @Test(
    arguments: [
      ("notes", "id", "n1"), ("notes", "version", 1.5), ("notes", "is_todo", "yes"),
      ("notes", "created_at", "2026-01-01"), ("notes", "reminder_at", "2026-01-01T00:00:00"),
      ("notes", "plain_text", 1), ("tags", "updated_at", "2026-02-30T00:00:00Z"),
      ("notebooks", "sort_order", "1"), ("notebooks", "user_id", "somebody"),
    ] as [(String, String, JSONValue)]
  )
  func `one value that the server cannot read refuses the whole push`(
    kind: String,
    member: String,
    value: JSONValue
  ) async throws {
    try await withSignedInServer { client in
      var wrong: JSONObject = ["id": .string(Self.id(1))]
      wrong[member] = value
      if member == "user_id" {
        let body: JSONValue = ["notebooks": [.object(wrong)]]
        #expect(try await client.post("/api/sync", body).status == 400)
        return
      }
      let right: JSONValue = ["id": .string(Self.id(2))]
      let reply = try await push(client, kind, [right, .object(wrong)])
      #expect(reply.status == 400)
      #expect(reply.text("/error") == "invalid_request")
      #expect(
        try await client.get("/api/sync").json[kind]?.array?.count == (kind == "notebooks" ? 1 : 0)
      )
    }
  }

  @Test func `a whole number is written in digits alone`() async throws {
    try await withSignedInServer { client in
      let id = try await client.get("/api/auth/me").text("/id")
      for (literal, status) in [("7.0", 400), ("7", 200)] {
        let text = """
          {"notebooks": [{"id": "\(Self.id(1))", "user_id": "\(id)", "sort_order": \(literal)}]}
          """
        let reply = try await client.send("POST", "/api/sync", bytes: Array(text.utf8))
        #expect(reply.status == status)
      }
    }
  }

  @Test func `a member that the server does not know is passed over, and a moment comes in UTC`()
    async throws
  {
    try await withSignedInServer { client in
      let row: JSONValue = [
        "id": .string(Self.id(1)), "mood": "glad", "created_at": "2026-01-01T01:30:00.500+01:00",
      ]
      _ = try await push(client, "notes", [row])
      let now = try await client.get("/api/sync")
      #expect(now.json.value(at: "/notes/0/mood") == nil)
      #expect(now.text("/notes/0/created_at") == "2026-01-01T00:30:00.5Z")
    }
  }

  @Test func `rows of any shape are taken where the server is set up so`() async throws {
    try await withSignedInServer({ $0.takesAnySyncRows = true }) { client in
      let id = try await client.get("/api/auth/get-session").text("/user/id")
      let row: JSONValue = [
        "id": "n1", "user_id": .string(id), "mood": "glad", "updated_at": "2026-01-01T00:00:00Z",
      ]
      _ = try await client.post("/api/sync", ["notes": [row]])
      let now = try await client.get("/api/sync")
      #expect(now.text("/notes/0/mood") == "glad")
      #expect(now.json["tags"] == .null)
    }
  }

  @Test func `a note's tags are replaced by its own route, and counted as a change`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "notes", [["id": .string(Self.id(1)), "version": 1]])
      let tags: [JSONValue] = [
        ["id": .string(Self.id(21)), "name": "b"], ["id": .string(Self.id(22)), "name": "a"],
      ]
      _ = try await push(client, "tags", tags)
      let path = "/api/notes/\(Self.id(1))"
      let both: JSONValue = ["tag_ids": .array([.string(Self.id(21)), .string(Self.id(22))])]
      let reply = try await client.put(path, both)
      #expect(reply.status == 200 && reply.number("/version") == 2)
      #expect(tagNames(try await client.get("/api/sync").json.value(at: "/notes/0")) == ["a", "b"])
      let unknown: JSONValue = ["tag_ids": .array([.string(Self.id(21)), .string(Self.id(30))])]
      #expect(tagNames(try await client.put(path, unknown).json) == ["a", "b"])
      #expect(tagNames(try await client.put(path, ["tag_ids": []]).json) == [])
      #expect(try await client.put(path, ["tag_ids": ["t1"]]).status == 400)
    }
  }

  private func tagNames(_ note: JSONValue?) -> [String] {
    (note?["tags"]?.array ?? []).compactMap { $0["name"]?.text }
  }

  @Test func `a picture of a note is read with a token or at a signed address that expires`()
    async throws
  {
    try await withSignedInServer({ $0.mediaLifetime = 0.5 }) { client in
      _ = try await push(client, "notes", [["id": .string(Self.id(1))]])
      let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2]
      let reply = try await client.form("/api/images", ["note_id": Self.id(1)], file: picture)
      #expect(reply.status == 201 && reply.text("/mime_type") == "image/png")
      let stranger = TestClient(port: client.port)
      let address = reply.text("/url")
      #expect(try await stranger.get(address).bytes == picture)
      #expect(try await stranger.get("\(address)0").status == 403)
      #expect(try await stranger.get("/api/images/\(reply.text("/id"))").status == 401)
      #expect(try await client.get("/api/images/\(reply.text("/id"))").bytes == picture)
      let listed = try await client.get("/api/notes/\(Self.id(1))/images")
      #expect(listed.text("/0/id") == reply.text("/id"))
      try await Task.sleep(for: .milliseconds(600))
      #expect(try await stranger.get(address).status == 403)
    }
  }

  @Test func `what is no picture, and one of another note, is refused`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "notes", [["id": .string(Self.id(1))]])
      let text = try await client.form(
        "/api/images",
        ["note_id": Self.id(1)],
        file: Array("a".utf8)
      )
      #expect(text.status == 400 && text.text("/error") == "validation_error")
      let other = try await client.form(
        "/api/images",
        ["note_id": Self.id(2)],
        file: [0xFF, 0xD8, 0xFF]
      )
      #expect(other.status == 404)
    }
  }

  // The app's own database has a foreign key, and changes nothing that was removed.
  @Test func `under the app's database rules, a new note needs a notebook, which may be removed`()
    async throws
  {
    try await withSignedInServer { client in
      _ = try await push(
        client,
        "notes",
        [
          ["id": .string(Self.id(1)), "notebook_id": .null],
          ["id": .string(Self.id(2)), "notebook_id": .string(Self.id(41))],
        ]
      )
      #expect(try await client.get("/api/sync").json["notes"] == [])
      _ = try await push(client, "notebooks", [["id": .string(Self.id(41)), "title": "a"]])
      let gone: JSONValue = ["id": .string(Self.id(41)), "deleted_at": "2026-01-01T00:00:00Z"]
      _ = try await push(client, "notebooks", [gone])
      let reply = try await push(
        client,
        "notes",
        [["id": .string(Self.id(2)), "notebook_id": .string(Self.id(41))]]
      )
      #expect(ids(reply, "notes") == [Self.id(2)])
    }
  }

  @Test(arguments: [false, true])
  func `under the app's database rules, a removed row cannot be pushed again`(
    isStrict: Bool
  ) async throws {
    try await withSignedInServer { client in
      _ = try await client.put("/__dev/sync", ["strict": .boolean(isStrict)])
      let tag: JSONValue = ["id": .string(Self.id(21)), "name": "a"]
      _ = try await push(client, "tags", [tag])
      var removed = try #require(tag.object)
      removed["deleted_at"] = "2026-01-01T00:00:00Z"
      _ = try await push(client, "tags", [.object(removed)])
      let later: JSONValue = [
        "id": .string(Self.id(21)), "name": "b", "updated_at": "2099-01-01T00:00:00Z",
      ]
      let reply = try await push(client, "tags", [later])
      #expect(ids(reply, "tags") == (isStrict ? [] : [Self.id(21)]))
      #expect(reply.json["has_conflict"] == false)
    }
  }

  // Its database distinguishes texts by their bytes, and counts their code points:
  // https://www.postgresql.org/docs/current/datatype-character.html.
  @Test func `two tags whose names look alike and are spelled otherwise are both kept`()
    async throws
  {
    try await withSignedInServer { client in
      let names = ["caf\u{E9}", "cafe\u{301}"]
      for (number, name) in names.enumerated() {
        let tag: JSONValue = ["id": .string(Self.id(20 + number)), "name": .string(name)]
        _ = try await push(client, "tags", [tag])
      }
      let all = try await client.get("/api/sync")
      #expect(Set(ids(all, "tags")) == [Self.id(20), Self.id(21)])
    }
  }

  @Test func `a tag whose name has more than a hundred code points is not kept`() async throws {
    try await withSignedInServer { client in
      let name = String(repeating: "e\u{301}", count: 60)
      _ = try await push(client, "tags", [["id": .string(Self.id(21)), "name": .string(name)]])
      #expect(try await client.get("/api/sync").json["tags"] == [])
    }
  }

  @Test func `an account starts with a default notebook`() async throws {
    try await withSignedInServer { client in
      let reply = try await client.get("/api/sync")
      #expect(reply.text("/notebooks/0/title") == "Main")
    }
  }
}
