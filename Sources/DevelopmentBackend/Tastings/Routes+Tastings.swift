import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Tastings and comments as the app's own backend has them: identities are numbers, a bottle goes
  /// in as a number and comes back as an object, and a comment does not say what it is on.
  func addTastings(to router: Router<RouteContext>) {
    add(.post, "/v1/auth/login", to: router, for: .anybody, work: logIn)
    add(.get, "/v1/auth/me", to: router) { _, transaction in
      let account = try transaction.signedInAccount()
      return .json(["user": try self.user(account, transaction)])
    }
    add(.get, "/v1/tastings", to: router) { call, transaction in
      try page(of: .tasting, call, transaction)
    }
    add(.post, "/v1/tastings", to: router, work: createTasting)
    add(.get, "/v1/tastings/:id", to: router) { call, transaction in
      .json(try answered(try found(.tasting, call, transaction), .tasting, transaction))
    }
    add(.patch, "/v1/tastings/:id", to: router, work: changeTasting)
    add(.delete, "/v1/tastings/:id", to: router) { call, transaction in
      let row = try removable(.tasting, call, transaction)
      guard try !transaction.hasComments(row) else {
        // The comments refer to it, and the app's own server removes none of them.
        throw Refusal(.internalServerError, "INTERNAL_SERVER_ERROR", "Internal server error")
      }
      try transaction.removeTastingRow(row)
      return .json([:])
    }
    add(.post, "/v1/tastings/:id/image", to: router, work: setImage)
    add(.delete, "/v1/tastings/:id/image", to: router) { call, transaction in
      let row = try pictured(call, "delete this image", transaction)
      var body = row.body
      body["imageUrl"] = .null
      try transaction.changeTastingRow(row, body)
      return .json([:])
    }
    add(.get, "/uploads/tastings/:key", to: router, for: .anybody) { call, transaction in
      try file("tastings/\(try call.parameter("key"))", transaction)
    }
    // No route reads one comment by itself, and none changes one.
    add(.get, "/v1/comments", to: router) { call, transaction in
      try page(of: .comment, call, transaction)
    }
    add(.post, "/v1/tastings/:id/comments", to: router, work: createComment)
    add(.delete, "/v1/comments/:id", to: router) { call, transaction in
      try transaction.removeTastingRow(try removable(.comment, call, transaction))
      return .json([:])
    }
    addTies(to: router)
    add(.post, "/__dev/tastings", to: router, for: .anybody, work: seedTastings)
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
    let limit = call.number("limit", fallback: kind == .tasting ? 25 : 100, within: 1...100)
    let page = call.number("cursor", fallback: 1, within: 1...1_000_000)
    let owner = call.query["user"] == "me" ? try transaction.signedInAccount().id : nil
    // Everybody's comments are not to be had at once.
    let rows =
      kind == .comment && owner == nil
      ? [] : try transaction.tastingRows(kind, of: owner, limit: limit, page: page)
    let results = try rows.prefix(limit).map { try answered($0, kind, transaction) }
    return .json([
      "results": .array(results),
      "rel": [
        "nextCursor": rows.count > limit ? .whole(page + 1) : .null,
        "prevCursor": page > 1 ? .whole(page - 1) : .null,
      ],
    ])
  }

  @Sendable
  private func createTasting(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let input = try call.object()
    let form = TastingForm(.tasting)
    try form.checkNames(of: input, isNew: true)
    let (bottle, body) = try form.new(input)
    try checkTags(of: body, transaction)
    let moment = try recentMoment(input, transaction) ?? transaction.tick()
    guard try transaction.knowsBottle(bottle) else {
      throw Refusal(.badRequest, "BAD_REQUEST", "Cannot identify bottle.")
    }
    guard try !transaction.hasTastingRow(.tasting, parent: bottle, at: moment) else {
      throw Refusal(.conflict, "CONFLICT", "Tasting already exists.")
    }
    let id = try transaction.addTastingRow(.tasting, parent: bottle, at: moment, body)
    // A tasting comes with what it won.
    return .json(["tasting": try answered(id, .tasting, transaction), "awards": []])
  }

  @Sendable
  private func changeTasting(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let input = try call.object()
    let form = TastingForm(.tasting)
    try form.checkNames(of: input, isNew: false)
    let changes = try form.changes(in: input)
    try checkTags(of: changes, transaction)
    let row = try found(.tasting, call, transaction)
    guard row.owner == (try transaction.signedInAccount().id) else {
      throw Refusal(.notFound, "NOT_FOUND", "Tasting not found.")
    }
    var body = row.body
    for member in changes.members { body[member.name] = member.value }
    try transaction.changeTastingRow(row, body)
    return .json(try answered(row.id, .tasting, transaction))
  }

  /// Refuses a request with a tag that is not known, without a word of which.
  private func checkTags(of body: JSONObject, _ transaction: Transaction) throws {
    let tags = body["tags"]?.array?.compactMap(\.text) ?? []
    guard try configuration.takesAnyTags || transaction.knowsTags(tags) else {
      throw Refusal(.badRequest, "BAD_REQUEST", "One or more tag values are invalid.")
    }
  }

  /// Gives a tasting a picture, or another one.
  @Sendable
  private func setImage(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let row = try pictured(call, "update this tasting", transaction)
    guard let file = MultipartForm(call)?.part("file") else {
      throw Refusal.invalid("file", "Invalid input: expected Blob")
    }
    let key = "tastings/\(Identifiers.token())"
    let type = ImageType(file.bytes)?.mediaType ?? "application/octet-stream"
    try transaction.keepFile(file.bytes, key, type, in: media)
    var body = row.body
    body["imageUrl"] = .string("\(call.origin)/uploads/\(key)")
    try transaction.changeTastingRow(row, body)
    return .json(["imageUrl": body["imageUrl"] ?? .null])
  }

  private func pictured(
    _ call: Call,
    _ verb: String,
    _ transaction: Transaction
  ) throws -> TastingRow {
    let row = try found(.tasting, call, transaction)
    guard row.owner == (try transaction.signedInAccount().id) else {
      throw Refusal(.forbidden, "FORBIDDEN", "You don't have permission to \(verb).")
    }
    return row
  }

  @Sendable
  private func createComment(_ call: Call, _ transaction: Transaction) throws -> Answer {
    var input = try call.object()
    guard let tasting = Int64(try call.parameter("id")) else {
      throw Refusal.invalid("tasting", "Invalid input: expected number")
    }
    input["tasting"] = .whole(tasting)
    let (_, body) = try TastingForm(.comment).new(input)
    guard let moment = try recentMoment(input, transaction) else {
      throw Refusal.invalid("createdAt", "Invalid input: expected string")
    }
    guard try transaction.tastingRow(tasting, .tasting) != nil else {
      throw Refusal(.notFound, "NOT_FOUND", "Tasting not found.")
    }
    guard try !transaction.hasTastingRow(.comment, parent: tasting, at: moment) else {
      // One of this moment is there: nothing says so, and it is not identified by its status.
      throw Refusal(
        .internalServerError,
        "INTERNAL_SERVER_ERROR",
        "Unable to create comment."
      )
    }
    let id = try transaction.addTastingRow(.comment, parent: tasting, at: moment, body)
    return .json(try answered(id, .comment, transaction))
  }

  private func moment(_ input: JSONObject, _ transaction: Transaction) throws -> Instant {
    guard let value = input["createdAt"], !value.isNull else { return try transaction.tick() }
    guard let moment = value.text.flatMap({ Instant($0) }) else {
      throw Refusal.invalid("createdAt", "Invalid datetime")
    }
    return moment
  }

  /// The moment that a request gives its row: in UTC, at most seven days ago, and not to come.
  private func recentMoment(
    _ input: JSONObject,
    _ transaction: Transaction
  ) throws -> Instant? {
    guard let value = input["createdAt"], !value.isNull else { return nil }
    guard let text = value.text, text.hasSuffix("Z"), let moment = Instant(text) else {
      throw Refusal.invalid("createdAt", "Invalid datetime")
    }
    let now = try transaction.tastingNow()
    guard moment <= now.adding(seconds: 300) else {
      throw Refusal.invalid("createdAt", "Value too far in future.")
    }
    guard moment >= now.adding(seconds: -604_800) else {
      throw Refusal.invalid("createdAt", "Value too far in the past.")
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

  private func removable(
    _ kind: TastingRow.Kind,
    _ call: Call,
    _ transaction: Transaction
  ) throws -> TastingRow {
    let row = try found(kind, call, transaction)
    guard row.owner == (try transaction.signedInAccount().id) else {
      throw Refusal(.forbidden, "FORBIDDEN", "Cannot delete another user's \(kind.rawValue).")
    }
    return row
  }

  private func answered(
    _ id: Int64,
    _ kind: TastingRow.Kind,
    _ transaction: Transaction
  ) throws -> JSONValue {
    guard let row = try transaction.tastingRow(id, kind) else {
      throw Refusal.internalError("the row is not there")
    }
    return try answered(row, kind, transaction)
  }

  private func answered(
    _ row: TastingRow,
    _ kind: TastingRow.Kind,
    _ transaction: Transaction
  ) throws -> JSONValue {
    let shown = row.shown(kind, try transaction.person(row.owner))
    guard var object = shown.object else { return shown }
    switch kind {
    case .tasting: object["hasToasted"] = .boolean(try transaction.isTied(.toast, to: row.id))
    case .comment: object["tasting"] = nil as JSONValue?
    }
    return .object(object)
  }

  /// Adds bottles, people and rows as they are, numbers and moments included.
  @Sendable
  private func seedTastings(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    guard let account = try transaction.account(email: body["account"]?.text ?? "") else {
      throw Refusal.notFound("account: no such e-mail address")
    }
    try transaction.act(for: account)
    if let now = body["now"]?.text.flatMap({ Instant($0) }) { try transaction.setTastingNow(now) }
    for bottle in body["bottles"]?.array ?? [] { try transaction.addBottle(bottle.integer ?? 0) }
    for tag in body["tags"]?.array ?? [] { try transaction.addTag(tag.text ?? "") }
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
