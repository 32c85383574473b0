import JSONText
import Testing

struct SyncRouteTests {
  /// Pushes rows; those of the account get its identity, and a date where they have none.
  private func push(
    _ client: TestClient,
    _ kind: String,
    _ rows: [JSONValue],
    owner: String? = nil
  ) async throws -> Reply {
    let id = try await client.get("/api/auth/get-session").text("/user/id")
    let owned = rows.map { row -> JSONValue in
      var object = row.object ?? [:]
      object["user_id"] = .string(owner ?? id)
      if object["updated_at"] == nil { object["updated_at"] = "2026-01-01T00:00:00Z" }
      return .object(object)
    }
    return try await client.post("/api/sync", .object([kind: .array(owned)]))
  }

  private func ids(_ reply: Reply, _ kind: String) -> [String] {
    (reply.json[kind]?.array ?? []).compactMap { $0["id"]?.text }
  }

  // 004-22: the answers that the app's own tests made up, by a real server.
  @Test func `rows come back with a version and the server's own time`() async throws {
    try await withSignedInServer { client in
      let reply = try await push(client, "notes", [["id": "n1", "plain_text": "a"]])
      #expect(reply.status == 200)
      #expect(reply.number("/notes/0/version") == 1)
      let all = try await client.get("/api/sync")
      #expect(ids(all, "notes") == ["n1"])
      let mark = all.text("/server_time")
      let later = try await client.get("/api/sync?since=\(mark)")
      #expect(later.json["notes"] == .null)
    }
  }

  @Test func `another user's row is skipped silently`() async throws {
    try await withSignedInServer { client in
      let reply = try await push(client, "notes", [["id": "n1"]], owner: "somebody")
      #expect(reply.status == 200)
      #expect(reply.json["has_conflict"] == false)
      #expect(try await client.get("/api/sync").json["notes"] == .null)
    }
  }

