import JSONText
import NIOHTTP1
import Profiles
import UploadPlanning

// MARK: - Many requests in one

extension RESTDestination {
  /// Wraps the request of each item up in one, and reads the answer of each.
  ///
  /// An answer counts for an item only when as many came as were asked for and it stands for the
  /// item's own path. One 409 among them spoils them all: a server may take back, without a word,
  /// what it had said to be stored before it.
  func create(
    _ items: [OutgoingBatch.Item],
    _ create: SingleCreate,
    _ batch: RequestBatch,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    guard items.count <= max(batch.limit, 1) else {
      return BatchAnswer(
        whole: .splittable(reason: "\(items.count) items, and \(batch.limit) are the most")
      )
    }
    var requests: [JSONValue] = []
    var paths: [String] = []
    for item in items {
      guard let path = Wire.path(of: Self.call(item, create)),
        let request = Self.request(Self.call(item, create), path: origin.path + path)
      else {
        // It is refused alone, with its reason.
        return items.count == 1
          ? await oneByOne(items) { item in await self.create(item, create, entity) }
          : BatchAnswer(whole: .splittable(reason: "an item cannot be part of a request"))
      }
      requests.append(request)
      paths.append(origin.path + path)
    }
    var body = JSONObject()
    body[batch.requests] = .array(requests)
    let call = Call(route: batch.route, body: .json(JSONValue.object(body).canonicalBytes))
    let exchange = await exchange(call)
    guard case .done(let answer) = exchange.meaning else {
      return Self.answer(
        exchange.meaning,
        for: items,
        route: batch.route,
        status: exchange.status
      )
    }
    let responses = answer?.value.value(at: batch.responses)?.array ?? []
    guard responses.count == items.count,
      zip(responses, paths).allSatisfy({ Self.stands($0, for: $1) })
    else {
      return BatchAnswer(whole: .unknown(reason: "the answers are not those to the requests"))
    }
    if responses.contains(where: { $0["status"]?.integer == 409 }) {
      return BatchAnswer(
        whole: .unknown(reason: "one of the requests met a conflict, which may undo the others")
      )
    }
    return outcomes(of: items, responses, exchange.redaction, create, entity)
  }

  private func outcomes(
    of items: [OutgoingBatch.Item],
    _ responses: [JSONValue],
    _ redaction: Redaction,
    _ create: SingleCreate,
    _ entity: EntityApi
  ) -> BatchAnswer {
    var outcomes: [Int64: ItemOutcome] = [:]
    var pause: Duration?
    for (item, response) in zip(items, responses) {
      let inner = exchange(of: response, to: create.route, redaction)
      switch read(inner, for: item, create, entity) {
      case .outcome(let outcome): outcomes[item.operation] = outcome
      case .whole(.refused(let reason), _): return .refused(reason)
      case .whole(let whole, let wished):
        outcomes[item.operation] = .deferred(reason: "\(whole)")
        pause = [pause, wished].compactMap { $0 }.max()
      }
    }
    return BatchAnswer(outcomes: outcomes, pause: pause)
  }

  /// An answer inside of an answer, read like one that came alone.
  private func exchange(
    of response: JSONValue,
    to route: Route,
    _ redaction: Redaction
  ) -> Exchange {
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    for member in response["headers"]?.object?.members ?? [] {
      if let text = member.value.shortText { headers.replaceOrAdd(name: member.name, value: text) }
    }
    let answer = HTTPAnswer(
      status: Int(response["status"]?.integer ?? 0),
      headers: headers,
      body: response["body"]?.canonicalBytes ?? []
    )
    let meaning = Meaning(of: answer, to: "\(route)", redaction: redaction, now: wire.now())
    return Exchange(
      meaning: meaning,
      status: answer.status,
      headers: headers,
      redaction: redaction
    )
  }

  private static func request(_ call: Call, path: String) -> JSONValue? {
    guard case .json(let bytes) = call.body, let body = object(bytes) else { return nil }
    var headers = JSONObject()
    headers["Content-Type"] = "application/json"
    for (name, value) in call.headers { headers[name] = .string(value) }
    return [
      "method": .string(call.route.method.rawValue), "path": .string(path),
      "headers": .object(headers), "body": .object(body),
    ]
  }

  private static func stands(_ response: JSONValue, for path: String) -> Bool {
    guard response["status"]?.integer != nil else { return false }
    guard let named = response["path"]?.text else { return true }
    return named == path
  }
}

// MARK: - Many rows in one request

extension RESTDestination {
  /// Sends the rows in one request, which makes all of them or none, each under its own identity.
  func create(
    _ items: [OutgoingBatch.Item],
    _ create: RowBatch,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    guard items.count <= max(create.limit, 1) else {
      return BatchAnswer(
        whole: .splittable(reason: "\(items.count) items, and \(create.limit) are the most")
      )
    }
    var rows: [JSONValue] = []
    for item in items {
      guard var row = Self.object(item.body), let name = entity.id.names.last else {
        return Self.faulty(items, code: "body.form", reason: "an item is no JSON object")
      }
      row[name] = .string(item.clientID)
      rows.append(.object(row))
    }
    var body = JSONObject()
    body[create.rows] = .array(rows)
    var call = Call(route: create.route, body: .json(JSONValue.object(body).canonicalBytes))
    if let header = create.keyHeader { call.headers.add(name: header, value: Self.key(of: items)) }
    let exchange = await exchange(call).heeding(Envelope())
    guard case .done = exchange.meaning else {
      if items.count == 1, case .faulty(let status, _, let reason) = exchange.meaning,
        create.exists?.matches(status: status, reason: reason) == true
      {
        return BatchAnswer(outcomes: [items[0].operation: .exists])
      }
      return Self.answer(
        exchange.meaning,
        for: items,
        route: create.route,
        status: exchange.status
      )
    }
    return BatchAnswer(
      outcomes: Dictionary(
        items.map { ($0.operation, .stored(serverID: $0.clientID, version: nil)) },
        uniquingKeysWith: { first, _ in first }
      )
    )
  }
}
