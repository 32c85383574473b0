import DevelopmentBackend
import JSONText
import Testing

struct BatchRouteTests {
  @Test(arguments: [(10, 200), (11, 500)])
  func `a batch that takes more than five seconds is rolled back`(
    count: Int,
    status: Int
  ) async throws {
    try await withSignedInServer({ $0.batchItemTime = 500 }) { client in
      let heroes = (1...count).map { number -> JSONValue in
        ["id": .string("\(number)"), "name": "Ada", "age": 7, "traits": ["kind"]]
      }
      let reply = try await client.post("/api/batch", ["heroes": .array(heroes)])
      #expect(reply.status == status)
      let stored = try await client.get("/api/v1/heroes").number("/data/pagination/total")
      #expect(stored == (status == 200 ? Int64(count) : 0))
    }
  }

  @Test func `each hero of a batch is accepted or refused by itself`() async throws {
    try await withSignedInServer { client in
      let reply = try await client.post(
        "/api/batch",
        [
          "heroes": [
            ["id": "a", "name": "Ada", "age": 7, "traits": ["kind"], "appearance": "lost"],
            ["id": "b", "name": "Bo"],
            ["id": "c", "name": "Cy", "age": 40],
            ["id": "d", "name": "Di", "age": 8, "avatarUrl": "http://x/d.png"],
          ]
        ]
      )
      #expect(reply.status == 200)
      #expect(reply.json["success"] == false)
      #expect(reply.number("/created") == 2)
      #expect(reply.number("/failed") == 2)
      #expect(reply.number("/total") == 4)
      #expect(reply.number("/results/total") == 4)
      #expect(reply.text("/results/created/0/localId") == "a")
      #expect(reply.text("/results/created/1/name") == "Di")
      #expect(reply.text("/results/failed/0/error").contains("age"))
      #expect(reply.text("/results/failed/1/error").hasPrefix("age: "))
      let first = try await client.get(
        "/api/v1/heroes/\(reply.text("/results/created/0/serverId"))"
      )
      #expect(first.json.value(at: "/data/appearance") == .null)
      #expect(first.text("/data/id") != "a")
      let second = try await client.get(
        "/api/v1/heroes/\(reply.text("/results/created/1/serverId"))"
      )
      #expect(second.text("/data/avatarUrl") == "http://x/d.png")
      #expect(second.json.value(at: "/data/traits") == [])
    }
  }

  @Test(arguments: ["/api/batch", "/api/batch/stories"])
  func `an item names its identity as id, and the answer names it localId`(path: String)
    async throws
  {
    try await withSignedInServer { client in
      let hero = try await client.post("/api/v1/heroes", goodHero).text("/data/id")
      func item(_ name: String) -> JSONValue {
        [
          name: "a", "name": "Ada", "age": 7, "heroId": .string(hero),
          "title": "T", "content": "C",
        ]
      }
      let list = path.hasSuffix("stories") ? "stories" : "heroes"
      let items: JSONValue = [item("id"), item("localId")]
      let reply = try await client.post(path, .object([list: items]))
      #expect(reply.number("/created") == 2)
      let created = reply.json.value(at: "/results/created")?.array ?? []
      #expect(created.map { $0["localId"] } == ["a", nil])
    }
  }

  @Test func `a batch that is sent again creates its rows again`() async throws {
    try await withSignedInServer { client in
      let batch: JSONValue = ["heroes": [["id": "a", "name": "Ada", "age": 7]]]
      _ = try await client.post("/api/batch", batch)
      let again = try await client.post("/api/batch", batch)
      #expect(again.json["success"] == true)
      #expect(try await client.get("/api/v1/heroes").number("/data/pagination/total") == 2)
    }
  }

