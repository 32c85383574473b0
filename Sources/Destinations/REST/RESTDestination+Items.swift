import DestinationModel
import HTTPTransport
package import JSONText
package import NIOHTTP1
package import Profiles
import UploadPlanning

// MARK: - One request an item

extension RESTDestination {
  /// Sends items one after the other, and stops at the first answer that concerns them all.
  ///
  /// After an item whose fate is unknown nothing more is sent either: the rest is deferred.
  func oneByOne(
    _ items: [OutgoingBatch.Item],
    _ send: (OutgoingBatch.Item) async -> ItemResult
  ) async -> BatchAnswer {
    var outcomes: [Int64: ItemOutcome] = [:]
    for (index, item) in items.enumerated() {
      switch await send(item) {
      case .whole(.unknown(let reason), let pause):
        return Self.lost(items[index...], reason, outcomes, pause: pause)
      case .outcome(.unknown(let reason)):
        return Self.lost(items[index...], reason, outcomes)
      case .own(let answer):
        return Self.failed(items[index...], answer, outcomes)
      case .whole(let whole, let pause):
        return BatchAnswer(whole: whole, outcomes: outcomes, pause: pause)
      case .outcome(let outcome):
        outcomes[item.operation] = outcome
      }
    }
    return BatchAnswer(outcomes: outcomes)
  }

  /// The first of these failed, perhaps for its own sake, and the others were not sent.
  private static func failed(
    _ items: ArraySlice<OutgoingBatch.Item>,
    _ answer: BatchAnswer,
    _ outcomes: [Int64: ItemOutcome]
  ) -> BatchAnswer {
    var singles: [Int64: BatchAnswer] = [:]
    if let first = items.first { singles[first.operation] = answer }
    guard case .unknown(let reason) = answer.whole else {
      return BatchAnswer(
        whole: answer.whole,
        outcomes: outcomes,
        pause: answer.pause,
        singles: singles
      )
    }
    return lost(items, reason, outcomes, pause: answer.pause, singles: singles)
  }

  /// The fate of the first of these is unknown, and the others were not sent.
  private static func lost(
    _ items: ArraySlice<OutgoingBatch.Item>,
    _ reason: String,
    _ outcomes: [Int64: ItemOutcome],
    pause: Duration? = nil,
    singles: [Int64: BatchAnswer] = [:]
  ) -> BatchAnswer {
    var outcomes = outcomes
    for item in items { outcomes[item.operation] = BatchAnswer.notSent }
    if let first = items.first { outcomes[first.operation] = .unknown(reason: reason) }
    return BatchAnswer(outcomes: outcomes, pause: pause, singles: singles)
  }

  func create(
    _ item: OutgoingBatch.Item,
    _ create: SingleCreate,
    _ entity: EntityApi
  ) async -> ItemResult {
    var create = create
    let call: Call
    switch self.call(item, create, of: entity) {
    case .failure(let refused): return .outcome(refused.outcome)
    case .success(let formed): call = formed
    }
    var exchange = await exchange(call, making: entity)
    if demandsCondition(exchange, of: !create.ifNoneMatch), let guarded = create.guarded {
      create = guarded
      exchange = await self.exchange(Self.call(item, create), making: entity)
    }
    return await found(read(exchange, for: item, create, entity), exchange, item, create, entity)
  }

  /// The same, after a look where a 409 alone was taken to say that the record is there, and where the answer
  /// is not about the identity that was asked for.
  ///
  /// A 409 has many meanings. Where nothing but the rule of thumb says which one it is, and no record
  /// of the identity is there, the record itself was refused.
  func found(
    _ result: ItemResult,
    _ exchange: Exchange,
    _ item: OutgoingBatch.Item,
    _ create: SingleCreate,
    _ entity: EntityApi
  ) async -> ItemResult {
    if case .outcome(let outcome) = result, case .displaced = outcome {
      return .outcome(await found(outcome, item, entity))
    }
    guard case .outcome(.exists) = result, case .faulty(409, _, let reason) = exchange.meaning,
      create.exists == nil, api.means(status: 409, reason: reason) == nil, entity.read != nil
    else { return result }
    do throws(DestinationError) {
      guard try await record(of: entity.entity, serverID: item.clientID) == nil else {
        return result
      }
      return .outcome(.rejected(code: "http.409", reason: reason))
    } catch {
      return result
    }
  }

