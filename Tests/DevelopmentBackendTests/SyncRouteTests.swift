import JSONText
import Testing

struct SyncRouteTests {
  /// Pushes rows; those of the account get its identity.
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

  @Test func `a row of somebody else is passed over without a word`() async throws {
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

  @Test func `a removal is a row with its moment, which comes back`() async throws {
    try await withSignedInServer { client in
      _ = try await push(client, "tags", [["id": "t1", "name": "a"]])
      let row = try await client.get("/api/sync").json.value(at: "/tags/0")
      var object = try #require(row?.object)
      object["deleted_at"] = "2026-01-01T00:00:00Z"
      _ = try await push(client, "tags", [.object(object)])
      #expect(try await client.get("/api/sync").text("/tags/0/deleted_at").hasPrefix("2026"))
    }
  }

  @Test func `one bad row refuses the whole push`() async throws {
    try await withSignedInServer { client in
      let long = JSONValue.string(String(repeating: "x", count: 101))
      let reply = try await push(
        client,
        "tags",
        [["id": "t1", "name": "a"], ["id": "t2", "name": long]]
      )
      #expect(reply.status == 400)
      #expect(reply.text("/error") == "validation_error")
      #expect(try await client.get("/api/sync").json["tags"] == .null)
      _ = try await push(client, "tags", [["id": "t1", "name": "a"]])
      let twice = try await push(client, "tags", [["id": "t2", "name": "a"]])
      #expect(twice.status == 409)
    }
  }

  @Test func `an account has a notebook that nobody asked for`() async throws {
    try await withSignedInServer { client in
      let reply = try await client.get("/api/sync")
      #expect(reply.text("/notebooks/0/title") == "Main")
    }
  }
}
