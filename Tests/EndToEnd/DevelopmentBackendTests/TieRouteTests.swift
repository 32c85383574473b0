import JSONText
import Testing

/// Friends and toasts: there or not there, however often it is asked for.
struct TieRouteTests {
  private func withPeople(_ body: @escaping @Sendable (TestClient) async throws -> Void)
    async throws
  {
    try await withSignedInServer { client in
      _ = try await client.post(
        "/__dev/account",
        ["email": "other@example.com", "password": "correct-horse"]
      )
      let rows: JSONValue = [
        "account": "other@example.com", "bottles": [501], "people": [1055, 1056],
        "tastings": [["id": 80001, "bottle": 501, "createdAt": "2026-02-01T20:00:00.000Z"]],
      ]
      #expect(try await client.post("/__dev/tastings", rows).status == 201)
      try await body(client)
    }
  }

  private func people(_ client: TestClient, _ path: String) async throws -> [Int64] {
    let rows = try await client.get(path).json["results"]?.array ?? []
    return rows.compactMap { $0["user"]?["id"]?.integer }
  }

  @Test func `a friend is added once, and no user can be blocked`() async throws {
    try await withPeople { client in
      for _ in 1...2 {
        #expect(try await client.put("/v1/friends/1055", [:]).text("/status") == "pending")
      }
      _ = try await client.put("/v1/friends/1056", [:])
      #expect(try await people(client, "/v1/friends?limit=1") == [1056])
      #expect(try await client.get("/v1/friends?limit=1").number("/rel/nextCursor") == 2)
      #expect(try await people(client, "/v1/friends?limit=1&cursor=2") == [1055])
      #expect(try await client.delete("/v1/friends/1056").text("/status") == "none")
      #expect(try await client.post("/v1/users/1055/block", [:]).status == 404)
      #expect(try await client.get("/v1/users/me/blocks").status == 404)
    }
  }

  @Test func `a friendship with an unknown user or oneself is rejected`() async throws {
    try await withPeople { client in
      let otherUser = try await client.put("/v1/friends/7", [:])
      #expect(otherUser.status == 404)
      let oneself = try await client.put("/v1/friends/1041", [:])
      #expect(oneself.status == 400)
    }
  }

  @Test func `a toast is identified by its tasting, and refused for one's own tasting`()
    async throws
  {
    try await withPeople { client in
      #expect(try await client.get("/v1/tastings/80001").json["hasToasted"] == false)
      for _ in 1...2 {
        #expect(try await client.post("/v1/tastings/80001/toast", [:]).status == 200)
      }
      #expect(try await client.get("/v1/tastings/80001").json["hasToasted"] == true)
      let own = try await client.post("/v1/tastings", ["bottle": 501]).number("/tasting/id")
      #expect(try await client.post("/v1/tastings/\(own)/toast", [:]).status == 400)
      #expect(try await client.post("/v1/tastings/4/toast", [:]).status == 404)
    }
  }
}
