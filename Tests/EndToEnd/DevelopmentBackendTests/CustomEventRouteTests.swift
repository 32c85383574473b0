import JSONText
import Testing

struct CustomEventRouteTests {
  @Test func `an event is created with defaults and without its use`() async throws {
    try await withSignedInServer { client in
      let created = try await client.post(
        "/api/v1/custom-events",
        ["title": "Trip", "promptSeed": "a trip", "isFavorite": true, "usageCount": 9]
      )
      #expect(created.status == 201)
      #expect(created.text("/data/category") == "general")
      #expect(created.text("/data/tone") == "cheerful")
      #expect(created.text("/data/description") == "")
      #expect(created.json.value(at: "/data/keywords") == [])
      #expect(created.json.value(at: "/data/isFavorite") == false)
      #expect(created.number("/data/usageCount") == 0)
      let id = created.text("/data/id")
      let changed = try await client.patch(
        "/api/v1/custom-events/\(id)",
        ["isFavorite": true, "usageCount": 9]
      )
      #expect(changed.json.value(at: "/data/isFavorite") == true)
      #expect(changed.number("/data/usageCount") == 0)
    }
  }

  @Test func `an event beyond a limit is refused in its own words`() async throws {
    try await withSignedInServer { client in
      let long = JSONValue.string(String(repeating: "x", count: 2_001))
      let title = try await client.post(
        "/api/v1/custom-events",
        ["title": long, "promptSeed": "x"]
      )
      #expect(title.text("/message") == "Title must be between 1 and 200 characters")
      let seed = try await client.post(
        "/api/v1/custom-events",
        ["title": "x", "promptSeed": long]
      )
      #expect(seed.text("/message") == "Prompt seed must be between 1 and 2000 characters")
      let none = try await client.post("/api/v1/custom-events", ["title": ""])
      #expect(none.text("/message") == "Missing required fields: title, promptSeed")
      let id = try await client.post(
        "/api/v1/custom-events",
        ["title": "x", "promptSeed": "x"]
      ).text("/data/id")
      let changed = try await client.patch(
        "/api/v1/custom-events/\(id)",
        ["ageRange": .string(String(repeating: "x", count: 21))]
      )
      #expect(changed.status == 400)
      #expect(changed.text("/message").hasPrefix("ageRange: "))
    }
  }

  @Test func `the event list puts liked events first and ignores page bounds`() async throws {
    try await withSignedInServer { client in
      var ids: [String] = []
      for title in ["one", "two", "three"] {
        let reply = try await client.post(
          "/api/v1/custom-events",
          ["title": .string(title), "promptSeed": "x"]
        )
        ids.append(reply.text("/data/id"))
      }
      _ = try await client.patch("/api/v1/custom-events/\(ids[0])", ["isFavorite": true])
      let list = try await client.get("/api/v1/custom-events?limit=500")
      #expect(list.number("/data/pagination/limit") == 500)
      let titles = list.json.value(at: "/data/customEvents")?.array?.compactMap {
        $0["title"]?.text
      }
      #expect(titles == ["one", "three", "two"])
      let liked = try await client.get("/api/v1/custom-events?favoritesOnly=true")
      #expect(liked.number("/data/pagination/total") == 1)
    }
  }
}
