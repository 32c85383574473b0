import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import RequestBodies
import UploadPlanning

/// What many writes in one request are for.
private struct Writing {
  let verb: OutgoingBatch.Verb
  let route: Route
  let write: JSONTemplate
  var expression: FieldExpression?
  let batch: WriteBatch

  /// The write of one record; `nil` where a name in it has no value.
  func write(of item: OutgoingBatch.Item, account: String?) -> JSONValue? {
    var values: [String: JSONValue] = [:]
    let id = verb == .create ? item.clientID : item.serverID
    values["id"] = id.map { .string($0) }
    values["version"] = item.version.map { .string($0) }
    values["account"] = account.map { .string($0) }
    if let body = JSONObject(parsing: item.body) {
      values["body"] = .object(body)
      values["fields"] = .array(body.names.map { .string(Self.path(of: $0)) })
      if let expression { values.merge(expression.values(of: body)) { $1 } }
    }
    return write.filled(values)
  }

  /// The path of a field: a name with more than letters, digits and `_` is between backticks,
  /// <https://cloud.google.com/firestore/docs/reference/rest/v1/StructuredQuery#FieldReference>.
  private static func path(of name: String) -> String {
    let isPlain =
      name.utf8.allSatisfy {
        $0 == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
          || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
      } && name.first?.isNumber != true
    guard !isPlain else { return name }
    return "`\(name.replacing(scalar: "\\", with: "\\\\").replacing(scalar: "`", with: "\\`"))`"
  }

  /// The request that carries these writes.
  func call(_ writes: [JSONValue]) -> Call {
    Call(route: route, array: writes, in: batch.writes)
  }

  /// What became of a record whose write was carried out; `result` says more of it, if anything does.
  func outcome(of item: OutgoingBatch.Item, _ result: JSONValue? = nil) -> ItemOutcome {
    guard verb != .delete else { return .removed }
    let id = verb == .create ? item.clientID : item.serverID ?? item.clientID
    let version = batch.version.flatMap { result?.value(at: $0)?.shortText }
    return .stored(serverID: id, version: version)
  }
}

// MARK: - Many writes in one request

extension RESTDestination {
  /// Sends records as writes of one request, where the profile has them so; else `nil`.
  func sendWrites(_ batch: OutgoingBatch, _ entity: EntityApi) async -> BatchAnswer? {
    guard let writes = entity.create?.writeBatch else { return nil }
    let writing: Writing
    switch batch.verb {
    case .create:
      writing = Writing(verb: .create, route: writes.route, write: writes.write, batch: writes)
    case .update:
      guard let update = entity.update, let write = update.write else { return nil }
      writing = Writing(
        verb: .update,
        route: update.route,
        write: write,
        expression: update.expression,
        batch: writes
      )
    case .delete:
      guard let delete = entity.delete, let write = delete.write else { return nil }
      writing = Writing(verb: .delete, route: delete.route, write: write, batch: writes)
    case .uploadMedia, .removeMedia: return nil
    }
    guard batch.items.count <= max(writes.limit, 1) else {
      return .tooMany(batch.items, limit: writes.limit)
    }
    return await send(batch.items, writing, entity)
  }

