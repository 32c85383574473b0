import GRDB
import HTTPTypes
import Hummingbird
import JSONText

extension Routes {
  /// What only a server for development has: its state, its rows, its faults.
  func addDevelopment(to router: Router<RouteContext>) {
    add(.get, "/__dev/state", to: router, for: .anybody, work: state)
    add(.get, "/__dev/dump", to: router, for: .anybody) { _, transaction in
      .json(.object(try transaction.dump(isStrict: try isStrict(transaction))))
    }
    add(.get, "/__dev/changes", to: router, for: .anybody) { _, _ in
      .json(["changes": .array(observation.changes.map(\.json))])
    }
    add(.put, "/__dev/faults", to: router, for: .anybody) { call, _ in
      do throws(FaultPlanError) {
        observation.replaceFaults(try FaultPlan(parsing: String(buffer: call.body)))
      } catch {
        throw Refusal.validation(error.description)
      }
      return .json(["faults": faults])
    }
    add(.post, "/__dev/account", to: router, for: .anybody, work: addAccount)
    add(.post, "/__dev/rows", to: router, for: .anybody, work: addRows)
    add(.post, "/__dev/reset", to: router, for: .anybody) { _, transaction in
      for name in Transaction.cleared { try transaction.run("DELETE FROM \(name)") }
      return .json(["success": true])
    }
  }

  private var faults: JSONValue {
    .array(
      observation.summary.rules.map { watched in
        [
          "rule": .string(watched.rule.description),
          "seen": .whole(watched.seenCount),
          "fired": .whole(watched.firedCount),
        ]
      }
    )
  }

  @Sendable
  private func state(_ call: Call, _ transaction: Transaction) throws -> Answer {
    var tables = JSONObject()
    for name in Transaction.counted {
      let filter =
        switch name {
        case "records": " WHERE body IS NOT NULL"
        case "cloudRecords": " WHERE fields IS NOT NULL"
        case "syncRows": " WHERE NOT isDeleted"
        default: ""
        }
      let count = try transaction.count("SELECT COUNT(*) FROM \(name)\(filter)")
      tables[name] = .whole(count)
    }
    let generated = try transaction.count(
      "SELECT COUNT(*) FROM usage WHERE operation = 'story_generation'"
    )
    let summary = observation.summary
    var requests = JSONObject()
    for (pattern, count) in summary.requests {
      requests[pattern] = .whole(count)
    }
    let total = summary.requests.values.reduce(0, +)
    return .json([
      "tables": .object(tables), "requests": .object(requests),
      "requestCount": .whole(total),
      "writes": .whole(summary.writeCount), "mostAtOnce": .whole(summary.mostAtOnce),
      "generatedStories": .whole(generated), "faults": faults,
    ])
  }

  @Sendable
  private func addAccount(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    guard let email = body["email"]?.text, let password = body["password"]?.text else {
      throw Refusal.validation("email and password are required")
    }
    guard try transaction.account(email: email) == nil else {
      throw Refusal(.conflict, "Conflict", "The account exists")
    }
    let account = try transaction.createAccount(email: email, password: password)
    let session = try transaction.openSession(
      for: account,
      lifetime: configuration.tokenLifetime
    )
    return .json(
      [
        "id": .string(account.id), "email": .string(email), "token": .string(session.token),
      ],
      status: .created
    )
  }

  /// Adds rows as they are, ids and times included, past every limit.
  @Sendable
  private func addRows(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    guard let account = try transaction.account(email: body["account"]?.text ?? "") else {
      throw Refusal.notFound("account: no such e-mail address")
    }
    try transaction.act(for: account)
    var ids = JSONObject()
    for table in Table.all {
      guard let rows = body[table.name]?.array else { continue }
      ids[table.name] = .array(
        try rows.map { row in
          var values: [String: JSONValue] = [:]
          for member in row.object?.members ?? [] { values[member.name] = member.value }
          return .string(try transaction.insert(values, into: table))
        }
      )
    }
    for record in body["records"]?.array ?? [] {
      guard let collection = record["collection"]?.text, let id = record["id"]?.text,
        let data = record["data"]?.object
      else { throw Refusal.validation("records: collection, id and data are required") }
      _ = try transaction.putRecord(
        id,
        in: collection,
        data,
        if: try RecordCondition(ifNoneMatch: nil, ifMatch: nil)
      )
    }
    return .json(["ids": .object(ids)], status: .created)
  }
}

extension Observation.Change {
  private static let largestBody = 65_536

  /// A call as it arrived.
  init(_ call: Call) {
    self.init(
      method: call.method.rawValue,
      path: call.path,
      ifMatch: call.headers[.ifMatch],
      ifNoneMatch: call.headers[.ifNoneMatch],
      size: call.body.readableBytes,
      body: call.body.readableBytes > Self.largestBody ? nil : call.body
    )
  }

  /// The body is JSON as text; anything else comes as its size.
  fileprivate var json: JSONValue {
    let text = body.flatMap { try? JSONValue(parsing: $0.readableBytesView) }?.canonicalText
    return [
      "method": .string(method), "path": .string(path), "ifMatch": .text(ifMatch),
      "ifNoneMatch": .text(ifNoneMatch), "body": .string(text ?? "\(size) bytes"),
    ]
  }
}
