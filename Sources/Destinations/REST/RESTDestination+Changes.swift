import DestinationModel
import HTTPTransport
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
    entity.files.isEmpty
      ? await change(item, route, entity) : await updateWithFiles(item, route, entity)
  }

  /// Changes a record by the route of its entity.
  func change(
    _ item: OutgoingBatch.Item,
    _ route: UpdateRoute,
    _ entity: EntityApi
  ) async -> ItemResult {
    guard let serverID = item.serverID else { return .withoutIdentity }
    let sent = await send(Self.call(item, serverID, route, entity), of: item, serverID, entity)
    guard case .answered(let answered) = sent else { return sent.result }
    let result = read(answered, ofChange: serverID, route, entity)
    guard route.match != nil, item.version != nil, case .outcome(.missing) = result else {
      return result
    }
    return await look(forUnmatched: serverID, entity)
  }

  /// What became of a change that no record passed at the revision expected, by what is there.
  private func look(forUnmatched serverID: String, _ entity: EntityApi) async -> ItemResult {
    do throws(DestinationError) {
      guard try await record(of: entity.entity, serverID: serverID) != nil else {
        return .outcome(.missing)
      }
    } catch {
      return .outcome(.deferred(reason: "what became of a record that did not match: \(error)"))
    }
    return .outcome(.conflicted(reason: "the record was changed since it was read"))
  }

  /// What names in braces represent in a request about a record that is there.
  private static func values(
    of item: OutgoingBatch.Item,
    _ serverID: String,
    _ entity: EntityApi
  ) -> [String: String] {
    var values = entity.values(ofIdentity: serverID)
    values["version"] = item.version
    return values
  }

  /// The request that changes one record.
  static func call(
    _ item: OutgoingBatch.Item,
    _ serverID: String,
    _ route: UpdateRoute,
    _ entity: EntityApi
  ) -> Call {
    var call = Call(
      route: route.route,
      values: values(of: item, serverID, entity),
      body: .json(
        Self.wrapped(shaped(Self.body(item, route), route.shape, id: serverID), in: route.wrap)
      )
    )
    if let match = route.match, let value = item.version.flatMap({ match.value(of: $0) }) {
      call.query.append((match.name, value))
    }
    if route.ifMatch { call.headers.add(name: "If-Match", value: entity.entityTag(item.version)) }
    return call
  }

  /// What the answer to a request that changes one record says.
  func read(
    _ answered: Exchange,
    ofChange serverID: String,
    _ route: UpdateRoute,
    _ entity: EntityApi
  ) -> ItemResult {
    let exchange = answered.heeding(Envelope(of: entity, at: route.item))
    guard case .done(let body) = exchange.meaning else {
      return ItemResult(exchange, faulty: change)
    }
    if exchange.status == 204 {
      if route.route.isFilter(of: entity) {
        guard let rows = exchange.headers.first(name: "Content-Range") else {
          return .outcome(.unknown(reason: Self.unreported))
        }
        guard Self.listsAny(rows) else { return .outcome(.missing) }
      }
      // Done, with nothing to say of it: <https://www.rfc-editor.org/rfc/rfc9110#section-15.3.5>.
      let version = entity.version(of: JSONValue.null, headers: exchange.headers)
      return .outcome(.stored(serverID: serverID, version: version))
    }
    if body?.view.hasNone(at: route.item) == true { return .outcome(.missing) }
    let answer = body?.value
    let row = answer?.value(at: route.item)
    if route.isSilent {
      let version = entity.version(of: row ?? .null, headers: exchange.headers)
      return .outcome(.stored(serverID: serverID, version: version))
    }
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
    guard let name = route.version, let version = item.version,
      var body = JSONObject(parsing: item.body)
    else {
      return item.body
    }
    let number = Int64(version).flatMap { "\($0)" == version ? JSONNumber($0) : nil }
    body[name] = number.map { .number($0) } ?? .string(version)
    return JSONValue.object(body).canonicalBytes
  }

  func delete(
    _ item: OutgoingBatch.Item,
    _ route: DeleteRoute,
    _ entity: EntityApi
  ) async -> ItemResult {
    guard let serverID = item.serverID else { return .withoutIdentity }
    let sent = await send(Self.call(item, serverID, route, entity), of: item, serverID, entity)
    guard case .answered(let answered) = sent else { return sent.result }
    return await read(answered, ofRemoval: serverID, route, entity)
  }

  /// The request that removes one record.
  static func call(
    _ item: OutgoingBatch.Item,
    _ serverID: String,
    _ route: DeleteRoute,
    _ entity: EntityApi
  ) -> Call {
    var call = Call(route: route.route, values: values(of: item, serverID, entity))
    if route.ifMatch { call.headers.add(name: "If-Match", value: entity.entityTag(item.version)) }
    return call
  }

  /// What the answer to a request that removes one record says.
  func read(
    _ answered: Exchange,
    ofRemoval serverID: String,
    _ route: DeleteRoute,
    _ entity: EntityApi
  ) async -> ItemResult {
    let exchange = answered.heeding(Envelope())
    guard case .done(let body) = exchange.meaning else {
      return ItemResult(exchange) { status, reason in removal(exchange, status, reason) }
    }
    guard route.route.isFilter(of: entity) else { return .outcome(.removed) }
    guard let body else { return await look(forRemoved: serverID, entity, exchange) }
    guard body.view.elements?.isEmpty == true else { return .outcome(.removed) }
    return .outcome(
      .rejected(
        code: "http.200",
        reason: "the destination removed nothing: it may be gone, or the account may not remove it"
      )
    )
  }

  /// What became of a removal by a filter of which a success says nothing, by what is there.
  ///
  /// Where the account may not remove the record, another attempt would come to the same.
  private func look(
    forRemoved serverID: String,
    _ entity: EntityApi,
    _ exchange: Exchange
  ) async -> ItemResult {
    do throws(DestinationError) {
      guard try await record(of: entity.entity, serverID: serverID) != nil else {
        return .outcome(.removed)
      }
    } catch {
      return .outcome(.unknown(reason: Self.unreported))
    }
    return .outcome(
      .rejected(
        code: "http.\(exchange.status ?? 204)",
        reason:
          "the destination answered that it deleted the record, and still has it: the account may not "
          + "remove it, perhaps"
      )
    )
  }

  /// What a refused removal says about its record, which was read a moment ago.
  ///
  /// What a refusal means of a record that is not there, by the profile, it may as well say to an
  /// account that may not remove it.
  private func removal(_ exchange: Exchange, _ status: Int, _ reason: String) -> ItemOutcome? {
    guard let serverStatus = exchange.status, serverStatus != 404, serverStatus != 410,
      api.means(status: serverStatus, reason: reason) == .missing
    else { return change(status, reason) }
    return .rejected(code: "http.\(serverStatus)", reason: reason)
  }

  /// Why it is unknown whether a filter passed the record, where a success says nothing of it.
  private static let unreported =
    "the answer does not say whether a record was found; have the destination answer with what it "
    + "changed or removed (PostgREST: the header “Prefer: return=representation”)"

  /// Whether the rows that a change reports are any: PostgREST has `0-0/*` for one, and `*/*` for none.
  private static func listsAny(_ rows: String) -> Bool {
    !rows.hasPrefix("*") || rows.contains { "123456789".contains($0) }
  }

  /// What a refused change or removal says about its record.
  func change(_ status: Int, _ reason: String) -> ItemOutcome? {
    if let means = api.means(status: status, reason: reason) {
      return means == .conflict ? .conflicted(reason: reason) : nil
    }
    return switch status {
    case 404, 410: .missing
    case 412: .conflicted(reason: reason)
    default: nil
    }
  }
}