  /// Sends writes in one request.
  ///
  /// | the answer | the records |
  /// |---|---|
  /// | a success, see ``read(_:of:_:_:)`` | are as their results say |
  /// | a refusal because some are there | those that a look finds are there; the others go again |
  /// | any other refusal of several | go again in halves, until each has its own reason |
  private func send(
    _ items: [OutgoingBatch.Item],
    _ writing: Writing,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    let account: String?
    switch await namedAccount(writing.write) {
    case .success(let name): account = name
    case .failure(let error): return Self.waiting(for: error)
    }
    var settled: [Int64: ItemOutcome] = [:]
    var left: [(item: OutgoingBatch.Item, write: JSONValue)] = []
    for item in items {
      if let write = writing.write(of: item, account: account) {
        left.append((item, write))
      } else {
        settled[item.operation] = .conflicted(
          reason:
            "the destination gives no revision of it, so that a change of another device would be lost"
        )
      }
    }
    while !left.isEmpty {
      let exchange = await exchange(left.map(\.write), writing, entity)
      let sent = left.map(\.item)
      if case .done(let answer) = exchange.meaning {
        return await read(answer, of: sent, writing, entity, exchange.redaction).adding(settled)
      }
      guard sent.count > 1, case .faulty(let status, _, let reason) = exchange.meaning else {
        return await refused(sent, exchange, writing, entity).adding(settled)
      }
      let there = await alreadyThere(sent, status, reason, writing, entity)
      guard !there.isEmpty else {
        return BatchAnswer(whole: .splittable(reason: reason)).adding(settled)
      }
      for item in there { settled[item.operation] = .exists }
      left.removeAll { settled[$0.item.operation] != nil }
    }
    return BatchAnswer(outcomes: settled)
  }

  private func exchange(
    _ writes: [JSONValue],
    _ writing: Writing,
    _ entity: EntityApi
  ) async -> Exchange {
    let call = writing.call(writes)
    let exchange =
      writing.verb == .create ? await exchange(call, making: entity) : await exchange(call)
    return exchange.heeding(Envelope())
  }

  /// What a success says of each record.
  ///
  /// | the answer has | the record |
  /// |---|---|
  /// | no results, by the profile, or no body where all are carried out or none | is stored, or removed |
  /// | a result of its own, by its identity or else by its place | is stored, or removed |
  /// | one that shows a refusal | was refused, and only that one |
  /// | not one result for each write | is unknown |
  private func read(
    _ answer: AnswerBody?,
    of items: [OutgoingBatch.Item],
    _ writing: Writing,
    _ entity: EntityApi,
    _ redaction: Redaction
  ) async -> BatchAnswer {
    let isSilent = answer == nil && writing.batch.error == nil
    guard let place = writing.batch.results, !isSilent else {
      return .each(items) { writing.outcome(of: $0) }
    }
    guard let results = answer?.value.value(at: place)?.array,
      let found = Self.own(results, of: items, writing)
    else {
      return BatchAnswer(whole: .unknown(reason: "the answer has not one result for each write"))
    }
    var outcomes: [Int64: ItemOutcome] = [:]
    for (item, result) in zip(items, found) {
      guard let error = writing.batch.error, let refusal = result.value(at: error),
        !refusal.isNull
      else {
        outcomes[item.operation] = writing.outcome(of: item, result)
        continue
      }
      outcomes[item.operation] = await refused(item, result, writing, entity, redaction)
    }
    return BatchAnswer(outcomes: outcomes)
  }

  /// The result of each item, in their order; `nil` where one has none, or several.
  private static func own(
    _ results: [JSONValue],
    of items: [OutgoingBatch.Item],
    _ writing: Writing
  ) -> [JSONValue]? {
    guard results.count == items.count else { return nil }
    guard let place = writing.batch.id else { return results }
    var named: [JSONName: JSONValue] = [:]
    for result in results {
      guard let id = result.value(at: place)?.shortText,
        named.updateValue(result, forKey: JSONName(id)) == nil
      else { return nil }
    }
    let found = items.compactMap { item in
      (writing.verb == .create ? item.clientID : item.serverID).flatMap { named[JSONName($0)] }
    }
    return found.count == items.count ? found : nil
  }

