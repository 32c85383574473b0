import JSONText
import Testing

struct CollectionRouteTests {
  private let path = "/collections/notes/records/n1"

  @Test func `creating a record twice is refused, with the existing record`() async throws {
    try await withSignedInServer { client in
      let created = try await client.put(path, ["a": 1], [("if-none-match", "*")])
      #expect(created.status == 201)
      #expect(created.header("etag") == "\"1\"")
      #expect(created.text("/id") == "n1")
      #expect(created.number("/version") == 1)
      #expect(created.json["data"] == ["a": 1])
      let again = try await client.put(path, ["a": 2], [("if-none-match", "*")])
      #expect(again.status == 412)
      #expect(again.text("/error/code") == "PreconditionFailed")
      #expect(again.json.value(at: "/current/data") == ["a": 1])
      #expect(again.header("etag") == "\"1\"")
    }
  }

  @Test func `a change needs the current revision`() async throws {
    try await withSignedInServer { client in
      _ = try await client.put(path, ["a": 1])
      let changed = try await client.put(path, ["a": 2], [("if-match", "\"1\"")])
      #expect(changed.status == 200)
      #expect(changed.header("etag") == "\"2\"")
      let stale = try await client.put(path, ["a": 3], [("if-match", "\"1\"")])
      #expect(stale.status == 412)
      #expect(stale.json.value(at: "/current/version") == 2)
      #expect(try await client.put(path, ["a": 3], [("if-match", "W/\"2\"")]).status == 412)
      #expect(try await client.put(path, ["a": 3], [("if-match", "2")]).status == 400)
      #expect(try await client.put(path, ["a": 3], [("if-match", "\"9\", \"2\"")]).status == 200)
      #expect(try await client.put(path, ["a": 4], [("if-match", "*")]).status == 200)
      let missing = try await client.put(
        "/collections/notes/records/n2",
        ["a": 1],
        [("if-match", "*")]
      )
      #expect(missing.status == 412)
      #expect(missing.json["current"] == nil)
    }
  }

  @Test func `a repeated PUT of the same content changes nothing`() async throws {
    try await withSignedInServer { client in
      _ = try await client.put(path, ["a": 1, "b": .null])
      let again = try await client.put(path, ["b": .null, "a": 1.0])
      #expect(again.status == 200)
      #expect(again.number("/version") == 1)
    }
  }

  @Test func `a merge patch changes the members it names`() async throws {
    try await withSignedInServer { client in
      _ = try await client.put(path, ["a": 1, "b": ["c": 2, "d": 3]])
      let patched = try await client.patch(path, ["a": .null, "b": ["c": 9], "e": [1]])
      #expect(patched.json["data"] == ["b": ["c": 9, "d": 3], "e": [1]])
      #expect(patched.number("/version") == 2)
      let stale = try await client.send("PATCH", path, ["a": 1], [("if-match", "\"1\"")])
      #expect(stale.status == 412)
      #expect(try await client.patch("/collections/notes/records/x", ["a": 1]).status == 404)
    }
  }

  @Test func `a deleted record appears only in the list of changes`() async throws {
    try await withSignedInServer { client in
      _ = try await client.put(path, ["a": 1])
      #expect(try await client.send("DELETE", path, nil, [("if-match", "\"7\"")]).status == 412)
      #expect(try await client.send("DELETE", path, nil, [("if-match", "\"1\"")]).status == 200)
      #expect(try await client.delete(path).status == 404)
      #expect(try await client.get(path).status == 404)
      #expect(try await client.get("/collections/notes/records").number("/total") == 0)
      let changes = try await client.get("/collections/notes/records?since=1")
      #expect(changes.json.value(at: "/records/0/deleted") == true)
      #expect(try await client.put(path, ["a": 2], [("if-none-match", "*")]).status == 201)
    }
  }

  @Test func `a list is ordered by id, page by page`() async throws {
    try await withSignedInServer { client in
      for id in ["b", "a%2Fslash", "c", "A", "%C3%A9"] {
        let reply = try await client.put("/collections/c/records/\(id)", ["x": 1])
        #expect(reply.status == 201)
      }
      var ids: [String] = []
      var query = "?limit=2"
      while true {
        let page = try await client.get("/collections/c/records\(query)")
        #expect(page.number("/total") == 5)
        ids += (page.json["records"]?.array ?? []).compactMap { $0["id"]?.text }
        guard let next = page.json["next"]?.text else { break }
        let escaped = next.replacing("/", with: "%2F")
        query = "?limit=2&after=\(escaped)"
      }
      #expect(ids == ["A", "a/slash", "b", "c", "é"])
      let since = try await client.get("/collections/c/records?since=3")
      #expect(since.number("/total") == 2)
      let head = try await client.send("HEAD", "/collections/c/records")
      #expect(head.status == 200)
      #expect(head.header("total-records") == "5")
      #expect(head.bytes.isEmpty)
    }
  }

  @Test func `requests are remembered as they arrived`() async throws {
    try await withSignedInServer { client in
      _ = try await client.put(path, ["a": 1])
      _ = try await client.get(path)
      _ = try await client.send("PATCH", path, ["b": 2], [("if-match", "\"7\"")])
      let changes = try await client.get("/__dev/changes").json["changes"]?.array ?? []
      #expect(changes.map { $0["method"] } == ["PUT", "PATCH"])
      #expect(changes.last?["path"] == .string(path))
      #expect(changes.last?["ifMatch"] == "\"7\"")
      #expect(changes.last?["body"] == #"{"b":2}"#)
    }
  }

  @Test func `a batch has a status for each item`() async throws {
    try await withSignedInServer { client in
      _ = try await client.put("/collections/c/records/there", ["a": 1])
      let reply = try await client.post(
        "/collections/c/batch",
        [
          "items": [
            ["id": "new", "method": "PUT", "ifNoneMatch": "*", "data": ["a": 1]],
            ["id": "there", "method": "PUT", "ifNoneMatch": true, "data": ["a": 2]],
            ["id": "there", "method": "PATCH", "ifMatch": 1, "data": ["b": 2]],
            ["id": "there", "method": "DELETE", "ifMatch": "\"1\""],
            ["id": "missing", "method": "DELETE"],
            ["id": "bad", "data": 7],
          ]
        ]
      )
      #expect(reply.status == 200)
      let statuses = reply.json["results"]?.array?.compactMap { $0["status"]?.integer }
      #expect(statuses == [201, 412, 200, 412, 404, 400])
      #expect(reply.json.value(at: "/results/1/current/data") == ["a": 1])
      #expect(reply.number("/results/2/version") == 3)
      #expect(reply.text("/results/4/error/code") == "NotFound")
      let many = JSONValue.array(Array(repeating: ["id": "x", "data": [:]], count: 101))
      #expect(try await client.post("/collections/c/batch", ["items": many]).status == 400)
    }
  }

  @Test func `numbers and names are returned as they were sent`() async throws {
    try await withSignedInServer { client in
      let text = #"{"":1e400,"big":12345678901234567890123,"z":-0.0,"é":"\u0000"}"#
      let put = try await client.send("PUT", path, bytes: Array(text.utf8))
      #expect(put.status == 201)
      let data = try await client.get(path).json["data"]
      let sent = try JSONValue(parsing: text)
      #expect(data?.canonicalText == sent.canonicalText)
    }
  }
}
