import DevelopmentBackend
import JSONText
import Testing

struct LimitTests {
  @Test func `creations, changes and reads can be limited each by itself`() async throws {
    try await withSignedInServer({
      $0.limits.heroCreations = 2
      $0.limits.changes = 1
      $0.limits.reads = 3
    }) { client in
      let id = try await client.post("/api/v1/heroes", goodHero).text("/data/id")
      #expect(try await client.post("/api/v1/heroes", goodHero).status == 201)
      #expect(try await client.post("/api/v1/heroes", goodHero).status == 429)
      #expect(try await client.patch("/api/v1/heroes/\(id)", ["age": 8]).status == 200)
      let refused = try await client.patch("/api/v1/heroes/\(id)", ["age": 9])
      #expect(refused.status == 429)
      #expect(refused.text("/message").hasPrefix("Rate limit exceeded for changes. Resets at"))
      for _ in 1...3 { #expect(try await client.get("/api/v1/heroes/\(id)").status == 200) }
      #expect(try await client.get("/api/v1/heroes").status == 429)
      #expect(try await client.state().value(at: "/tables/heroes") == 2)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a rate limit's window ends`() async throws {
    try await withSignedInServer({
      $0.limits.batches = 1
      $0.limits.window = 2
    }) { client in
      #expect(try await client.post("/api/batch", ["heroes": []]).status == 200)
      #expect(try await client.post("/api/batch", ["heroes": []]).status == 429)
      var status = 0
      while status != 200 {
        try await Task.sleep(for: .milliseconds(100))
        status = try await client.post("/api/batch", ["heroes": []]).status
      }
    }
  }
}
