import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Custom story events: list, create, read, change, delete.
  func addCustomEvents(to router: Router<RouteContext>) {
    add(.get, "/api/v1/custom-events", to: router, work: listEvents)
    add(.post, "/api/v1/custom-events", to: router, work: createEvent)
    add(.get, "/api/v1/custom-events/:eventId", to: router) { call, transaction in
      .data(try Table.customEvents.object(try event(call, transaction)))
    }
    add(.patch, "/api/v1/custom-events/:eventId", to: router) { call, transaction in
      let values = try RequestForm.changedEvent.values(of: try call.object())
      let row = try event(call, transaction)
      try transaction.useChange(configuration.limits)
      try transaction.update(row[0], of: .customEvents, with: values)
      let changed = try event(call, transaction)
      return .data(
        try Table.customEvents.object(changed),
        "Custom event updated successfully"
      )
    }
    add(.delete, "/api/v1/custom-events/:eventId", to: router) { call, transaction in
      let row = try event(call, transaction)
      // Stories of the event stay, without it.
      try transaction.run("DELETE FROM customEvents WHERE id = ?", [row[0] as String])
      return .data(["id": .string(row[0])], "Custom event deleted successfully")
    }
  }

  private func event(_ call: Call, _ transaction: Transaction) throws -> Row {
    try transaction.ownRow(
      try call.parameter("eventId"),
      of: .customEvents,
      called: "custom event"
    )
  }

  /// The list has its own order, keeps no bounds for its pages and knows no `updatedAfter`.
  @Sendable
  private func listEvents(_ call: Call, _ transaction: Transaction) throws -> Answer {
    guard let limit = Int(call.query["limit"] ?? "50"), limit >= 0,
      let offset = Int(call.query["offset"] ?? "0"), offset >= 0
    else { throw Refusal.internalError("limit and offset must be whole numbers") }
    var filter = RowFilter(account: try transaction.signedInAccount())
    if let category = call.query["category"], !category.isEmpty {
      filter.add("category = ?", [category])
    }
    if call.query["favoritesOnly"] == "true" { filter.add("isFavorite = 1") }
    return try transaction.list(
      of: .customEvents,
      filter,
      Paging(limit: limit, offset: offset),
      order: "isFavorite DESC, usageCount DESC, createdAt DESC, id"
    ) { _ in [:] }
  }

  @Sendable
  private func createEvent(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    let missing = ["title", "promptSeed"].filter { body[$0]?.isTruthy != true }
    guard missing.isEmpty else {
      throw Refusal.validation("Missing required fields: \(missing.joined(separator: ", "))")
    }
    for (name, words, length) in Self.eventLimits {
      let fault = FieldRule.text(1...length).fault(of: body[name] ?? .null)
      guard fault == nil else {
        throw Refusal.validation("\(words) must be between 1 and \(length) characters")
      }
    }
    let limits = configuration.limits
    try transaction.use("event_creation", limit: limits.eventCreations, window: limits.window)
    var values: [String: JSONValue] = [:]
    for name in Self.newEventFields {
      if let value = body[name], value.isTruthy { values[name] = value }
    }
    let id = try transaction.insert(values, into: .customEvents)
    let row = try transaction.ownRow(id, of: .customEvents, called: "custom event")
    return .data(
      try Table.customEvents.object(row),
      "Custom event created successfully",
      status: .created
    )
  }

  private static let eventLimits = [("title", "Title", 200), ("promptSeed", "Prompt seed", 2_000)]

  /// What a new event may say; how often it was used and whether it is liked is not among it.
  private static let newEventFields = [
    "title", "description", "promptSeed", "category", "ageRange", "tone", "keywords",
  ]
}
