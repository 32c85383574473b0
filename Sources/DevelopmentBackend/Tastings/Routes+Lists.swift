import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// The two lists of bottles that the app's own backend keeps for a person, and the terms that it asks a
  /// person to accept before it takes anything.
  func addLists(to router: Router<RouteContext>) {
    let path: RouterPath = "/v1/users/:user/collections/:list/bottles"
    add(.post, "/v1/auth/tos/accept", to: router) { _, transaction in
      let account = try transaction.signedInAccount()
      try transaction.run("INSERT OR IGNORE INTO terms (userId) VALUES (?)", [account.id])
      return .json(try transaction.person(account.id))
    }
    add(.get, "/v1/tags", to: router) { _, transaction in
      let tags = try transaction.rows("SELECT name FROM tags ORDER BY name")
      return .json([
        "results": .array(tags.map { ["name": .string($0[0])] }),
        "rel": ["nextCursor": .null, "prevCursor": .null],
      ])
    }
    add(.get, path, to: router, work: listBottles)
    add(.post, path, to: router, work: addListedBottle)
    add(.delete, path, to: router) { call, transaction in
      let list = try list(call, transaction)
      let input = try call.object()
      try checkNames(of: input, ["bottle"])
      try transaction.run(
        "DELETE FROM collectionRows WHERE userId = ? AND list = ? AND bottle = ?",
        [try transaction.signedInAccount().id, list.rawValue, try bottle(input)]
      )
      return .json([:])
    }
    add(.patch, "/v1/users/:user/collections/:list/bottles/:id", to: router) { call, transaction in
      let list = try list(call, transaction)
      let status = try status(try call.object(), list)
      let owner = try transaction.signedInAccount().id
      guard let id = Int64(try call.parameter("id")),
        let row = try transaction.listedBottles(list, of: owner, id: id).first
      else { throw Refusal(.notFound, "NOT_FOUND", "Collection bottle not found.") }
      try transaction.setStatus(status ?? .null, of: row.id)
      return .json(try transaction.shown(try transaction.listedBottle(row.id)))
    }
  }

  /// Refuses who has not accepted the terms, where they are asked for.
  func checkTerms(_ call: Call, _ transaction: Transaction) throws {
    guard configuration.asksForTerms, call.path.hasPrefix("/v1/"),
      !call.path.hasPrefix("/v1/auth/"), call.method != .get, call.method != .head
    else { return }
    let account = try transaction.signedInAccount()
    guard try transaction.count("SELECT COUNT(*) FROM terms WHERE userId = ?", [account.id]) > 0
    else {
      let message = "You must accept the Terms of Service to perform this action."
      throw Refusal(.forbidden, "FORBIDDEN", message)
    }
  }

  @Sendable
  private func listBottles(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let list = try list(call, transaction)
    let limit = call.number("limit", fallback: 25, within: 1...100)
    let page = call.number("cursor", fallback: 1, within: 1...1_000_000)
    let owner = try transaction.signedInAccount().id
    let rows = try transaction.listedBottles(list, of: owner).dropFirst((page - 1) * limit)
    return .json([
      "results": .array(try rows.prefix(limit).map { try transaction.shown($0) }),
      "rel": [
        "nextCursor": rows.count > limit ? .whole(page + 1) : .null,
        "prevCursor": page > 1 ? .whole(page - 1) : .null,
      ],
    ])
  }

  /// Adds a bottle; one that is there already is answered, with another state where one is given.
  @Sendable
  private func addListedBottle(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let list = try list(call, transaction)
    let input = try call.object()
    try checkNames(of: input, ["bottle", "status", "pendingImageId"])
    let bottle = try bottle(input)
    let status = try status(input, list)
    guard try transaction.knowsBottle(bottle) else {
      throw Refusal(.notFound, "NOT_FOUND", "Cannot find bottle.")
    }
    let owner = try transaction.signedInAccount().id
    let found = try transaction.listedBottles(list, of: owner).first { $0.bottle == bottle }
    let id = try found?.id ?? transaction.addListedBottle(bottle, to: list)
    if let status { try transaction.setStatus(status, of: id) }
    return .json(try transaction.shown(try transaction.listedBottle(id)))
  }

  private func bottle(_ input: JSONObject) throws(Refusal) -> Int64 {
    guard let bottle = input["bottle"]?.integer, bottle > 0 else {
      throw .invalid("bottle", "Invalid input: expected number")
    }
    return bottle
  }

  /// The state that a request gives a bottle, `nil` for none: only the library knows them.
  private func status(_ input: JSONObject, _ list: BottleList) throws(Refusal) -> JSONValue? {
    guard let status = input["status"] else { return nil }
    guard list == .library else {
      let message = "Bottle status is only supported for Library entries."
      throw Refusal(.badRequest, "BAD_REQUEST", message)
    }
    guard status.isNull || ["sealed", "open", "empty"].contains(status.text) else {
      throw .invalid("status", "Invalid option")
    }
    return status
  }

  private func checkNames(of input: JSONObject, _ names: [String]) throws(Refusal) {
    for member in input.members where !names.contains(member.name) {
      throw .invalid(member.name, "Unrecognized key")
    }
  }

  /// The person's own list that a call names; another's may not be seen here.
  private func list(_ call: Call, _ transaction: Transaction) throws -> BottleList {
    let user = try call.parameter("user")
    let person = try transaction.person(try transaction.signedInAccount().id)
    guard user == "me" || person["id"]?.integer == Int64(user) else {
      throw Refusal(.forbidden, "FORBIDDEN", "Cannot modify another user's collection.")
    }
    guard let list = BottleList(rawValue: try call.parameter("list")) else {
      throw Refusal(.notFound, "NOT_FOUND", "Collection not found.")
    }
    return list
  }
}

