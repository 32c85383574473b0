import JSONText
import Testing

struct HeroRouteTests {
  @Test func `a hero is created, read, changed and deleted`() async throws {
    try await withSignedInServer { client in
      let created = try await client.post("/api/v1/heroes", goodHero)
      #expect(created.status == 201)
      #expect(created.text("/message") == "Hero created successfully")
      let id = created.text("/data/id")
      #expect(id.hasPrefix("c"))
      #expect(id.utf8.count == 25)
      #expect(created.text("/data/appearance") == "a green coat")
      #expect(created.json.value(at: "/data/visualProfile") == .null)

      let changed = try await client.patch(
        "/api/v1/heroes/\(id)",
        ["name": "", "avatarUrl": "http://x/a.png", "avatarPrompt": "p", "appearance": .null]
      )
      #expect(changed.status == 200)
      #expect(changed.text("/data/name") == "Ada")
      #expect(changed.text("/data/avatarUrl") == "http://x/a.png")
      #expect(changed.json.value(at: "/data/appearance") == .null)
      #expect(changed.text("/data/updatedAt") > created.text("/data/updatedAt"))

      let read = try await client.get("/api/v1/heroes/\(id)")
      #expect(read.json.value(at: "/data") == changed.json.value(at: "/data"))
      let deleted = try await client.delete("/api/v1/heroes/\(id)")
      #expect(deleted.text("/data/id") == id)
      let gone = try await client.get("/api/v1/heroes/\(id)")
      #expect(gone.status == 404)
      #expect(gone.json == ["error": "NotFound", "message": "Hero not found"])
    }
  }

  @Test func `creating a hero ignores the avatar and unknown members`() async throws {
    try await withSignedInServer { client in
      var hero = try #require(goodHero.object)
      hero["avatarUrl"] = "http://x/a.png"
      hero["id"] = "mine"
      hero["shoeSize"] = 31
      let created = try await client.post("/api/v1/heroes", .object(hero))
      #expect(created.status == 201)
      #expect(created.json.value(at: "/data/avatarUrl") == .null)
      #expect(created.text("/data/id") != "mine")
      #expect(created.json.value(at: "/data/shoeSize") == nil)
    }
  }

  @Test(
    arguments: [
      ("name", JSONValue.string(String(repeating: "x", count: 201))), ("name", ""),
      ("age", 2), ("age", 13), ("age", "7"), ("age", 7.5), ("traits", []), ("traits", "brave"),
      ("traits", [.string(String(repeating: "x", count: 101))]),
      ("hairColor", .string(String(repeating: "x", count: 51))), ("hairColor", .null),
      ("appearance", .string(String(repeating: "x", count: 501))),
      ("specialAbilities", .array(Array(repeating: "x", count: 11))),
    ] as [(String, JSONValue)]
  )
  func `a hero beyond a limit is refused, naming the field`(
    name: String,
    value: JSONValue
  ) async throws {
    try await withSignedInServer { client in
      var hero = try #require(goodHero.object)
      hero[name] = value
      let reply = try await client.post("/api/v1/heroes", .object(hero))
      #expect(reply.status == 400)
      #expect(reply.text("/error") == "ValidationError")
      #expect(reply.text("/message").hasPrefix("\(name): "))
    }
  }

  @Test func `all faults of a hero are listed in one answer`() async throws {
    try await withSignedInServer { client in
      let reply = try await client.post("/api/v1/heroes", ["age": 99])
      #expect(reply.text("/message").contains("name: is required; age: "))
      #expect(reply.text("/message").contains("traits: is required"))
    }
  }

  @Test func `lists are newest first, in pages with bounds`() async throws {
    try await withSignedInServer { client in
      for number in 1...5 {
        var hero = try #require(goodHero.object)
        hero["name"] = "Hero \(number)"
        _ = try await client.post("/api/v1/heroes", .object(hero))
      }
      let page = try await client.get("/api/v1/heroes?limit=2&offset=1")
      #expect(page.text("/data/heroes/0/name") == "Hero 4")
      #expect(page.text("/data/heroes/1/name") == "Hero 3")
      #expect(
        page.json.value(at: "/data/pagination")
          == ["total": 5, "limit": 2, "offset": 1, "hasMore": true]
      )
      #expect(try await client.get("/api/v1/heroes").number("/data/pagination/limit") == 50)
      #expect(
        try await client.get("/api/v1/heroes?limit=1000").number("/data/pagination/limit") == 100
      )
      #expect(
        try await client.get("/api/v1/heroes?limit=-3").number("/data/pagination/limit") == 1
      )
      let last = try await client.get("/api/v1/heroes?limit=2&offset=4")
      #expect(last.json.value(at: "/data/pagination/hasMore") == false)
    }
  }

  @Test func `updatedAfter excludes its own timestamp`() async throws {
    try await withSignedInServer { client in
      let first = try await client.post("/api/v1/heroes", goodHero)
      let second = try await client.post("/api/v1/heroes", goodHero)
      let after = try await client.get(
        "/api/v1/heroes?updatedAfter=\(first.text("/data/updatedAt"))"
      )
      #expect(after.number("/data/pagination/total") == 1)
      #expect(after.text("/data/heroes/0/id") == second.text("/data/id"))
      let wrong = try await client.get("/api/v1/heroes?updatedAfter=yesterday")
      #expect(wrong.status == 400)
      #expect(wrong.text("/error") == "ValidationError")
    }
  }

  @Test func `rows of one batch have different timestamps`() async throws {
    try await withSignedInServer { client in
      let heroes = Array(repeating: goodHero, count: 50)
      _ = try await client.post("/api/batch", ["heroes": .array(heroes)])
      let list = try await client.get("/api/v1/heroes?limit=100")
      let moments = try #require(list.json.value(at: "/data/heroes")?.array)
        .compactMap { $0["updatedAt"]?.text }
      #expect(Set(moments).count == 50)
      #expect(moments == moments.sorted(by: >))
    }
  }

  @Test func `another user's data is forbidden`() async throws {
    try await withSignedInServer { client in
      let id = try await client.post("/api/v1/heroes", goodHero).text("/data/id")
      let other = try await client.post(
        "/__dev/account",
        ["email": "other@example.com", "password": "long-enough"]
      )
      let otherUser = TestClient(port: client.port, token: other.text("/token"))
      let reply = try await otherUser.get("/api/v1/heroes/\(id)")
      #expect(reply.status == 403)
      #expect(reply.text("/message") == "You do not have access to this hero")
      #expect(try await otherUser.get("/api/v1/heroes").number("/data/pagination/total") == 0)
    }
  }

  @Test func `a hero has at most one visual profile, which goes with it`() async throws {
    try await withSignedInServer { client in
      let id = try await client.post("/api/v1/heroes", goodHero).text("/data/id")
      let path = "/api/v1/heroes/\(id)/visual-profile"
      #expect(try await client.get(path).status == 404)
      let created = try await client.post(path, ["hairStyle": "short", "colorPalette": ["red"]])
      #expect(created.status == 201)
      #expect(created.text("/data/heroId") == id)
      #expect(try await client.post(path, [:]).status == 409)
      let changed = try await client.patch(path, ["hairStyle": "long"])
      #expect(changed.text("/data/hairStyle") == "long")
      let hero = try await client.get("/api/v1/heroes/\(id)")
      #expect(hero.text("/data/visualProfile/hairStyle") == "long")
      _ = try await client.delete("/api/v1/heroes/\(id)")
      #expect(try await client.state().value(at: "/tables/visualProfiles") == 0)
    }
  }
}
