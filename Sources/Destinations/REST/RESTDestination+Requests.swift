import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import Records
import Synchronization
import UploadPlanning

// MARK: - Many requests in one

extension RESTDestination {
  /// Wraps the request of each item up in one, and reads the answer of each.
  ///
  /// An answer counts for an item only when as many came as were asked for and it is the item's, see
  /// ``InnerAnswers``. One 409 among them spoils them all: a server may roll back, without a word,
  /// what it had said to be stored before it. Items that a request could not settle go into requests
  /// of their own the next time. Those that were refused for the sign-in go once more after a new one,
  /// and those that were refused for want of a condition once more with it.
  func create(
    _ items: [OutgoingBatch.Item],
    _ create: SingleCreate,
    _ batch: RequestBatch,
    _ entity: EntityApi,
    isRenewed: Bool = false
  ) async -> BatchAnswer {
    let most = await mostRequests(of: batch)
    guard items.count <= most else { return .tooMany(items, limit: most) }
    if items.count > 1, unsettled.holdsAny(of: items) {
      return await oneByOne(items) { item in
        unsettled.remove(item)
        return ItemResult(await self.create([item], create, batch, entity), of: item)
      }
    }
    guard let packed = packed(items.map { Self.call($0, create) }, batch) else {
      // It is refused alone, with its reason.
      return items.count == 1
        ? await oneByOne(items) { item in await self.create(item, create, entity) }
        : BatchAnswer(whole: .splittable(reason: "an item cannot be part of a request"))
    }
    let exchange = await exchange(packed.call, making: entity)
    if isRefused(exchange, batch.route) {
      return await oneByOne(items) { item in await self.create(item, create, entity) }
    }
    guard case .done(let answer) = exchange.meaning else {
      return BatchAnswer.answer(exchange, for: items, route: batch.route)
    }
    let ids = BatchedVerb.create(create).ids(of: items, entity)
    guard
      let answers = InnerAnswers(
        answer,
        batch,
        packed.paths,
        ids,
        create.item,
        entity.serverID(of:)
      )
    else {
      return BatchAnswer(whole: .unknown(reason: "the answers are not those to the requests"))
    }
    let inner = answers.ofItems.map { response in
      response.map {
        weighed(self.exchange($0, to: create.route, exchange), making: entity)
      }
    }
    if items.count > 1, let conflict = inner.first(where: { $0.map(isSpoiling) ?? false }) {
      unsettled.add(items)
      var pause: Duration?
      if case .later(let requestedPause, _) = conflict?.meaning { pause = requestedPause }
      return BatchAnswer(
        whole: .unknown(reason: "one of the requests had a conflict, which may undo the others"),
        pause: pause
      )
    }
    let result = { (exchange: Exchange, item: OutgoingBatch.Item) in
      await self.result(exchange, of: item, .create(create), entity)
    }
    let unguarded = items.indices.filter { place in
      inner[place].map { demandsCondition($0, of: !create.ifNoneMatch) } ?? false
    }
    if !unguarded.isEmpty, let guarded = create.guarded {
      let rest = items.indices.filter { !unguarded.contains($0) }
      let first = await outcomes(of: rest.map { items[$0] }, rest.map { inner[$0] }, result)
      let again = unguarded.map { items[$0] }
      return first.merged(
        with: await self.create(again, guarded, batch, entity, isRenewed: isRenewed),
        of: again
      )
    }
    let signedOut = items.indices.filter { inner[$0]?.status == 401 }
    if !isRenewed, !signedOut.isEmpty, await session.renews(after: exchange) {
      let rest = items.indices.filter { !signedOut.contains($0) }
      let first = await outcomes(of: rest.map { items[$0] }, rest.map { inner[$0] }, result)
      let again = signedOut.map { items[$0] }
      return first.merged(
        with: await self.create(again, create, batch, entity, isRenewed: true),
        of: again
      )
    }
    return await outcomes(of: items, inner, result)
  }

  /// Whether an answer inside may mean that others before it were rolled back.
  func isSpoiling(_ exchange: Exchange) -> Bool {
    guard exchange.status == 409 else { return false }
    guard case .faulty(_, _, let reason) = exchange.meaning else { return true }
    return api.means(status: 409, reason: reason) == nil
  }

