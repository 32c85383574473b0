import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Signing in as the backend of `/api/sync` has it: by a token that a second one renews.
  func addTokens(to router: Router<RouteContext>) {
    add(.post, "/api/auth/login", to: router, for: .anybody) { call, transaction in
      guard let email = call.json?["email"]?.text, let password = call.json?["password"]?.text
      else { throw Refusal(.badRequest, "invalid_request", "email and password are required") }
      let row = try transaction.row("SELECT password FROM accounts WHERE email = ?", [email])
      guard let row, row[0] == password, let account = try transaction.account(email: email)
      else { throw Refusal(.unauthorized, "unauthorized", "invalid credentials") }
      return try tokens(for: account, transaction)
    }
    add(.post, "/api/auth/refresh", to: router, for: .anybody) { call, transaction in
      let token = call.json?["refresh_token"]?.text ?? ""
      guard let session = try transaction.signIn(token: token) else {
        throw Refusal(.unauthorized, "unauthorized", "invalid refresh token")
      }
      return try tokens(for: session.account, transaction)
    }
    add(.get, "/api/auth/me", to: router) { _, transaction in
      .json(member(try transaction.signedInAccount(), id: try syncOwner(transaction)))
    }
  }

  private func tokens(
    for account: Transaction.Account,
    _ transaction: Transaction
  ) throws -> Answer {
    try transaction.act(for: account)
    let access = try transaction.openSession(for: account, lifetime: configuration.tokenLifetime)
    let refresh = try transaction.openSession(
      for: account,
      lifetime: configuration.renewalLifetime
    )
    return .json([
      "user": member(account, id: try syncOwner(transaction)),
      "access_token": .string(access.token),
      "refresh_token": .string(refresh.token),
    ])
  }

  private func member(_ account: Transaction.Account, id: String) -> JSONValue {
    [
      "id": .string(id), "email": .string(account.email),
      "created_at": .string(account.createdAt.text), "updated_at": .string(account.createdAt.text),
    ]
  }
}