  /// What became of a record whose write alone was refused; a result counts as answered by 400.
  private func refused(
    _ item: OutgoingBatch.Item,
    _ result: JSONValue,
    _ writing: Writing,
    _ entity: EntityApi,
    _ redaction: Redaction
  ) async -> ItemOutcome {
    let message = ServerMessage(body: result)
    let parts = [message.code, message.text].compactMap(\.self).filter { !$0.isEmpty }
    let reason =
      parts.isEmpty ? "no reason given" : redaction.printable(parts.joined(separator: ": "))
    let status = 400
    switch api.means(status: status, reason: reason) {
    case .exists: return .exists
    case .conflict where writing.verb == .create: return .exists
    case .conflict: return await isGone(item, entity) ? .missing : .conflicted(reason: reason)
    case .missing: return .missing
    case .later: return .deferred(reason: reason)
    case .unknown: return .unknown(reason: reason)
    case .rejected, .signIn: return .rejected(code: "batch.failed", reason: reason)
    case nil:
      let exists = writing.batch.exists?.matches(status: status, reason: reason) == true
      guard writing.verb == .create, exists else {
        return .rejected(code: "batch.failed", reason: reason)
      }
      return .exists
    }
  }

  /// Those of some new records that are there, of which one has the whole refused.
  private func alreadyThere(
    _ items: [OutgoingBatch.Item],
    _ status: Int,
    _ reason: String,
    _ writing: Writing,
    _ entity: EntityApi
  ) async -> [OutgoingBatch.Item] {
    guard writing.verb == .create, isThere(status, reason, writing.batch.exists) else { return [] }
    return await present(items, entity)
  }

  /// What a request came to that was about one record, or that holds for all.
  private func refused(
    _ items: [OutgoingBatch.Item],
    _ exchange: Exchange,
    _ writing: Writing,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    guard items.count == 1, case .faulty(let status, _, let reason) = exchange.meaning else {
      return BatchAnswer.answer(exchange, for: items, route: writing.route)
    }
    guard writing.verb != .create else {
      guard isThere(status, reason, writing.batch.exists) else {
        return BatchAnswer.answer(exchange, for: items, route: writing.route)
      }
      return BatchAnswer(outcomes: [items[0].operation: .exists])
    }
    return await oneByOne(items) { item in
      let result = ItemResult(exchange, faulty: change)
      guard case .outcome(.conflicted) = result else { return result }
      return await isGone(item, entity) ? .outcome(.missing) : result
    }
  }

  /// Whether a record whose revision is another one is not there at all.
  private func isGone(_ item: OutgoingBatch.Item, _ entity: EntityApi) async -> Bool {
    guard let serverID = item.serverID else { return false }
    do throws(DestinationError) {
      return try await record(of: entity.entity, serverID: serverID) == nil
    } catch {
      return false
    }
  }
}

// MARK: - The account in a request

extension RESTDestination {
  /// The account, where a write names it.
  private func namedAccount(
    _ write: JSONTemplate
  ) async -> Result<String?, DestinationError> {
    guard write.names.contains("account") else { return .success(nil) }
    do throws(DestinationError) { return .success(try await heldAccount()) } catch {
      return .failure(error)
    }
  }

  /// Nothing was sent, for want of the account.
  static func waiting(for error: DestinationError) -> BatchAnswer {
    error.isPassing
      ? BatchAnswer(whole: .deferred(reason: "\(error)"), pause: error.requestedPause)
      : .refused("\(error)")
  }

  /// Whose data the destination serves.
  func heldAccount() async throws(DestinationError) -> String {
    try await AccountReader(api: api, http: http, session: session).heldAccount()
  }

  /// How the values of an entity are written; `nil` where they are plain.
  func values(of entity: EntityApi) async throws(DestinationError) -> FieldValues? {
    guard let forms = api.values else { return nil }
    let account = entity.namesAccount ? try await heldAccount() : nil
    return FieldValues(forms, entity.types, account: account)
  }

  /// The same records, with values that say what they are where the destination has them so.
  func encoded(
    _ batch: OutgoingBatch,
    _ entity: EntityApi
  ) async throws(DestinationError) -> OutgoingBatch {
    guard batch.verb != .delete, let values = try await values(of: entity) else { return batch }
    let items = batch.items.map { item in
      JSONObject(parsing: item.body).map { item.holding(values.encoded($0)) } ?? item
    }
    return OutgoingBatch(entity: batch.entity, verb: batch.verb, items: items)
  }
}