  /// What became of a record that the destination seems to have under an identity of its own, after
  /// a look: where it is under the one that was asked for, the answer was about another record.
  func found(
    _ displaced: ItemOutcome,
    _ item: OutgoingBatch.Item,
    _ entity: EntityApi
  ) async -> ItemOutcome {
    let unknown = ItemOutcome.unknown(reason: "the answer is about another record")
    guard case .displaced(let serverID, _, _) = displaced else { return displaced }
    guard entity.read != nil || entity.list != nil else {
      return serverID == nil ? unknown : displaced
    }
    do throws(DestinationError) {
      let record = try await record(of: entity.entity, serverID: item.clientID)
      return record == nil ? displaced : unknown
    } catch {
      return unknown
    }
  }

  /// The request that makes one record.
  static func call(_ item: OutgoingBatch.Item, _ create: SingleCreate) -> Call {
    let body = wrapped(shaped(item.body, create.shape), in: create.wrap)
    var call = Call(route: create.route, body: .json(body))
    if create.choosesID { call.values["id"] = item.clientID }
    let named = create.route.names.filter { $0 != "id" }
    if !named.isEmpty, let body = JSONObject(parsing: item.body) {
      for name in named { call.values[name] = body[name]?.shortText }
    }
    if create.ifNoneMatch { call.headers.add(name: "If-None-Match", value: "*") }
    create.key?.add(item.key, to: &call.headers)
    return call
  }

  /// What the answer to a request that makes one record says.
  func read(
    _ exchange: Exchange,
    for item: OutgoingBatch.Item,
    _ create: SingleCreate,
    _ entity: EntityApi
  ) -> ItemResult {
    let exchange = exchange.heeding(Envelope(of: entity, at: create.item))
    guard case .done(let body) = exchange.meaning else {
      return ItemResult(exchange) { status, reason in
        let exists =
          wouldOverwrite(status, reason, create)
          || isThere(status, reason, create.exists) { status == 409 && entity.replay == .id }
        return exists ? .exists : nil
      }
    }
    let answer = body?.value
    if create.isSilent, answer?.object != nil {
      return .outcome(.stored(serverID: item.clientID, version: nil))
    }
    let row = answer?.value(at: create.item)
    guard entity.replay == .id else {
      if row?.object == nil, exchange.status == 201, !create.choosesID {
        return .outcome(made(exchange, entity))
      }
      return stored(row, exchange, entity, expecting: create.choosesID ? item.clientID : nil)
    }
    guard let row, row.object != nil, let found = entity.serverID(of: row) else {
      return .outcome(
        .displaced(
          serverID: nil,
          version: nil,
          reason: entity.displacement(of: item.clientID, to: nil)
        )
      )
    }
    let isReplaced = isReplaced(row, than: item, entity)
    guard found.isSpelled(as: item.clientID) else {
      // By 200 some answer with a record that existed before.
      let isMade = exchange.status == 201 || !isReplaced
      return .outcome(
        .displaced(
          serverID: isMade ? found : nil,
          version: entity.version(of: row, headers: exchange.headers),
          reason: entity.displacement(of: item.clientID, to: found)
        )
      )
    }
    if exchange.status == 200, !create.choosesID, isReplaced { return .outcome(.exists) }
    if isReplaced, exchange.status != 201, !found.hasSameScalars(as: item.clientID) {
      return .outcome(.unknown(reason: "the answer is about another record"))
    }
    return stored(row, exchange, entity, expecting: item.clientID)
  }

  /// What an answer says that shows no row of the record that it says it made.
  private func made(_ exchange: Exchange, _ entity: EntityApi) -> ItemOutcome {
    let address = exchange.headers.first(name: "Location")
    guard let found = address.flatMap(entity.serverID(atLocation:)) else {
      return .unnamed(reason: "the answer names no record")
    }
    return .stored(serverID: found, version: entity.version(of: .null, headers: exchange.headers))
  }

  /// Whether a record was not made because another one would have been overwritten.
  ///
  /// 412 to `If-None-Match: *` says that there is one,
  /// [RFC 9110, 13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2), whatever sign the
  /// profile gives for that, and also where it says that 412 to a change is a conflict.
  private func wouldOverwrite(_ status: Int, _ reason: String, _ create: SingleCreate) -> Bool {
    guard status == 412, create.ifNoneMatch else { return false }
    return switch api.means(status: status, reason: reason) {
    case nil, .exists, .conflict: true
    case .later, .unknown, .rejected, .missing, .signIn: false
    }
  }