extension EntityApi {
  /// The version as HTTP writes it, or `*` where none can be named: then the record must only be there, and
  /// the content there before was compared when it was read.
  fileprivate func entityTag(_ version: String?) -> String {
    guard let version, isCondition(version) else { return "*" }
    return version.hasSuffix("\"") ? version : "\"\(version)\""
  }
}

extension Route {
  /// Whether a filter finds the record, which may pass none, instead of an address of its own.
  fileprivate func isFilter(of entity: EntityApi) -> Bool {
    let path = template.prefix { $0 != "?" }
    return entity.idNames.contains { !path.contains("{\($0)}") && content?.names($0) != true }
  }
}

// MARK: - Where a condition is demanded

extension RESTDestination {
  /// What a change or a removal came to.
  private enum Sent {
    case answered(Exchange)
    /// It was refused for want of a condition, and none can be given; nothing was changed.
    case instead(ItemResult)

    var result: ItemResult {
      switch self {
      case .answered(let exchange): ItemResult(exchange.meaning)
      case .instead(let result): result
      }
    }
  }

  /// Sends a change or a removal; where the destination demands a condition, once more with the entity
  /// tag of the record as it is there.
  ///
  /// What is refused so has changed nothing,
  /// [RFC 6585, 3](https://www.rfc-editor.org/rfc/rfc6585#section-3).
  private func send(
    _ call: Call,
    of item: OutgoingBatch.Item,
    _ serverID: String,
    _ entity: EntityApi
  ) async -> Sent {
    let first = await exchange(call)
    let isBare = !call.headers.contains(name: "If-Match") && entity.update?.version == nil
    guard demandsCondition(first, of: isBare), let read = entity.read else {
      return .answered(first)
    }
    let found = await exchange(Call(route: read.route, values: entity.values(ofIdentity: serverID)))
      .heeding(Envelope(of: entity, at: read.item))
    switch found.meaning {
    case .faulty(status: 404, _, _), .faulty(status: 410, _, _):
      return .instead(.outcome(.missing))
    case .unfit, .faulty: return .answered(first)
    case .refused, .neverSent, .later, .unknown:
      return .instead(ItemResult(found.meaning).beforeAnythingCounted)
    case .done(let answer):
      let row = answer?.value.value(at: read.item)
      guard let row, let tag = found.headers.first(name: "ETag"), tag.hasPrefix("\""),
        entity.serverID(of: row)?.isSpelled(as: serverID) == true
      else { return .answered(first) }
      if let seen = item.version, let now = entity.version(of: row, headers: found.headers),
        seen != now
      {
        return .instead(.outcome(.conflicted(reason: "it was changed at the destination since")))
      }
      var call = call
      call.headers.replaceOrAdd(name: "If-Match", value: tag)
      return .answered(await exchange(call))
    }
  }

  /// Whether a request was refused because it came without a condition.
  ///
  /// Some answer that by 412, which can mean nothing else of a request that is bare of conditions.
  func demandsCondition(_ exchange: Exchange, of isBare: Bool) -> Bool {
    guard case .faulty(let status, _, let reason) = exchange.meaning,
      status == 428 || status == 412 && isBare
    else { return false }
    return api.means(status: status, reason: reason) == nil
  }
}
