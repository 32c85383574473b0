import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Friends and toasts as the app's own backend has them.
  ///
  /// Asking again changes nothing, most answers name no one, and a toast cannot be rolled back.
  func addTies(to router: Router<RouteContext>) {
    add(.get, "/v1/friends", to: router) { call, transaction in
      try page(of: .friend, call, transaction) { ["status": "pending", "user": $0] }
    }
    add(.put, "/v1/friends/:id", to: router) { call, transaction in
      try transaction.tie(.friend, to: try someone(call, transaction, "friend"))
      return .json(["status": "pending"])
    }
    add(.delete, "/v1/friends/:id", to: router) { call, transaction in
      try transaction.untie(.friend, from: try someone(call, transaction, "unfriend"))
      return .json(["status": "none"])
    }
    add(.post, "/v1/tastings/:id/toast", to: router) { call, transaction in
      guard let id = Int64(try call.parameter("id")),
        let row = try transaction.tastingRow(id, .tasting)
      else { throw Refusal(.notFound, "NOT_FOUND", "Tasting not found.") }
      guard row.owner != (try transaction.signedInAccount().id) else {
        throw Refusal(.badRequest, "BAD_REQUEST", "Cannot toast your own tasting.")
      }
      try transaction.tie(.toast, to: id)
      return .json([:])
    }
  }

  /// The number of the person that a request is about: known, and not the one who asks.
  private func someone(
    _ call: Call,
    _ transaction: Transaction,
    _ verb: String
  ) throws -> Int64 {
    guard let number = Int64(try call.parameter("id")), try transaction.knowsPerson(number) else {
      throw Refusal(.notFound, "NOT_FOUND", "User not found.")
    }
    let own = try transaction.person(try transaction.signedInAccount().id)["id"]?.integer
    guard own != number else {
      throw Refusal(.badRequest, "BAD_REQUEST", "Cannot \(verb) yourself.")
    }
    return number
  }

  private static func person(_ number: Int64) -> JSONValue {
    ["id": .whole(number), "username": .string("user-\(number)")]
  }

  private func page(
    of kind: Tie,
    _ call: Call,
    _ transaction: Transaction,
    _ row: (JSONValue) -> JSONObject
  ) throws -> Answer {
    let limit = call.number("limit", fallback: 25, within: 1...100)
    let page = call.number("cursor", fallback: 1, within: 1...1_000_000)
    let ties = try transaction.ties(kind, limit: limit, page: page)
    let results = ties.prefix(limit).map { tie -> JSONValue in
      var object = row(Self.person(tie.other))
      object["createdAt"] = .string(tie.since.text)
      return .object(object)
    }
    return .json([
      "results": .array(results),
      "rel": [
        "nextCursor": ties.count > limit ? .whole(page + 1) : .null,
        "prevCursor": page > 1 ? .whole(page - 1) : .null,
      ],
    ])
  }
}