  /// What became of the items, by what `result` says of each answer.
  func outcomes(
    of items: [OutgoingBatch.Item],
    _ inner: [Exchange?],
    _ result: (Exchange, OutgoingBatch.Item) async -> ItemResult
  ) async -> BatchAnswer {
    var outcomes: [Int64: ItemOutcome] = [:]
    var pause: Duration?
    var refusal: String?
    var singles: [Int64: BatchAnswer] = [:]
    for (item, exchange) in zip(items, inner) {
      guard let exchange else {
        outcomes[item.operation] = .unknown(reason: "no answer says whose it is")
        unsettled.add([item])
        continue
      }
      switch await result(exchange, item) {
      case .outcome(let outcome): outcomes[item.operation] = outcome
      case .whole(.refused(let reason), _):
        outcomes[item.operation] = .deferred(reason: reason)
        refusal = refusal ?? reason
      case .whole(let whole, let requestedPause):
        outcomes[item.operation] = whole.outcome
        pause = [pause, requestedPause].compactMap { $0 }.max()
      case .own(let answer):
        outcomes[item.operation] = answer.whole.outcome
        singles[item.operation] = answer
        pause = [pause, answer.pause].compactMap { $0 }.max()
      }
    }
    return BatchAnswer(
      whole: refusal.map { .refused(reason: $0) } ?? .answered,
      outcomes: outcomes,
      pause: pause,
      singles: singles
    )
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
      return .tooMany(items, limit: create.limit)
    }
    guard let call = Self.call(items, create, entity) else {
      return BatchAnswer.faulty(items, code: "body.form", reason: "an item is not a JSON object")
    }
    let exchange = await exchange(call, making: entity).heeding(Envelope())
    guard case .done(let answer) = exchange.meaning else {
      if case .faulty(let status, _, let reason) = exchange.meaning,
        isThere(status, reason, create.exists)
      {
        // After a lost answer, several of them are there.
        let there = items.count == 1 ? items : await present(items, entity)
        let settled = BatchAnswer.each(there) { _ in .exists }
        let rest = items.filter { settled.outcomes[$0.operation] == nil }
        if rest.isEmpty { return settled }
        if !there.isEmpty {
          return await self.create(rest, create, entity).adding(settled.outcomes)
        }
      }
      return BatchAnswer.answer(exchange, for: items, route: create.route)
    }
    if let made = create.made {
      return Self.read(answer?.view.value(at: made)?.elements, of: items, create, entity)
    }
    if let first = items.first, let answer = await unproven(first, entity) { return answer }
    return .each(items) { .stored(serverID: $0.clientID, version: nil) }
  }

  /// The request that makes or changes rows; `nil` where one of them is no object.
  static func call(
    _ items: [OutgoingBatch.Item],
    _ create: RowBatch,
    _ entity: EntityApi
  ) -> Call? {
    var rows: [JSONValue] = []
    var columns: Set<String> = []
    for item in items {
      guard var row = JSONObject(parsing: item.body), let name = entity.id.names.last else {
        return nil
      }
      row[name] = .string(item.serverID ?? item.clientID)
      columns.formUnion(row.names)
      rows.append(.object(row))
    }
    var call = Call(route: create.route, array: rows, in: create.rows)
    if let parameter = create.columns {
      call.query.append((parameter, columns.sorted().map(quoted).joined(separator: ",")))
    }
    create.key?.add(Self.key(of: items), to: &call.headers)
    return call
  }

  /// A name in a list of names; one with more than letters, digits and `_` is in quotes.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0)
    }
    guard !isPlain else { return name }
    let escaped = name.replacing(scalar: "\\", with: "\\\\").replacing(scalar: "\"", with: "\\\"")
    return "\"\(escaped)\""
  }

  /// What became of rows by an answer that has those that were made or changed.
  ///
  /// | the answer has | the row |
  /// |---|---|
  /// | the row | was made, or changed |
  /// | not the row, and rows that are there are passed over | was there already |
  /// | not the row otherwise | is unknown |
  /// | a row that was not sent, or no rows | leaves all of them unknown |
  static func read(
    _ made: [JSONView]?,
    of items: [OutgoingBatch.Item],
    _ create: RowBatch,
    _ entity: EntityApi
  ) -> BatchAnswer {
    guard let made else {
      return BatchAnswer(
        whole: .unknown(
          reason:
            "the answer does not have the rows that were stored (PostgREST needs “Prefer: return=representation”)"
        )
      )
    }
    var versions: [String: String?] = [:]
    for row in made {
      guard let id = entity.serverID(of: row) else {
        return BatchAnswer(whole: .unknown(reason: "a row of the answer has no identity"))
      }
      versions.updateValue(entity.version(of: row, headers: [:]), forKey: id.identitySpelling)
    }
    let asked = Set(items.map { ($0.serverID ?? $0.clientID).identitySpelling })
    guard asked.isSuperset(of: versions.keys) else {
      return BatchAnswer(
        whole: .unknown(reason: "the answer has rows under other identities than were sent")
      )
    }
    return .each(items) { item in
      let id = item.serverID ?? item.clientID
      if let version = versions[id.identitySpelling] {
        return .stored(serverID: id, version: version)
      }
      return create.keepsExisting ? .exists : .unknown(reason: "the answer does not have its row")
    }
  }

  /// What became of the first rows of an entity, whose answer names no record, where they are not under the
  /// identities that were asked for; `nil` where they are, and for all later ones.
  private func unproven(_ item: OutgoingBatch.Item, _ entity: EntityApi) async -> BatchAnswer? {
    guard entity.read != nil || entity.list != nil, !provenRows.contains(entity.entity) else {
      return nil
    }
    do throws(DestinationError) {
      if try await record(of: entity.entity, serverID: item.clientID) != nil {
        provenRows.insert(entity.entity)
        return nil
      }
    } catch {
      return BatchAnswer(whole: .unknown(reason: "what was made could not be read: \(error)"))
    }
    let reason = entity.displacement(of: item.clientID, to: nil)
    return BatchAnswer(
      whole: .unknown(reason: reason),
      outcomes: [item.operation: .displaced(serverID: nil, version: nil, reason: reason)]
    )
  }
}

/// The entities whose rows were found under the identities that were asked for.
final class ProvenEntities: Sendable {
  private let names = Mutex<Set<EntityName>>([])

  func insert(_ name: EntityName) { names.withLock { _ = $0.insert(name) } }

  func contains(_ name: EntityName) -> Bool { names.withLock { $0.contains(name) } }
}
