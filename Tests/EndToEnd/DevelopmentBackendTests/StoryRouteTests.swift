import DevelopmentBackend
import JSONText
import Testing

struct StoryRouteTests {
  @Test func `new text removes the audio of a story, other changes do not`() async throws {
    try await withSignedInServer({ $0.publicMediaAddress = "https://media.example" }) { client in
      let id = try await story(client, ["audioUrl": "https://media.example/a.mp3"])
      let titled = try await client.patch(
        "/api/v1/stories/\(id)",
        ["title": "New", "isFavorite": true]
      )
      #expect(titled.text("/data/audioUrl") == "https://media.example/a.mp3")
      #expect(titled.json.value(at: "/data/isFavorite") == true)
      let changed = try await client.patch(
        "/api/v1/stories/\(id)",
        ["content": "Other", "audioUrl": "https://media.example/b.mp3"]
      )
      #expect(changed.json.value(at: "/data/audioUrl") == .null)
      #expect(changed.text("/data/audioGenerationStatus") == "pending")
      #expect(changed.text("/data/title") == "New")
    }
  }

  @Test func `a story shows its hero, its event and no pictures`() async throws {
    try await withSignedInServer { client in
      let event = try await client.post(
        "/api/v1/custom-events",
        ["title": "T", "promptSeed": "P"]
      ).text("/data/id")
      let id = try await story(client, ["customEventId": .string(event)])
      let read = try await client.get("/api/v1/stories/\(id)?includeIllustrations=true")
      #expect(read.text("/data/hero/name") == "Ada")
      #expect(read.number("/data/hero/age") == 7)
      #expect(read.text("/data/customEvent/title") == "T")
      #expect(read.json.value(at: "/data/illustrations") == [])
      #expect(read.number("/data/playCount") == 0)
      let status = try await client.get("/api/v1/stories/\(id)/illustrations/status")
      #expect(status.text("/data/status") == "none")
      #expect(status.number("/data/total") == 0)
    }
  }

  @Test func `stories go with their hero and outlive their event`() async throws {
    try await withSignedInServer { client in
      let event = try await client.post(
        "/api/v1/custom-events",
        ["title": "T", "promptSeed": "P"]
      ).text("/data/id")
      let id = try await story(client, ["customEventId": .string(event)])
      #expect(try await client.delete("/api/v1/custom-events/\(event)").status == 200)
      let orphan = try await client.get("/api/v1/stories/\(id)")
      #expect(orphan.json.value(at: "/data/customEventId") == .null)
      let hero = orphan.text("/data/heroId")
      #expect(try await client.delete("/api/v1/heroes/\(hero)").status == 200)
      #expect(try await client.get("/api/v1/stories/\(id)").status == 404)
    }
  }

  @Test func `stories are filtered by hero, language, liking and time`() async throws {
    try await withSignedInServer { client in
      let french = try await story(client, ["language": "fr"])
      let liked = try await story(client, ["isFavorite": true])
      func only(_ query: String) async throws -> String {
        let list = try await client.get("/api/v1/stories?\(query)")
        #expect(list.number("/data/pagination/total") == 1)
        return list.text("/data/stories/0/id")
      }
      #expect(try await only("language=fr") == french)
      #expect(try await only("isFavorite=true") == liked)
      let row = try await client.get("/api/v1/stories/\(french)")
      #expect(try await only("heroId=\(row.text("/data/heroId"))") == french)
      #expect(try await only("updatedAfter=\(row.text("/data/updatedAt"))") == liked)
    }
  }

  @Test func `generated stories are counted and limited`() async throws {
    try await withSignedInServer { client in
      let hero = try await client.post("/api/v1/heroes", goodHero).text("/data/id")
      for _ in 1...5 {
        let reply = try await client.post(
          "/api/v1/stories",
          ["heroId": .string(hero), "language": "en"]
        )
        #expect(reply.status == 201)
      }
      let refused = try await client.post(
        "/api/v1/stories",
        ["heroId": .string(hero), "language": "en"]
      )
      #expect(refused.status == 429)
      #expect(refused.text("/error") == "RateLimitExceeded")
      #expect(refused.text("/message").contains("Resets at 20"))
      #expect(refused.header("retry-after") == nil)
      #expect(try await client.state().value(at: "/generatedStories") == 5)
      let incomplete = try await client.post("/api/v1/stories", [:])
      #expect(incomplete.text("/message") == "Missing required fields: heroId, language")
    }
  }

  @Test func `media addresses can come signed anew each time, of the storage's own host`()
    async throws
  {
    try await withSignedInServer({
      $0.publicMediaAddress = "https://media.example"
      $0.signsMediaAddresses = true
    }) { client in
      let id = try await story(client, ["audioUrl": "https://media.example/a.mp3"])
      let first = try await client.get("/api/v1/stories/\(id)").text("/data/audioUrl")
      let second = try await client.get("/api/v1/stories/\(id)").text("/data/audioUrl")
      #expect(first.contains("/a.mp3?X-Amz-Expires=900") && !first.contains("media.example"))
      #expect(first != second)
    }
  }

  @Test func `a signed media address gives the bytes until it expires, and no other does`()
    async throws
  {
    try await withSignedInServer({
      $0.uploadTickets = true
      $0.signsMediaAddresses = true
      $0.mediaLifetime = 0.5
    }) { client in
      let bytes = Array("sound".utf8)
      let ticket = try await client.post(
        "/api/files/upload",
        ["fileName": "a.mp3", "mimeType": "audio/mpeg", "fileSize": 5, "category": "audio"]
      )
      _ = try await client.send("PUT", ticket.text("/data/uploadUrl"), bytes: bytes)
      let address = ticket.text("/data/publicUrl")
      #expect(try await client.get(address).status == 403)
      let id = try await story(client, ["audioUrl": .string(address)])
      let signed = try await client.get("/api/v1/stories/\(id)").text("/data/audioUrl")
      #expect(try await client.get(signed).bytes == bytes)
      #expect(
        try await client.get(signed.replacing("Signature=", with: "Signature=0")).status == 403
      )
      try await Task.sleep(for: .milliseconds(600))
      #expect(try await client.get(signed).status == 403)
    }
  }

  @Test func `no picture is drawn for a story that was imported`() async throws {
    try await withSignedInServer({ $0.publicMediaAddress = "https://media.example" }) { client in
      let path = "/api/v1/stories/\(try await story(client, [:]))/illustrations"
      let reply = try await client.post(path)
      #expect(reply.status == 400 && reply.text("/message").hasPrefix("No scenes available"))
      #expect(try await client.get(path).number("/data/total") == 0)
    }
  }

  /// Adds a hero and a story of it; answers the story's id.
  private func story(_ client: TestClient, _ more: JSONObject) async throws -> String {
    let hero = try await client.post("/api/v1/heroes", goodHero).text("/data/id")
    var item = more
    item["id"] = "s1"
    item["heroId"] = .string(hero)
    item["title"] = "A title"
    item["content"] = "Once"
    let reply = try await client.post("/api/batch/stories", ["stories": [.object(item)]])
    #expect(reply.json["success"] == true)
    return reply.text("/results/created/0/serverId")
  }
}
