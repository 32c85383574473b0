import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// Collections of any JSON objects, under ids that the client chooses, with strong entity tags.
  func addCollections(to router: Router<RouteContext>) {
    let one: RouterPath = "/collections/:collection/records/:id"
    add(.get, "/collections/:collection/records", to: router, work: listRecords)
    add(.post, "/collections/:collection/batch", to: router, work: batchRecords)
    add(.get, one, to: router) { call, transaction in
      let id = try recordID(call)
      let record = try transaction.record(id, in: try collection(call))
      guard let record, record.data != nil else { throw Refusal.notFound("No such record") }
      return Answer.json(.object(record.object)).with(.eTag, record.tag)
    }
    add(.put, one, to: router) { call, transaction in
      shown(
        try transaction.putRecord(
          try recordID(call),
          in: try collection(call),
          try call.object(),
          if: try condition(call)
        )
      )
    }
    add(.patch, one, to: router) { call, transaction in
      shown(
        try transaction.patchRecord(
          try recordID(call),
          in: try collection(call),
          try call.object(),
          if: try condition(call)
        )
      )
    }
    add(.delete, one, to: router) { call, transaction in
      shown(
        try transaction.deleteRecord(
          try recordID(call),
          in: try collection(call),
          if: try condition(call)
        )
      )
    }
  }

  private func shown(_ outcome: Transaction.StoringOutcome) -> Answer {
    Answer.json(.object(outcome.record.object), status: outcome.status)
      .with(.eTag, outcome.record.tag)
  }

  private func condition(_ call: Call) throws -> RecordCondition {
    try RecordCondition(
      ifNoneMatch: call.headers[.ifNoneMatch],
      ifMatch: call.headers[.ifMatch]
    )
  }

  private func collection(_ call: Call) throws -> String {
    let name = try call.parameter("collection")
    let isGood = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isGood, name.utf8.count <= 64 else {
      throw Refusal.validation("A collection's name has up to 64 letters, digits, - _ and .")
    }
    return name
  }

  private func recordID(_ call: Call) throws -> String {
    try checkedID(try call.parameter("id"))
  }

  private func checkedID(_ id: String) throws(Refusal) -> String {
    guard (1...255).contains(id.utf8.count), id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { throw .validation("A record's id has 1 to 255 bytes and no control characters") }
    return id
  }

  /// Records by id; with `since`, only what changed after that version, deletions included.
  @Sendable
  private func listRecords(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let limit = call.number("limit", fallback: 100, within: 1...1_000)
    var condition = "userId = ? AND collection = ?"
    var arguments: StatementArguments = [
      try transaction.signedInAccount().id, try collection(call),
    ]
    if let since = call.query["since"] {
      guard let version = Int64(since) else {
        throw Refusal.validation("since: must be a version")
      }
      condition += " AND version > ?"
      arguments += [version]
    } else {
      condition += " AND body IS NOT NULL"
    }
    let total = try transaction.count(
      "SELECT COUNT(*) FROM records WHERE \(condition)",
      arguments
    )
    if let after = call.query["after"] {
      condition += " AND id > ?"
      arguments += [after]
    }
    let rows = try transaction.rows(
      "SELECT id, version, updatedAt, body FROM records WHERE \(condition) ORDER BY id LIMIT ?",
      arguments + [limit + 1]
    )
    let records = try rows.prefix(limit).map { try StoredRecord($0) }
    let next = rows.count > limit ? records.last?.id : nil
    let answer = Answer.json([
      "records": .array(records.map { .object($0.object) }),
      "next": .text(next), "total": .whole(total),
    ])
    guard let name = HTTPField.Name("Total-Records") else { return answer }
    return answer.with(name, "\(total)")
  }

  /// Up to 100 changes, each with a status of its own; the ones that hold are committed together.
  @Sendable
  private func batchRecords(_ call: Call, _ transaction: Transaction) throws -> Answer {
    guard let items = try call.object()["items"]?.array else {
      throw Refusal.validation("items: must be an array")
    }
    guard items.count <= 100 else {
      throw Refusal.validation("items: at most 100 in a batch")
    }
    let limits = configuration.limits
    try transaction.use("batch", limit: limits.batches, window: limits.window)
    let collection = try collection(call)
    let results = try items.map { item in
      JSONValue.object(try result(of: item, in: collection, transaction))
    }
    return .json(["results": .array(results)])
  }

  private func result(
    of item: JSONValue,
    in collection: String,
    _ transaction: Transaction
  ) throws -> JSONObject {
    var result: JSONObject = ["id": item["id"] ?? .null]
    do {
      let outcome = try outcome(of: item, in: collection, transaction)
      result["status"] = .whole(outcome.status.code)
      result["version"] = .whole(outcome.record.version)
    } catch let refusal as Refusal {
      result["status"] = .whole(refusal.status.code)
      result["error"] = ["code": .string(refusal.code), "message": .string(refusal.message)]
      result["version"] = refusal.current?["version"]
      result["current"] = refusal.current.map { .object($0) }
    }
    return result
  }

  private func outcome(
    of item: JSONValue,
    in collection: String,
    _ transaction: Transaction
  ) throws -> Transaction.StoringOutcome {
    let id = try checkedID(item["id"]?.text ?? "")
    let condition = try RecordCondition(
      ifNoneMatch: item["ifNoneMatch"]?.isTruthy == true ? "*" : nil,
      ifMatch: item["ifMatch"].flatMap { Self.tag($0) }
    )
    let method = item["method"]?.text ?? "PUT"
    if method == "DELETE" {
      return try transaction.deleteRecord(id, in: collection, if: condition)
    }
    guard let data = item["data"]?.object else {
      throw Refusal.validation("data: must be an object")
    }
    return switch method {
    case "PUT": try transaction.putRecord(id, in: collection, data, if: condition)
    case "PATCH": try transaction.patchRecord(id, in: collection, data, if: condition)
    default: throw Refusal.validation("method: must be PUT, PATCH or DELETE")
    }
  }

  /// A version from a batch item, written as a number or as an entity tag.
  private static func tag(_ value: JSONValue) -> String? {
    value.integer.map { "\"\($0)\"" } ?? value.text
  }
}