  /// Whether a refusal means that the record is there, by the profile or else by a rule of thumb.
  func isThere(
    _ status: Int,
    _ reason: String,
    _ sign: ExistsSign?,
    else rule: () -> Bool = { false }
  ) -> Bool {
    // What the route says of itself wins over what is said of all.
    if sign?.matches(status: status, reason: reason) == true { return true }
    if let means = api.means(status: status, reason: reason) { return means == .exists }
    return sign == nil && rule()
  }

  /// Whether a row says otherwise than what was sent.
  ///
  /// Some servers answer a POST of an identity that they have by 200 and what is there, and drop
  /// what came; what they make they answer by 201.
  private func isReplaced(
    _ row: JSONValue?,
    than item: OutgoingBatch.Item,
    _ entity: EntityApi
  ) -> Bool {
    guard entity.replay == .id, let sent = JSONObject(parsing: item.body),
      let content = row?.value(at: entity.content).map({ entity.fields(of: $0) })
    else { return false }
    return sent.members.contains { member in
      guard entity.compare[member.name] == nil, let ours = member.value.text,
        let theirs = content[member.name]?.text
      else { return false }
      return ours != theirs
    }
  }

  /// A body with its fields where the destination wants them; `id` is the identity of a record that is there.
  static func shaped(_ body: [UInt8], _ shape: RecordShape?, id: String? = nil) -> [UInt8] {
    guard let shape, let record = JSONObject(parsing: body) else { return body }
    return JSONValue.object(shape.placed(record, id: shape.isIdentified ? id : nil)).canonicalBytes
  }

  /// A body inside of the members that a route wants it in.
  static func wrapped(_ body: [UInt8], in path: MemberPath) -> [UInt8] {
    path.names.reversed().reduce(body) { body, name in
      Array("{\(JSONValue.string(name).canonicalText):".utf8) + body + Array("}".utf8)
    }
  }

  /// Believes that a row is stored only when it has an identity, and the one that was expected, in whatever
  /// spelling.
  func stored(
    _ row: JSONValue?,
    _ exchange: Exchange,
    _ entity: EntityApi,
    expecting id: String?
  ) -> ItemResult {
    guard let row, row.object != nil, let found = entity.serverID(of: row) else {
      return .outcome(.unknown(reason: "the answer names no record"))
    }
    guard id?.isSpelled(as: found) ?? true else {
      return .outcome(.unknown(reason: "the answer is about another record"))
    }
    return .outcome(
      .stored(serverID: found, version: entity.version(of: row, headers: exchange.headers))
    )
  }
}

extension KeyHeader {
  func add(_ key: String, to headers: inout HTTPHeaders) {
    headers.add(name: name, value: isQuoted ? "\"\(key)\"" : key)
  }
}

extension EntityApi {
  /// The fields of a row's content, side by side; none where it is no object.
  func fields(of content: JSONValue) -> JSONObject {
    shape?.content(of: content) ?? content.object ?? JSONObject()
  }

  /// Where a row has its identity, for people.
  var idPlaces: String { ids.map { "“\($0)”" }.joined(separator: " and ") }

  /// The identity of a row; `nil` for a row without one.
  func serverID(of row: JSONValue) -> String? {
    identity { row.value(at: $0)?.shortText }
  }

  /// The identity of a row; `nil` for a row without one.
  func serverID(of row: JSONView) -> String? {
    identity { row.value(at: $0)?.shortText }
  }

  /// The version of a row, from wherever the profile says.
  package func version(of row: JSONValue, headers: HTTPHeaders) -> String? {
    version(headers: headers) { row.value(at: $0)?.shortText }
  }

  /// The version of a row, from wherever the profile says.
  func version(of row: JSONView, headers: HTTPHeaders) -> String? {
    version(headers: headers) { row.value(at: $0)?.shortText }
  }

  private func version(headers: HTTPHeaders, member: (MemberPath) -> String?) -> String? {
    switch version {
    case .member(let path): member(path)
    case .header(let name): headers.first(name: name)
    case nil: nil
    }
  }
}