/// A list of bottles that each person has.
enum BottleList: String, Sendable {
  /// The favourites.
  case favourites = "default"
  case library
}

/// One bottle on a list.
struct ListedBottle: Sendable {
  let id: Int64
  let bottle: Int64
  let status: String?
}

extension Transaction {
  /// The statements that make the tables of lists, tags and terms.
  static let listSchema = [
    """
    CREATE TABLE IF NOT EXISTS collectionRows (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
      list TEXT NOT NULL, bottle INTEGER NOT NULL, status TEXT, UNIQUE (userId, list, bottle))
    """,
    "CREATE TABLE IF NOT EXISTS tags (name TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS terms (userId TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID",
  ]

  func listedBottles(
    _ list: BottleList,
    of owner: String,
    id: Int64? = nil
  ) throws -> [ListedBottle] {
    try rows(
      """
      SELECT id, bottle, status FROM collectionRows
      WHERE userId = ? AND list = ? AND (? IS NULL OR id = ?) ORDER BY bottle, id
      """,
      [owner, list.rawValue, id, id]
    ).map { ListedBottle(id: $0[0], bottle: $0[1], status: $0[2]) }
  }

  func listedBottle(_ id: Int64) throws -> ListedBottle {
    let row = try row("SELECT id, bottle, status FROM collectionRows WHERE id = ?", [id])
    guard let row else { throw Refusal.internalError("the row is not there") }
    return ListedBottle(id: row[0], bottle: row[1], status: row[2])
  }

  /// Adds a bottle to a list of the account; answers the row's number.
  func addListedBottle(_ bottle: Int64, to list: BottleList) throws -> Int64 {
    try run(
      "INSERT INTO collectionRows (userId, list, bottle) VALUES (?, ?, ?)",
      [try signedInAccount().id, list.rawValue, bottle]
    )
    return database.lastInsertedRowID
  }

  func setStatus(_ status: JSONValue, of id: Int64) throws {
    try run("UPDATE collectionRows SET status = ? WHERE id = ?", [status.text, id])
  }

  /// A row as an answer has it.
  func shown(_ row: ListedBottle) throws -> JSONValue {
    let tasted = try count(
      "SELECT COUNT(*) FROM tastingRows WHERE kind = 'tasting' AND parent = ? AND userId = ?",
      [row.bottle, try signedInAccount().id]
    )
    return [
      "id": .whole(row.id), "imageUrl": .null, "status": .text(row.status),
      "bottle": ["id": .whole(row.bottle), "fullName": .string("Bottle \(row.bottle)")],
      "hasTasted": .boolean(tasted > 0),
    ]
  }

  func addTag(_ name: String) throws {
    try run("INSERT OR IGNORE INTO tags (name) VALUES (?)", [name.lowercased()])
  }

  /// Whether each of these tags is known.
  func knowsTags(_ names: [String]) throws -> Bool {
    try names.allSatisfy { name in
      try count("SELECT COUNT(*) FROM tags WHERE name = ?", [name]) > 0
    }
  }

  /// All bottles on lists of all accounts, for tests.
  func dumpedCollectionRows() throws -> [JSONValue] {
    try rows(
      "SELECT userId, list, bottle, status FROM collectionRows ORDER BY userId, list, bottle"
    )
    .map { row in
      [
        "person": try person(row[0])["id"] ?? .null, "list": .string(row[1]),
        "bottle": .whole(row[2] as Int64), "status": .text(row[3]),
      ]
    }
  }
}
