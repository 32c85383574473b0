import JSONText
import Testing

struct TastingRouteTests {
  private static let tasting: JSONValue = [
    "bottle": 501, "rating": 2, "notes": "smoke", "tags": ["peat"], "servingStyle": "neat",
    "createdAt": "2026-02-01T20:00:00.000Z",
  ]

  /// Lends a server that knows three bottles.
  private func withBottles(_ body: @escaping @Sendable (TestClient) async throws -> Void)
    async throws
  {
    try await withSignedInServer { client in
      let account: JSONValue = "demo@example.com"
      let seeded = try await client.post(
        "/__dev/tastings",
        ["account": account, "bottles": [501, 502, 503]]
      )
      #expect(seeded.status == 201)
      try await body(client)
    }
  }

  @Test func `signing in gives a number for the person and a token that is good`() async throws {
    try await withServer { client in
      let wrong = try await client.post(
        "/v1/auth/login",
        ["email": "demo@example.com", "password": "wrong"]
      )
      #expect(wrong.status == 401 && wrong.text("/code") == "UNAUTHORIZED")
      let reply = try await client.post(
        "/v1/auth/login",
        ["email": "demo@example.com", "password": "correct-horse"]
      )
      #expect(reply.number("/user/id") == 1_041)
      let signedIn = TestClient(port: client.port, token: reply.text("/accessToken"))
      #expect(try await signedIn.get("/v1/auth/me").number("/user/id") == 1_041)
    }
  }

  @Test func `a bottle goes in as a number and comes back as an object`() async throws {
    try await withBottles { client in
      let made = try await client.post("/v1/tastings", Self.tasting)
      #expect(made.status == 200)
      #expect(made.number("/tasting/bottle/id") == 501)
      #expect(made.number("/tasting/createdBy/id") == 1_041)
      #expect(made.json["awards"] == [])
      let id = made.number("/tasting/id")
      #expect(try await client.get("/v1/tastings/\(id)").text("/notes") == "smoke")
      var asText = try #require(Self.tasting.object)
      asText["bottle"] = "501"
      #expect(try await client.post("/v1/tastings", .object(asText)).status == 400)
    }
  }

  @Test func `a tasting of the same bottle and moment is there already`() async throws {
    try await withBottles { client in
      _ = try await client.post("/v1/tastings", Self.tasting)
      let again = try await client.post("/v1/tastings", Self.tasting)
      #expect(again.status == 409 && again.text("/message").contains("already exists"))
      #expect(try await client.get("/v1/tastings?user=me").json["results"]?.array?.count == 1)
    }
  }

  @Test(arguments: [("rating", 4.5), ("rating", 0), ("bottle", 9_999)])
  func `stars and unknown bottles are refused`(member: String, value: Double) async throws {
    try await withBottles { client in
      var wrong = try #require(Self.tasting.object)
      wrong[member] = .number(JSONNumber(value))
      let reply = try await client.post("/v1/tastings", .object(wrong))
      #expect(reply.status == 400 && reply.text("/code") == "BAD_REQUEST")
    }
  }

  @Test func `pages are counted, and other people's tastings are among them unless left out`()
    async throws
  {
    try await withBottles { client in
      _ = try await client.post(
        "/__dev/account",
        ["email": "other@example.com", "password": "correct-horse"]
      )
      let theirs = (1...3).map { number -> JSONValue in
        [
          "id": .number(JSONNumber(80_000 + Int64(number))), "bottle": 502, "rating": 1,
          "createdAt": .string("2026-01-0\(number)T10:00:00.000Z"),
        ]
      }
      _ = try await client.post(
        "/__dev/tastings",
        ["account": "other@example.com", "tastings": .array(theirs)]
      )
      _ = try await client.post("/v1/tastings", Self.tasting)
      let first = try await client.get("/v1/tastings?limit=3")
      #expect(first.json["results"]?.array?.count == 3)
      #expect(first.number("/rel/nextCursor") == 2)
      let second = try await client.get("/v1/tastings?limit=3&cursor=2")
      #expect(second.json["results"]?.array?.count == 1)
      #expect(second.json["rel"]?["nextCursor"] == .null)
      #expect(try await client.get("/v1/tastings?user=me").json["results"]?.array?.count == 1)
      #expect(try await client.delete("/v1/tastings/80001").status == 403)
    }
  }

  @Test func `comments need their tasting, and go with it`() async throws {
    try await withBottles { client in
      let lost = try await client.post("/v1/comments", ["tasting": 1, "comment": "where?"])
      #expect(lost.status == 400)
      let id = try await client.post("/v1/tastings", Self.tasting).number("/tasting/id")
      let comment = try await client.post(
        "/v1/comments",
        ["tasting": .number(JSONNumber(id)), "comment": "mine"]
      )
      #expect(comment.status == 200 && comment.number("/tasting") == id)
      #expect(try await client.delete("/v1/tastings/\(id)").status == 200)
      #expect(try await client.get("/v1/comments/\(comment.number("/id"))").status == 404)
    }
  }

  @Test func `a change keeps what it does not name`() async throws {
    try await withBottles { client in
      let id = try await client.post("/v1/tastings", Self.tasting).number("/tasting/id")
      let changed = try await client.patch("/v1/tastings/\(id)", ["rating": -1])
      #expect(changed.number("/rating") == -1 && changed.text("/notes") == "smoke")
      #expect(try await client.patch("/v1/tastings/\(id)", ["rating": 3]).status == 400)
    }
  }
}