  @Test func `a story needs a hero of the account and an address of the media`() async throws {
    try await withSignedInServer { client in
      let hero = try await client.post("/api/v1/heroes", goodHero).text("/data/id")
      func item(_ id: String, _ more: JSONObject) -> JSONValue {
        var item: JSONObject = [
          "id": .string(id), "heroId": .string(hero), "title": "T", "content": "C",
        ]
        for member in more.members { item[member.name] = member.value }
        return .object(item)
      }
      let reply = try await client.post(
        "/api/batch/stories",
        [
          "stories": [
            item("good", ["playCount": 7, "createdAt": "2020-01-01", "audioDuration": 12.5]),
            item("unknown hero", ["heroId": "nobody"]),
            item("no hero", ["heroId": .null]),
            item("unknown audio", ["audioUrl": "https://evil.example/a.mp3"]),
            item("no content", ["content": .null]),
            item(
              "own audio",
              ["audioUrl": .string("http://127.0.0.1:\(client.port)/media/a.mp3")]
            ),
          ]
        ]
      )
      let created = reply.json.value(at: "/results/created")?.array?.compactMap {
        $0["localId"]?.text
      }
      #expect(created == ["good", "own audio"])
      let errors = reply.json.value(at: "/results/failed")?.array?.compactMap {
        $0["error"]?.text
      }
      #expect(
        errors == [
          "Hero not found or unauthorized", "Hero not found or unauthorized",
          "Invalid audioUrl: must be a valid storage URL",
          "Invalid value: argument `content` is missing",
        ]
      )
      let story = try await client.get(
        "/api/v1/stories/\(reply.text("/results/created/0/serverId"))"
      )
      #expect(story.number("/data/playCount") == 0)
      #expect(!story.text("/data/createdAt").hasPrefix("2020"))
      #expect(story.json.value(at: "/data/audioDuration") == 12.5)
      #expect(story.text("/data/language") == "en")
    }
  }

  @Test func `a refusal by the database undoes the whole batch, but no earlier single call`()
    async throws
  {
    try await withSignedInServer { client in
      let hero = try await client.post("/api/v1/heroes", goodHero).text("/data/id")
      func item(_ id: String, event: JSONValue) -> JSONValue {
        [
          "id": .string(id), "heroId": .string(hero), "title": "T", "content": "C",
          "customEventId": event,
        ]
      }
      let reply = try await client.post(
        "/api/batch/stories",
        [
          "stories": [
            item("first", event: .null), item("unknown event", event: "nothing"),
            item("last", event: .null),
          ]
        ]
      )
      #expect(reply.status == 200)
      #expect(reply.number("/created") == 1)
      #expect(reply.text("/results/created/0/localId") == "first")
      #expect(reply.text("/results/failed/0/error").hasPrefix("Foreign key constraint"))
      #expect(reply.text("/results/failed/1/localId") == "last")
      #expect(reply.text("/results/failed/1/error").contains("current transaction is aborted"))
      let made = reply.text("/results/created/0/serverId")
      #expect(try await client.get("/api/v1/stories/\(made)").status == 404)
      #expect(try await client.state().value(at: "/tables/stories") == 0)
    }
  }

  @Test(arguments: ["name", "traits"])
  func `U+0000 is refused by the database, not by the server in front of it`(member: String)
    async throws
  {
    try await withSignedInServer { client in
      let text: JSONValue = "a\u{0}b"
      let value: JSONValue = member == "traits" ? [text] : text
      var bad: JSONObject = ["id": "b", "name": "Bo", "age": 8, "traits": []]
      bad[member] = value
      let good: JSONValue = ["id": "a", "name": "Ada", "age": 7]
      let reply = try await client.post("/api/batch", ["heroes": [good, .object(bad)]])
      #expect(reply.number("/created") == 1)
      #expect(reply.number("/failed") == 1)
      #expect(try await client.state().value(at: "/tables/heroes") == 0)
      let event = try await client.post(
        "/api/v1/custom-events",
        ["title": text, "promptSeed": "P"]
      )
      #expect(event.status == 400)
    }
  }

  @Test func `an invalid batch is rejected in the batch format`() async throws {
    try await withSignedInServer { client in
      let large = JSONValue.array(Array(repeating: goodHero, count: 101))
      let tooLarge = try await client.post("/api/batch", ["heroes": large])
      #expect(tooLarge.status == 400)
      #expect(
        tooLarge.json == ["error": "Batch size too large: maximum 100 heroes per request"]
      )
      let none = try await client.post("/api/batch/stories", ["heroes": []])
      #expect(none.json == ["error": "Invalid request: stories must be an array"])
      let broken = try await client.send("POST", "/api/batch", bytes: Array("{".utf8))
      #expect(broken.status == 500)
      let missing = try await TestClient(port: client.port).post("/api/batch", ["heroes": []])
      #expect(missing.status == 401)
      #expect(missing.json == ["error": "Unauthorized"])
      #expect(try await client.state().value(at: "/tables/heroes") == 0)
    }
  }

  @Test func `the limits of a batch can be as loose as the app's own backend has them`()
    async throws
  {
    try await withSignedInServer({ $0.checksBatchLimits = false }) { client in
      let reply = try await client.post(
        "/api/batch",
        ["heroes": [["name": "Old", "age": 400], ["name": "New", "age": "7"]]]
      )
      #expect(reply.number("/created") == 1)
      #expect(reply.number("/failed") == 1)
    }
  }

  @Test func `the size of batches can be limited`() async throws {
    try await withSignedInServer({ $0.limits.batches = 1 }) { client in
      #expect(try await client.post("/api/batch", ["heroes": []]).status == 200)
      let refused = try await client.post("/api/batch", ["heroes": []])
      #expect(refused.status == 429)
      #expect(refused.text("/error").hasPrefix("Rate limit exceeded for batch."))
    }
  }
}
