import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import Synchronization
import UploadPlanning

/// Many requests, packed into one.
struct PackedRequests {
  let call: Call
  /// The path of each, from the root of the address.
  let paths: [String]
}

/// The batch routes that a destination refused, so that records go one by one.
final class RefusedBatches: Sendable {
  private let routes = Mutex<Set<Route>>([])

  func insert(_ route: Route) { routes.withLock { _ = $0.insert(route) } }

  func contains(_ route: Route) -> Bool { routes.withLock { $0.contains(route) } }
}

extension RESTDestination {
  /// Packs requests into one; `nil` where one of them cannot be a part of it.
  func packed(_ calls: [Call], _ batch: RequestBatch) -> PackedRequests? {
    var requests: [JSONValue] = []
    var paths: [String] = []
    for (number, call) in calls.enumerated() {
      // A form is no part of a batch, whatever texts it has.
      guard let call = call.prepared(nil), let path = HTTPExchanger.path(of: call) else {
        return nil
      }
      paths.append(origin.path + path)
      guard let request = Self.request(call, paths[number], number, batch.parts) else {
        return nil
      }
      requests.append(request)
    }
    return PackedRequests(call: Self.call(requests, batch), paths: paths)
  }

  private static func call(_ requests: [JSONValue], _ batch: RequestBatch) -> Call {
    var body = JSONObject()
    body[batch.requests] = .array(requests)
    return Call(route: batch.route, body: .json(JSONValue.object(body).canonicalBytes))
  }

  /// One request of a batch.
  ///
  /// The names of its headers are in lower case, as OData wants them,
  /// <https://docs.oasis-open.org/odata/odata-json-format/v4.01/odata-json-format-v4.01.html#sec_BatchRequest>; to others
  /// their case means nothing.
  private static func request(
    _ call: Call,
    _ path: String,
    _ number: Int,
    _ parts: RequestBatch.RequestParts
  ) -> JSONValue? {
    var request = JSONObject()
    request.set(.string(call.route.method.rawValue), at: parts.method.names[...])
    request.set(.string(path), at: parts.path.names[...])
    if let id = parts.id { request.set(.string("\(number)"), at: id.names[...]) }
    var headers = JSONObject()
    switch call.body {
    case .nothing: break
    case .json(let bytes):
      guard let body = JSONObject(parsing: bytes) else { return nil }
      if !call.headers.contains(name: "Content-Type") {
        headers["content-type"] = "application/json"
      }
      request.set(.object(body), at: parts.body.names[...])
    case .bytes, .long, .file, .form: return nil
    }
    for (name, value) in call.headers { headers[name.lowercased()] = .string(value) }
    if !headers.isEmpty { request.set(.object(headers), at: parts.headers.names[...]) }
    return .object(request)
  }

  /// An answer inside of an answer, read like one that came alone.
  func exchange(_ inner: InnerAnswer, to route: Route, _ outer: Exchange) -> Exchange {
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    for member in inner.headers.members {
      if let text = member.value.shortText { headers.replaceOrAdd(name: member.name, value: text) }
    }
    let answer = HTTPAnswer(
      status: inner.status,
      headers: headers,
      body: inner.body?.canonicalBytes ?? []
    )
    let meaning = Meaning(
      of: answer,
      to: "\(route)",
      redaction: outer.redaction,
      now: http.now(),
      meanings: api.meanings
    )
    return Exchange(answer, meaning: meaning, redaction: outer.redaction)
  }

  /// Whether the destination takes no batches at all from the account: from then on, records go one by one.
  func isRefused(_ exchange: Exchange, _ route: Route) -> Bool {
    guard exchange.status == 403, case .refused(.forbidden) = exchange.meaning else { return false }
    refusedBatches.insert(route)
    return true
  }

  /// Looks whether the destination takes batches, by one that holds no request, where the profile says that
  /// this shows it.
  func batchChecks() async -> [DestinationCheck] {
    var checks: [DestinationCheck] = []
    var seen: Set<Route> = []
    for entity in api.entities {
      guard let batch = entity.create?.requestBatch, batch.isProbed, batch.limit > 1,
        seen.insert(batch.route).inserted
      else { continue }
      checks.append(await check(batch))
    }
    return checks
  }

  private func check(_ batch: RequestBatch) async -> DestinationCheck {
    let name = "batches"
    let exchange = await exchange(Self.call([], batch))
    if isRefused(exchange, batch.route), case .refused(let error) = exchange.meaning {
      return DestinationCheck(
        name,
        .fits,
        "the destination refuses \(batch.route) (\(error)): records go one by one",
        cure: "allow batches at the destination to send up to \(batch.limit) records in one request"
      )
    }
    switch exchange.meaning {
    case .done, .faulty(status: 400, _, _), .faulty(status: 422, _, _):
      return DestinationCheck(name, .fits, "up to \(batch.limit) records go in one request")
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      return DestinationCheck(name, exchange.error(request: batch.route, origin: origin))
    }
  }
}

extension JSONObject {
  /// Puts a value at a path of members, and makes the objects on the way there.
  fileprivate mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
    guard let name = path.first else { return }
    guard path.count > 1 else {
      self[name] = value
      return
    }
    var inner = self[name]?.object ?? JSONObject()
    inner.set(value, at: path.dropFirst())
    self[name] = .object(inner)
  }
}

extension OutgoingBatch.Item {
  /// The same with another body.
  func holding(_ body: JSONObject) -> OutgoingBatch.Item {
    holding(body: JSONValue.object(body).canonicalBytes)
  }
}
