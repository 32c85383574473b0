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
        [
          "account": account, "now": "2026-02-02T08:00:00Z", "bottles": [501, 502, 503],
          "tags": ["peat", "ash"],
        ]
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

  @Test func `a tasting of the same bottle and date is refused as existing`() async throws {
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
      #expect(try await client.patch("/v1/tastings/80001", ["rating": 1]).status == 404)
    }
  }

  private static let comment: JSONValue = [
    "comment": " mine ", "createdAt": "2026-02-01T21:00:00.000Z",
  ]

  @Test func `a comment is written below its tasting, and does not say on which it is`()
    async throws
  {
    try await withBottles { client in
      let lost = try await client.post("/v1/tastings/1/comments", Self.comment)
      #expect(lost.status == 404)
      let id = try await client.post("/v1/tastings", Self.tasting).number("/tasting/id")
      let path = "/v1/tastings/\(id)/comments"
      let made = try await client.post(path, Self.comment)
      #expect(made.status == 200 && made.text("/comment") == "mine")
      #expect(made.json["tasting"] == nil)
      // The same once more is no conflict.
      #expect(try await client.post(path, Self.comment).status == 500)
      let listed = try await client.get("/v1/comments?user=me").json["results"]?.array ?? []
      #expect(listed.count == 1 && listed.first?["tasting"] == nil)
      #expect(try await client.get("/v1/comments/\(made.number("/id"))").status == 404)
      #expect(try await client.post(path, ["comment": "when?"]).status == 400)
    }
  }

  @Test func `a tasting with comments cannot be removed`() async throws {
    try await withBottles { client in
      let id = try await client.post("/v1/tastings", Self.tasting).number("/tasting/id")
      let made = try await client.post("/v1/tastings/\(id)/comments", Self.comment)
      #expect(try await client.delete("/v1/tastings/\(id)").status == 500)
      #expect(try await client.delete("/v1/comments/\(made.number("/id"))").status == 200)
      #expect(try await client.delete("/v1/tastings/\(id)").status == 200)
    }
  }

  @Test(arguments: [
    ("2026-01-26T07:59:59Z", "Value too far in the past."),
    ("2026-02-02T08:05:01Z", "Value too far in future."),
    ("2026-02-01T20:00:00+01:00", "Invalid datetime"),
  ])
  func `a tasting's date is in UTC, within the last seven days and not in the future`(
    moment: String,
    words: String
  ) async throws {
    try await withBottles { client in
      var wrong = try #require(Self.tasting.object)
      wrong["createdAt"] = .string(moment)
      let reply = try await client.post("/v1/tastings", .object(wrong))
      #expect(reply.status == 400 && reply.text("/data/issues/0/message") == words)
    }
  }

  @Test func `empty notes are nil, tags are unique and lower case, and other fields are rejected`()
    async throws
  {
    try await withBottles { client in
      var odd = try #require(Self.tasting.object)
      odd["notes"] = ""
      odd["tags"] = ["Peat", "peat", "ash"]
      let made = try await client.post("/v1/tastings", .object(odd))
      #expect(made.json["tasting"]?["notes"] == .null)
      #expect(made.json["tasting"]?["tags"] == ["peat", "ash"])
      odd["location"] = "here"
      #expect(try await client.post("/v1/tastings", .object(odd)).status == 400)
      let id = made.number("/tasting/id")
      let late = try await client.patch("/v1/tastings/\(id)", ["bottle": 502])
      #expect(late.status == 400)
    }
  }

  @Test func `a change keeps the fields that it does not name`() async throws {
    try await withBottles { client in
      let id = try await client.post("/v1/tastings", Self.tasting).number("/tasting/id")
      let changed = try await client.patch("/v1/tastings/\(id)", ["rating": -1])
      #expect(changed.number("/rating") == -1 && changed.text("/notes") == "smoke")
      #expect(try await client.patch("/v1/tastings/\(id)", ["rating": 3]).status == 400)
    }
  }
}