  @Test func `an older version is a conflict, and the server keeps its own`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "notes", [["id": "n1", "plain_text": "a"]])
      _ = try await push(client, "notes", [["id": "n1", "plain_text": "b", "version": 1]])
      let stale = try await push(client, "notes", [["id": "n1", "plain_text": "c", "version": 1]])
      #expect(stale.status == 200)
      #expect(stale.json["has_conflict"] == true)
      let now = try await client.get("/api/sync")
      #expect(now.text("/notes/0/plain_text") == "b")
      #expect(now.number("/notes/0/version") == 2)
    }
  }

  @Test func `a removed row is listed with its removal date`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "tags", [["id": "t1", "name": "a"]])
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
      _ = try await push(client, "tags", [["id": "t1", "name": "a", "updated_at": date]])
      let reported = try await client.get("/api/sync").json.value(at: "/tags/0/updated_at")
      #expect(reported == date)
    }
  }

  @Test func `a row without a date is stored, and never listed`() async throws {
    try await withSignedInServer { client in
      let row: JSONValue = ["id": "t1", "name": "a", "updated_at": .null]
      let reply = try await push(client, "tags", [row])
      #expect(ids(reply, "tags") == ["t1"])
      #expect(try await client.get("/api/sync").json["tags"] == .null)
    }
  }

  @Test func `a row dated before a cursor is not listed after that cursor`() async throws {
    try await withSignedInServer { client in
      let mark = try await client.get("/api/sync").text("/server_time")
      _ = try await push(client, "tags", [["id": "t1", "name": "a"]])
      #expect(try await client.get("/api/sync?since=\(mark)").json["tags"] == .null)
      let all = try await client.get("/api/sync")
      #expect(ids(all, "tags") == ["t1"])
    }
  }

  @Test func `a row that is dated before the one that is there is a conflict`() async throws {
    try await withSignedInServer { client in
      let later: JSONValue = ["id": "t1", "name": "a", "updated_at": "2026-03-01T00:00:00Z"]
      _ = try await push(client, "tags", [later])
      let earlier = try await push(client, "tags", [["id": "t1", "name": "b"]])
      #expect(earlier.json["has_conflict"] == true)
      #expect(try await client.get("/api/sync").text("/tags/0/name") == "a")
    }
  }

  @Test func `a removal keeps a tag's date, and is not listed after a later cursor`() async throws {
    try await withSignedInServer { client in
      let tag: JSONValue = ["id": "t1", "name": "a"]
      _ = try await push(client, "tags", [tag])
      let mark = try await client.get("/api/sync").text("/server_time")
      var removed = try #require(tag.object)
      removed["deleted_at"] = "2026-01-01T00:00:00Z"
      _ = try await push(client, "tags", [.object(removed)])
      #expect(try await client.get("/api/sync?since=\(mark)").json["tags"] == .null)
      let all = try await client.get("/api/sync")
      #expect(all.text("/tags/0/updated_at").hasPrefix("2026-01-01"))
    }
  }

  @Test func `a removal gives a note the server's own date, and is listed`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "notes", [["id": "n1"]])
      let mark = try await client.get("/api/sync").text("/server_time")
      let removed: JSONValue = ["id": "n1", "version": 1, "deleted_at": "2026-01-01T00:00:00Z"]
      _ = try await push(client, "notes", [removed])
      let changes = try await client.get("/api/sync?since=\(mark)")
      #expect(ids(changes, "notes") == ["n1"])
    }
  }

  @Test func `a note stays in the notebook in which it was made`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "notes", [["id": "n1", "notebook_id": "b1", "plain_text": "a"]])
      let moved: JSONValue = [
        "id": "n1", "notebook_id": "b2", "plain_text": "b", "version": 1,
      ]
      _ = try await push(client, "notes", [moved])
      let now = try await client.get("/api/sync")
      #expect(now.text("/notes/0/plain_text") == "b")
      #expect(now.text("/notes/0/notebook_id") == "b1")
    }
  }

  @Test func `an empty text is left out of an answer, as the real server does`()
    async throws
  {
    try await withSignedInServer { client in
      _ = try await push(client, "tags", [["id": "t1", "name": "a", "color": ""]])
      _ = try await push(client, "notes", [["id": "n1", "plain_text": "", "title": ""]])
      let now = try await client.get("/api/sync")
      #expect(now.json.value(at: "/tags/0/color") == nil)
      #expect(now.json.value(at: "/notes/0/plain_text") == nil)
      #expect(now.json.value(at: "/notes/0/title") == "")
    }
  }

  @Test func `a row that cannot be stored is left out silently, and no other`() async throws {
    try await withSignedInServer { client in
      let long = JSONValue.string(String(repeating: "x", count: 101))
      let reply = try await push(
        client,
        "tags",
        [["id": "t1", "name": "a"], ["id": "t2", "name": long], ["id": "t3", "name": "a"]]
      )
      #expect(reply.status == 200)
      #expect(reply.json["has_conflict"] == false)
      let all = try await client.get("/api/sync")
      #expect(ids(all, "tags") == ["t1"])
    }
  }

  // The app's own database has a foreign key, and changes nothing that was removed.
  @Test func `under the app's database rules, a new note needs a notebook, which may be removed`()
    async throws
  {
    try await withSignedInServer { client in
      _ = try await client.put("/__dev/sync", ["strict": true])
      _ = try await push(client, "notes", [["id": "n1"], ["id": "n2", "notebook_id": "b1"]])
      #expect(try await client.get("/api/sync").json["notes"] == .null)
      _ = try await push(client, "notebooks", [["id": "b1", "title": "a"]])
      let gone: JSONValue = ["id": "b1", "deleted_at": "2026-01-01T00:00:00Z"]
      _ = try await push(client, "notebooks", [gone])
      let reply = try await push(client, "notes", [["id": "n2", "notebook_id": "b1"]])
      #expect(ids(reply, "notes") == ["n2"])
    }
  }

  @Test(arguments: [false, true])
  func `under the app's database rules, a removed row cannot be pushed again`(
    isStrict: Bool
  ) async throws {
    try await withSignedInServer { client in
      _ = try await client.put("/__dev/sync", ["strict": .boolean(isStrict)])
      let tag: JSONValue = ["id": "t1", "name": "a"]
      _ = try await push(client, "tags", [tag])
      var removed = try #require(tag.object)
      removed["deleted_at"] = "2026-01-01T00:00:00Z"
      _ = try await push(client, "tags", [.object(removed)])
      let later: JSONValue = ["id": "t1", "name": "b", "updated_at": "2099-01-01T00:00:00Z"]
      let reply = try await push(client, "tags", [later])
      #expect(ids(reply, "tags") == (isStrict ? [] : ["t1"]))
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
        let tag: JSONValue = ["id": .string("t\(number)"), "name": .string(name)]
        _ = try await push(client, "tags", [tag])
      }
      let all = try await client.get("/api/sync")
      #expect(Set(ids(all, "tags")) == ["t0", "t1"])
    }
  }

  @Test func `a tag whose name has more than a hundred code points is not kept`() async throws {
    try await withSignedInServer { client in
      let name = String(repeating: "e\u{301}", count: 60)
      _ = try await push(client, "tags", [["id": "t1", "name": .string(name)]])
      #expect(try await client.get("/api/sync").json["tags"] == .null)
    }
  }

  @Test func `an account starts with a default notebook`() async throws {
    try await withSignedInServer { client in
      let reply = try await client.get("/api/sync")
      #expect(reply.text("/notebooks/0/title") == "Main")
    }
  }
}
