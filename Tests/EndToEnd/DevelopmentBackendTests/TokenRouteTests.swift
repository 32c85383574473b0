import DevelopmentBackend
import JSONText
import Testing

struct TokenRouteTests {
  private static let good: JSONValue = [
    "email": "demo@example.com", "password": "correct-horse",
  ]

  @Test func `signing in gives two tokens, and the second renews the first`() async throws {
    try await withServer { client in
      let reply = try await client.post("/api/auth/login", Self.good)
      #expect(reply.status == 200 && reply.text("/user/email") == "demo@example.com")
      let signedIn = TestClient(port: client.port, token: reply.text("/access_token"))
      #expect(try await signedIn.get("/api/auth/me").text("/id") == reply.text("/user/id"))
      let renewed = try await client.post(
        "/api/auth/refresh",
        ["refresh_token": .string(reply.text("/refresh_token"))]
      )
      #expect(renewed.status == 200)
      #expect(renewed.text("/access_token") != reply.text("/access_token"))
    }
  }

  @Test func `a wrong password and no token are named in the server's own shape`() async throws {
    try await withServer { client in
      var wrong = try #require(Self.good.object)
      wrong["password"] = "wrong"
      let refused = try await client.post("/api/auth/login", .object(wrong))
      #expect(refused.status == 401 && refused.text("/error") == "unauthorized")
      #expect(try await client.get("/api/auth/me").status == 401)
    }
  }

  @Test func `a token runs out, and the one that renews it does not`() async throws {
    try await withSignedInServer({ $0.tokenLifetime = 0.5 }) { client in
      let reply = try await client.post("/api/auth/login", Self.good)
      let signedIn = TestClient(port: client.port, token: reply.text("/access_token"))
      #expect(try await signedIn.get("/api/auth/me").status == 200)
      try await Task.sleep(for: .milliseconds(600))
      #expect(try await signedIn.get("/api/auth/me").status == 401)
      let renewed = try await client.post(
        "/api/auth/refresh",
        ["refresh_token": .string(reply.text("/refresh_token"))]
      )
      #expect(renewed.status == 200)
    }
  }

  @Test func `identities that are UUIDs come back in lower case, others as they are`()
    async throws
  {
    try await withSignedInServer({ $0.takesAnySyncRows = true }) { client in
      let owner = try await client.get("/api/auth/get-session").text("/user/id")
      let book = "5E0A7C3D-0000-4000-8000-00000000000A"
      let note = "5E0A7C3D-0000-4000-8000-00000000000B"
      let user = JSONValue.string(owner)
      let date: JSONValue = "2026-01-01T00:00:00Z"
      _ = try await client.post(
        "/api/sync",
        [
          "notebooks": [
            ["id": .string(book), "user_id": user, "title": "Home", "updated_at": date]
          ],
          "notes": [
            [
              "id": .string(note), "user_id": user, "notebook_id": .string(book),
              "updated_at": date,
            ], ["id": "Plain", "user_id": user, "updated_at": date],
          ],
        ]
      )
      let all = try await client.get("/api/sync")
      let notes = all.json["notes"]?.array ?? []
      #expect(Set(notes.compactMap { $0["id"]?.text }) == [note.lowercased(), "Plain"])
      #expect(notes.contains { $0["notebook_id"]?.text == book.lowercased() })
    }
  }
}
