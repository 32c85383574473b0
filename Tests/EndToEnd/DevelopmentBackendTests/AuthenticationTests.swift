import DevelopmentBackend
import JSONText
import Testing

struct AuthenticationTests {
  @Test func `signing in gives a token in the body and in a header`() async throws {
    try await withServer { client in
      let reply = try await client.post(
        "/api/auth/sign-in/email",
        ["email": "DEMO@example.com", "password": "correct-horse"]
      )
      #expect(reply.status == 200)
      #expect(reply.header("set-auth-token") == reply.text("/token"))
      #expect(reply.text("/user/email") == "demo@example.com")
      let client = TestClient(port: client.port, token: reply.text("/token"))
      let session = try await client.get("/api/auth/get-session")
      #expect(session.text("/user/id") == reply.text("/user/id"))
      #expect(session.text("/session/expiresAt") > session.text("/session/createdAt"))
      let account = try await client.get("/collections-whoami")
      #expect(account.text("/account") == reply.text("/user/id"))
      _ = try await client.post("/api/auth/sign-out")
      let after = try await client.get("/api/auth/get-session")
      #expect(after.status == 200)
      #expect(after.text == "null")
    }
  }

  @Test func `a wrong password is refused in the shape of the sign-in`() async throws {
    try await withServer { client in
      let reply = try await client.post(
        "/api/auth/sign-in/email",
        ["email": "demo@example.com", "password": "wrong"]
      )
      #expect(reply.status == 401)
      #expect(
        reply.json
          == ["code": "INVALID_EMAIL_OR_PASSWORD", "message": "Invalid email or password"]
      )
    }
  }

  @Test func `a request without a valid token is refused`() async throws {
    try await withServer { client in
      for token in [nil, "nonsense"] {
        let client = TestClient(port: client.port, token: token)
        let heroes = try await client.get("/api/v1/heroes")
        #expect(heroes.status == 401)
        #expect(
          heroes.json == ["error": "Unauthorized", "message": "Authentication required"]
        )
        let records = try await client.get("/collections/c/records")
        #expect(records.status == 401)
        #expect(records.text("/error/code") == "Unauthorized")
      }
    }
  }

  @Test func `a token ends with its lifetime`() async throws {
    var configuration = DevelopmentBackend.Configuration()
    configuration.tokenLifetime = 0
    try await withServer(configuration) { client in
      let client = try await client.signedIn()
      #expect(client.token?.isEmpty == false)
      #expect(try await client.get("/api/v1/heroes").status == 401)
      #expect(try await client.get("/api/auth/get-session").text == "null")
    }
  }

  @Test func `sign-ins can be limited, with a header of their own`() async throws {
    var configuration = DevelopmentBackend.Configuration()
    configuration.limits.signIns = 1
    try await withServer(configuration) { client in
      _ = try await client.signedIn()
      let reply = try await client.post("/api/auth/sign-in/email", [:])
      #expect(reply.status == 429)
      #expect(reply.header("x-retry-after") == "10")
      #expect(reply.header("retry-after") == nil)
    }
  }

  @Test func `a new account signs up and sees only its own`() async throws {
    try await withServer { client in
      let short = try await client.post(
        "/api/auth/sign-up/email",
        ["email": "n@example.com", "password": "short"]
      )
      #expect(short.text("/code") == "PASSWORD_TOO_SHORT")
      let reply = try await client.post(
        "/api/auth/sign-up/email",
        ["email": "n@example.com", "password": "long-enough", "name": "N"]
      )
      #expect(reply.status == 200)
      let client = TestClient(port: client.port, token: reply.text("/token"))
      #expect(try await client.get("/api/v1/user/profile").text("/data/name") == "N")
    }
  }

  @Test func `an unknown path is answered with an error in JSON`() async throws {
    try await withSignedInServer { client in
      let reply = try await client.get("/api/v1/nothing")
      #expect(reply.status == 404)
      #expect(reply.text("/error") == "NotFound")
      #expect(try await client.post("/api/files/upload").status == 404)
    }
  }
}
