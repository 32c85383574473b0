import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Tastings and comments as the app's own backend has them: identities are numbers, a bottle goes
  /// in as a number and comes back as an object, and what is there already is answered with 409.
  func addTastings(to router: Router<RouteContext>) {
    add(.post, "/v1/auth/login", to: router, for: .anybody, work: logIn)
    add(.get, "/v1/auth/me", to: router) { _, transaction in
      let account = try transaction.signedInAccount()
      return .json(["user": try self.user(account, transaction)])
    }
    for kind in TastingRow.Kind.allCases { addRoutes(of: kind, to: router) }
    addTies(to: router)
    add(.post, "/__dev/tastings", to: router, for: .anybody, work: seedTastings)
  }

  private func addRoutes(of kind: TastingRow.Kind, to router: Router<RouteContext>) {
    let all = RouterPath("/v1/\(kind.tableName)")
    let one = RouterPath("/v1/\(kind.tableName)/:id")
    add(.get, all, to: router) { call, transaction in try page(of: kind, call, transaction) }
    add(.post, all, to: router) { call, transaction in try create(kind, call, transaction) }
    add(.get, one, to: router) { call, transaction in
      try shown(try found(kind, call, transaction), kind, transaction)
    }
    add(.patch, one, to: router) { call, transaction in
      let row = try own(kind, call, transaction)
      let form = TastingForm(kind)
      var body = row.body
      for member in try form.changes(in: try call.object()).members {
        body[member.name] = member.value
      }
      try transaction.changeTastingRow(row, body)
      return try shown(try found(kind, call, transaction), kind, transaction)
    }
    add(.delete, one, to: router) { call, transaction in
      try transaction.removeTastingRow(try own(kind, call, transaction), kind)
      return .json([:])
    }
  }

  @Sendable
  private func logIn(_ call: Call, _ transaction: Transaction) throws -> Answer {
    guard let email = call.json?["email"]?.text, let password = call.json?["password"]?.text else {
      throw Refusal(.badRequest, "BAD_REQUEST", "Input validation failed")
    }
    let row = try transaction.row("SELECT password FROM accounts WHERE email = ?", [email])
    guard let row, row[0] == password, let account = try transaction.account(email: email) else {
      throw Refusal(.unauthorized, "UNAUTHORIZED", "Invalid credentials")
    }
    let session = try transaction.openSession(for: account, lifetime: configuration.tokenLifetime)
    return .json([
      "user": try user(account, transaction), "accessToken": .string(session.token),
    ])
  }

  private func user(
    _ account: Transaction.Account,
    _ transaction: Transaction
  ) throws -> JSONValue {
    var user = try transaction.person(account.id).object ?? [:]
    user["email"] = .string(account.email)
    return .object(user)
  }

  private func page(
    of kind: TastingRow.Kind,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> Answer {
    let limit = call.number("limit", fallback: 25, within: 1...100)
    let page = call.number("cursor", fallback: 1, within: 1...1_000_000)
    let owner = call.query["user"] == "me" ? try transaction.signedInAccount().id : nil
    let rows = try transaction.tastingRows(kind, of: owner, limit: limit, page: page)
    let results = try rows.prefix(limit).map { row in
      row.shown(kind, try transaction.person(row.owner))
    }
    return .json([
      "results": .array(results),
      "rel": [
        "nextCursor": rows.count > limit ? .whole(page + 1) : .null,
        "prevCursor": page > 1 ? .whole(page - 1) : .null,
      ],
    ])
  }

  private func create(
    _ kind: TastingRow.Kind,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> Answer {
    let input = try call.object()
    let (parent, body) = try TastingForm(kind).new(input)
    let isKnown =
      kind == .tasting
      ? try transaction.knowsBottle(parent)
      : try transaction.tastingRow(parent, .tasting) != nil
    guard isKnown else {
      throw Refusal(.badRequest, "BAD_REQUEST", "Cannot identify \(kind.parentName)")
    }
    let moment = try moment(input, transaction)
    guard try !transaction.hasTastingRow(kind, parent: parent, at: moment) else {
      throw Refusal(.conflict, "CONFLICT", "\(kind.title) already exists.")
    }
    let id = try transaction.addTastingRow(kind, parent: parent, at: moment, body)
    guard let row = try transaction.tastingRow(id, kind) else {
      throw Refusal.internalError("the new row is not there")
    }
    let shown = row.shown(kind, try transaction.person(row.owner))
    // A tasting comes with what it won, a comment by itself.
    return .json(kind == .tasting ? ["tasting": shown, "awards": []] : shown)
  }

  private func moment(_ input: JSONObject, _ transaction: Transaction) throws -> Instant {
    guard let value = input["createdAt"], !value.isNull else { return try transaction.tick() }
    guard let moment = value.text.flatMap({ Instant($0) }) else {
      throw Refusal(.badRequest, "BAD_REQUEST", "createdAt: Invalid datetime")
    }
    return moment
  }

  private func found(
    _ kind: TastingRow.Kind,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> TastingRow {
    guard let id = Int64(try call.parameter("id")), let row = try transaction.tastingRow(id, kind)
    else { throw Refusal(.notFound, "NOT_FOUND", "\(kind.title) not found.") }
    return row
  }

  private func own(
    _ kind: TastingRow.Kind,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> TastingRow {
    let row = try found(kind, call, transaction)
    guard row.owner == (try transaction.signedInAccount().id) else {
      throw Refusal(.forbidden, "FORBIDDEN", "Cannot change another user's \(kind.rawValue).")
    }
    return row
  }

  private func shown(
    _ row: TastingRow,
    _ kind: TastingRow.Kind,
    _ transaction: Transaction
  ) throws -> Answer {
    let shown = row.shown(kind, try transaction.person(row.owner))
    guard kind == .tasting, var object = shown.object else { return .json(shown) }
    object["hasToasted"] = .boolean(try transaction.isTied(.toast, to: row.id))
    return .json(.object(object))
  }

  /// Adds bottles, people and rows as they are, numbers and moments included.
  @Sendable
  private func seedTastings(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    guard let account = try transaction.account(email: body["account"]?.text ?? "") else {
      throw Refusal.notFound("account: no such e-mail address")
    }
    try transaction.act(for: account)
    for bottle in body["bottles"]?.array ?? [] { try transaction.addBottle(bottle.integer ?? 0) }
    for person in body["people"]?.array ?? [] { try transaction.addPerson(person.integer ?? 0) }
    for friend in body["friends"]?.array ?? [] {
      try transaction.tie(.friend, to: friend.integer ?? 0)
    }
    for kind in TastingRow.Kind.allCases {
      for row in body[kind.tableName]?.array ?? [] {
        guard let input = row.object, let id = row["id"]?.integer else {
          throw Refusal.validation("\(kind.tableName): each needs an id")
        }
        let (parent, body) = try TastingForm(kind).new(input)
        let moment = try moment(input, transaction)
        _ = try transaction.addTastingRow(kind, id: id, parent: parent, at: moment, body)
      }
    }
    return .json(["success": true], status: .created)
  }
}
