import DevelopmentBackend
import JSONText
import Testing

struct ListRouteTests {
  private let path = "/v1/users/me/collections"

  /// Lends a server that knows two bottles and a tag.
  private func withBottles(
    asksForTerms: Bool = false,
    _ body: @escaping @Sendable (TestClient) async throws -> Void
  ) async throws {
    try await withSignedInServer({ $0.asksForTerms = asksForTerms }) { client in
      let rows: JSONValue = [
        "account": "demo@example.com", "bottles": [501, 502], "tags": ["peat"],
      ]
      #expect(try await client.post("/__dev/tastings", rows).status == 201)
      try await body(client)
    }
  }

  @Test func `a bottle is on a list once, however often it is added`() async throws {
    try await withBottles { client in
      let first = try await client.post("\(path)/library/bottles", ["bottle": 501])
      let second = try await client.post("\(path)/library/bottles", ["bottle": 501])
      #expect(first.status == 200 && first.number("/id") == second.number("/id"))
      let listed = try await client.get("\(path)/library/bottles")
      #expect(listed.json["results"]?.array?.count == 1)
      #expect(listed.number("/results/0/bottle/id") == 501)
      #expect(try await client.get("\(path)/default/bottles").json["results"] == [])
    }
  }

  @Test func `a bottle is removed by its number, however often`() async throws {
    try await withBottles { client in
      _ = try await client.post("\(path)/default/bottles", ["bottle": 501])
      for _ in 1...2 {
        let reply = try await client.send("DELETE", "\(path)/default/bottles", ["bottle": 501])
        #expect(reply.status == 200)
      }
      #expect(try await client.get("\(path)/default/bottles").json["results"] == [])
    }
  }

  @Test(
    arguments: [
      (["bottle": 999], "library", 404), (["bottle": "501"], "library", 400),
      (["bottle": 501, "note": "a"], "library", 400), (["bottle": 501], "wishlist", 404),
      (["bottle": 501, "status": "open"], "default", 400),
      (["bottle": 501, "status": "drunk"], "library", 400),
      (["bottle": 501, "status": "open"], "library", 200),
    ] as [(JSONValue, String, Int)]
  )
  func `a bottle is known, by a number, and has a state only in the library`(
    body: JSONValue,
    list: String,
    status: Int
  ) async throws {
    try await withBottles { client in
      let reply = try await client.post("\(path)/\(list)/bottles", body)
      #expect(reply.status == status)
    }
  }

  @Test func `nothing is changed until the terms of service are accepted`() async throws {
    try await withBottles(asksForTerms: true) { client in
      let refused = try await client.post("\(path)/library/bottles", ["bottle": 501])
      #expect(refused.status == 403 && refused.text("/code") == "FORBIDDEN")
      #expect(try await client.post("/v1/tastings", ["bottle": 501]).status == 403)
      #expect(try await client.get("/v1/tastings?user=me").status == 200)
      #expect(try await client.post("/v1/auth/tos/accept").status == 200)
      #expect(try await client.post("\(path)/library/bottles", ["bottle": 501]).status == 200)
    }
  }

  @Test func `a tasting with a tag that is not known is refused, and which is not said`()
    async throws
  {
    try await withBottles { client in
      let tags: JSONValue = ["Peat", "moss"]
      let refused = try await client.post("/v1/tastings", ["bottle": 501, "tags": tags])
      #expect(refused.status == 400 && !refused.text.contains("moss"))
      let taken = try await client.post("/v1/tastings", ["bottle": 501, "tags": ["Peat"]])
      #expect(taken.status == 200)
      let id = taken.number("/tasting/id")
      #expect(try await client.patch("/v1/tastings/\(id)", ["tags": tags]).status == 400)
      #expect(try await client.get("/v1/tags").text("/results/0/name") == "peat")
    }
  }

  @Test func `a tasting has one picture, which is replaced and removed`() async throws {
    try await withBottles { client in
      let tasting = try await client.post("/v1/tastings", ["bottle": 501])
      #expect(tasting.json.value(at: "/tasting/imageUrl") == .null)
      let path = "/v1/tastings/\(tasting.number("/tasting/id"))"
      let reply = try await client.form("\(path)/image", file: [0xFF, 0xD8, 0xFF, 1])
      let address = try await client.get(path).text("/imageUrl")
      #expect(reply.text("/imageUrl") == address)
      #expect(try await TestClient(port: client.port).get(address).bytes == [0xFF, 0xD8, 0xFF, 1])
      #expect(try await client.delete("\(path)/image").status == 200)
      #expect(try await client.get(path).json["imageUrl"] == .null)
    }
  }
}
