import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Signing in and out by e-mail and password, and asking who one is.
  func addAuthentication(to router: Router<RouteContext>) {
    add(.post, "/api/auth/sign-in/email", to: router, for: .anybody, work: signIn)
    add(.post, "/api/auth/sign-up/email", to: router, for: .anybody, work: signUp)
    add(.get, "/api/auth/get-session", to: router, for: .anybody, work: session)
    add(.post, "/api/auth/sign-out", to: router, for: .anybody, work: signOut)
    add(.get, "/api/v1/ping", to: router, for: .anybody) { _, _ in .json(["status": "ok"]) }
    add(.get, "/api/v1/user/profile", to: router, work: profile)
    add(.get, "/collections-whoami", to: router) { _, transaction in
      let account = try transaction.signedInAccount()
      return .json(["account": .string(account.id), "email": .string(account.email)])
    }
  }

  @Sendable
  private func signIn(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let now = Instant.now
    guard observation.admitsSignIn(at: now.milliseconds, limit: configuration.limits.signIns)
    else { return tooManySignIns }
    guard let body = call.json, let email = body["email"]?.text,
      let password = body["password"]?.text
    else {
      throw Refusal(.badRequest, "VALIDATION_ERROR", "email and password are required")
    }
    let row = try transaction.row(
      "SELECT id, email, name, createdAt, clock, password FROM accounts WHERE email = ?",
      [email]
    )
    guard let row, row[5] == password else {
      throw Refusal(.unauthorized, "INVALID_EMAIL_OR_PASSWORD", "Invalid email or password")
    }
    let account = Transaction.Account(
      id: row[0],
      email: row[1],
      name: row[2],
      createdAt: Instant(milliseconds: row[3]),
      clock: row[4]
    )
    return try opened(for: account, transaction)
  }

  /// Better Auth's own limiter says when to come back in a header of its own.
  private var tooManySignIns: Answer {
    var answer = Answer.json(
      ["message": "Too many requests. Please try again later."],
      status: .tooManyRequests
    )
    if let name = HTTPField.Name("X-Retry-After") { answer.headers[name] = "10" }
    return answer
  }

  @Sendable
  private func signUp(_ call: Call, _ transaction: Transaction) throws -> Answer {
    guard let body = call.json, let email = body["email"]?.text, email.contains("@"),
      let password = body["password"]?.text
    else {
      throw Refusal(.badRequest, "VALIDATION_ERROR", "email and password are required")
    }
    guard (8...128).contains(password.count) else {
      let code = password.count < 8 ? "PASSWORD_TOO_SHORT" : "PASSWORD_TOO_LONG"
      throw Refusal(.badRequest, code, "Password must have 8 to 128 characters")
    }
    guard try transaction.account(email: email) == nil else {
      throw Refusal(.unprocessableContent, "USER_ALREADY_EXISTS", "User already exists")
    }
    let account = try transaction.createAccount(
      email: email,
      password: password,
      name: body["name"]?.text
    )
    return try opened(for: account, transaction)
  }

  /// A new session, with its token in the body and in the header that apps read.
  private func opened(
    for account: Transaction.Account,
    _ transaction: Transaction
  ) throws -> Answer {
    let session = try transaction.openSession(
      for: account,
      lifetime: configuration.tokenLifetime
    )
    let answer = Answer.json([
      "redirect": false, "token": .string(session.token), "user": user(account),
    ])
    guard let name = HTTPField.Name("set-auth-token") else { return answer }
    return answer.with(name, session.token)
  }

  @Sendable
  private func session(_ call: Call, _ transaction: Transaction) throws -> Answer {
    guard let token = call.token, let session = try transaction.signIn(token: token) else {
      return .json(.null)
    }
    return .json([
      "session": [
        "id": .string(session.id), "token": .string(session.token),
        "userId": .string(session.account.id),
        "createdAt": .string(session.createdAt.text),
        "updatedAt": .string(session.createdAt.text),
        "expiresAt": .string(session.expiresAt.text),
      ],
      "user": user(session.account),
    ])
  }

  @Sendable
  private func signOut(_ call: Call, _ transaction: Transaction) throws -> Answer {
    if let token = call.token {
      try transaction.run("DELETE FROM sessions WHERE token = ?", [token])
    }
    return .json(["success": true])
  }

  @Sendable
  private func profile(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let account = try transaction.signedInAccount()
    var data = user(account).object ?? [:]
    var counts = JSONObject()
    for table in [Table.heroes, .customEvents, .stories] {
      let count = try transaction.count(
        "SELECT COUNT(*) FROM \(table.name) WHERE userId = ?",
        [account.id]
      )
      counts[table.name] = .whole(count)
    }
    data["_count"] = .object(counts)
    return .data(data)
  }

  private func user(_ account: Transaction.Account) -> JSONValue {
    [
      "id": .string(account.id), "email": .string(account.email),
      "name": .text(account.name), "image": .null, "emailVerified": false,
      "createdAt": .string(account.createdAt.text), "updatedAt": .string(account.createdAt.text),
    ]
  }
}
