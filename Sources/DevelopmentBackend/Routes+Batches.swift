import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Batches, by which existing heroes and stories arrive: up to 100, each answered by itself.
  ///
  /// An item says its own id as `id`. The server answers with it as `localId` and forgets it, so
  /// a batch that is sent again doubles its rows.
  ///
  /// A batch is one transaction of the database all the same. What the database refuses rolls all of it
  /// back: the answer then calls made what had gone before, and has everything else fail.
  func addBatches(to router: Router<RouteContext>) {
    add(.post, "/api/batch", to: router) { call, transaction in
      try batch("heroes", label: "name", call, transaction) { item in
        try transaction.insert(try heroValues(item), into: .heroes)
      }
    }
    add(.post, "/api/batch/stories", to: router) { call, transaction in
      let account = try transaction.signedInAccount()
      return try batch("stories", label: "title", call, transaction) { item in
        let values = try storyValues(item, call)
        guard let hero = item["heroId"]?.text,
          let owner = try transaction.row("SELECT userId FROM heroes WHERE id = ?", [hero]),
          owner[0] == account.id
        else { throw Refusal.notFound("Hero not found or unauthorized") }
        return try transaction.insert(values, into: .stories)
      }
    }
  }

  private func batch(
    _ name: String,
    label: String,
    _ call: Call,
    _ transaction: Transaction,
    create: (JSONObject) throws -> String
  ) throws -> Answer {
    guard let body = call.json else { throw Refusal.internalError("The body is not valid JSON") }
    guard let items = body[name]?.array else {
      throw Refusal.validation("Invalid request: \(name) must be an array")
    }
    guard items.count <= 100 else {
      throw Refusal.validation("Batch size too large: maximum 100 \(name) per request")
    }
    let limits = configuration.limits
    try transaction.use("batch", limit: limits.batches, window: limits.window)
    guard items.count * configuration.batchItemTime <= Self.longestTransaction else {
      throw Refusal.internalError(Self.expiredTransaction)
    }
    var created: [JSONValue] = []
    var failed: [JSONValue] = []
    try transaction.database.inSavepoint {
      var isAborted = false
      for item in items {
        let object = item.object ?? [:]
        var line = JSONObject()
        line["localId"] = object["id"]
        line[label] = object[label]
        do {
          guard item.object != nil else { throw Refusal.validation("The item is not an object") }
          guard !isAborted else {
            throw Refusal.database("current transaction is aborted, commands ignored until its end")
          }
          line["serverId"] = .string(try create(object))
          created.append(.object(line))
        } catch let refusal as Refusal {
          isAborted = isAborted || refusal.abortsTransaction
          line["error"] = .string(refusal.message)
          failed.append(.object(line))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
          isAborted = true
          line["error"] = "Foreign key constraint violated: \(error.message ?? "")"
          failed.append(.object(line))
        }
      }
      return isAborted ? .rollback : .commit
    }
    return summary(created: created, failed: failed, total: items.count)
  }

  private func summary(created: [JSONValue], failed: [JSONValue], total: Int) -> Answer {
    func number(_ count: Int) -> JSONValue { .whole(count) }
    return .json([
      "success": .boolean(failed.isEmpty), "created": number(created.count),
      "failed": number(failed.count), "total": number(total),
      "results": [
        "created": .array(created), "failed": .array(failed), "total": number(total),
      ],
    ])
  }

  /// A hero's values; the batch takes the avatar and passes over the appearance.
  private func heroValues(_ item: JSONObject) throws -> [String: JSONValue] {
    var values: [String: JSONValue] = [:]
    for name in Self.batchHeroFields { values[name] = item[name] }
    if values["traits"]?.isTruthy != true { values["traits"] = [] }
    guard configuration.checksBatchLimits else { return values }
    for field in RequestForm.newHero.fields where field.name != "traits" {
      guard let value = values[field.name], !value.isNull else { continue }
      if let fault = field.rule.fault(of: value) {
        throw Refusal.validation("\(field.name): \(fault)")
      }
    }
    let traits = FieldRule.texts(count: 0...20, length: 100)
    if let fault = traits.fault(of: values["traits"] ?? .null) {
      throw Refusal.validation("traits: \(fault)")
    }
    return values
  }

  /// A story's values; the times, the plays and the pictures that it had are passed over.
  private func storyValues(_ item: JSONObject, _ call: Call) throws -> [String: JSONValue] {
    var values: [String: JSONValue] = [:]
    for name in Self.batchStoryFields { values[name] = item[name] }
    for name in ["language", "isFavorite"] where values[name]?.isTruthy != true {
      values[name] = nil as JSONValue?
    }
    if let address = values["audioUrl"], address.isTruthy {
      guard let text = address.text, text.hasPrefix(publicMediaAddress(for: call)) else {
        throw Refusal.validation("Invalid audioUrl: must be a valid storage URL")
      }
    }
    return values
  }

  /// What every media address begins with.
  func publicMediaAddress(for call: Call) -> String {
    configuration.publicMediaAddress ?? "\(call.origin)/media"
  }

  /// How long a transaction may take, in milliseconds, unless a server is set up otherwise:
  /// <https://www.prisma.io/docs/orm/prisma-client/queries/transactions>.
  private static let longestTransaction = 5_000

  private static let expiredTransaction =
    "Transaction API error: Transaction already closed: A query cannot be executed on an expired "
    + "transaction. The timeout for this transaction was \(longestTransaction) ms"

  private static let batchHeroFields = [
    "name", "age", "traits", "specialAbilities", "avatarUrl", "avatarPrompt",
    "avatarGenerationId", "hairColor", "eyeColor", "skinTone", "height",
  ]

  private static let batchStoryFields = [
    "heroId", "title", "content", "eventType", "customEventId", "language", "isFavorite",
    "audioUrl", "audioDuration",
  ]
}
