import JSONText
import NIOHTTP1
import Profiles
import UploadPlanning

// MARK: - Changes and removals

extension RESTDestination {
  func update(
    _ item: OutgoingBatch.Item,
    _ route: UpdateRoute,
    _ entity: EntityApi
  ) async -> ItemResult {
    guard let serverID = item.serverID else { return .withoutIdentity }
    var call = Call(
      route: route.route,
      values: ["id": serverID],
      body: .json(Self.wrapped(Self.body(item, route), in: route.wrap))
    )
    if route.ifMatch { call.headers.add(name: "If-Match", value: Self.entityTag(item.version)) }
    let exchange = await exchange(call).heeding(Envelope(of: entity, at: route.item))
    guard case .done(let body) = exchange.meaning else {
      return ItemResult(exchange, faulty: change)
    }
    let answer = body?.value
    let row = answer?.value(at: route.item)
    if row?.value(at: entity.id) == nil, answer?["ok"]?.boolean == true {
      // Some say no more than that it is done.
      return .outcome(.stored(serverID: serverID, version: nil))
    }
    return stored(row, exchange, entity, expecting: serverID)
  }

  /// The change, with the version that it expects where the destination takes that as a member.
  ///
  /// A whole number is sent as one.
  private static func body(_ item: OutgoingBatch.Item, _ route: UpdateRoute) -> [UInt8] {
    guard let name = route.version, let version = item.version, var body = object(item.body) else {
      return item.body
    }
    let number = Int64(version).flatMap { "\($0)" == version ? JSONNumber($0) : nil }
    body[name] = number.map { .number($0) } ?? .string(version)
    return JSONValue.object(body).canonicalBytes
  }

  func delete(_ item: OutgoingBatch.Item, _ route: DeleteRoute) async -> ItemResult {
    guard let serverID = item.serverID else { return .withoutIdentity }
    var call = Call(route: route.route, values: ["id": serverID])
    if route.ifMatch { call.headers.add(name: "If-Match", value: Self.entityTag(item.version)) }
    let exchange = await exchange(call).heeding(Envelope())
    guard case .done = exchange.meaning else {
      return ItemResult(exchange, faulty: change)
    }
    return .outcome(.removed)
  }

  /// What a refused change or removal says about its record.
  private func change(_ status: Int, _ reason: String) -> ItemOutcome? {
    if let means = api.means(status: status, reason: reason) {
      return means == .conflict ? .conflicted(reason: reason) : nil
    }
    return switch status {
    case 404, 410: .missing
    case 412: .conflicted(reason: reason)
    default: nil
    }
  }

  /// The version as HTTP writes it, or `*` where none is known: then the record must only be there.
  ///
  /// A weak tag never matches, [RFC 9110, 13.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1),
  /// so it counts as none; what stood there was compared when it was read.
  private static func entityTag(_ version: String?) -> String {
    guard let version, !version.hasPrefix("W/") else { return "*" }
    return version.hasSuffix("\"") ? version : "\"\(version)\""
  }
}
