import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
import UploadPlanning

/// What many requests in one are for.
enum BatchedVerb {
  case create(SingleCreate)
  case update(UpdateRoute)
  case delete(DeleteRoute)

  var route: Route {
    switch self {
    case .create(let create): create.route
    case .update(let update): update.route
    case .delete(let delete): delete.route
    }
  }

  /// The form in which many go in one request; `nil` where each is a request of its own.
  func batch(of entity: EntityApi) -> RequestBatch? {
    switch self {
    case .create: entity.create?.requestBatch
    case .update(let update): update.isBatched ? entity.create?.requestBatch : nil
    case .delete(let delete): delete.isBatched ? entity.create?.requestBatch : nil
    }
  }

  /// Where the answer to one has the row.
  var row: MemberPath {
    switch self {
    case .create(let create): create.item
    case .update(let update): update.item
    case .delete: MemberPath("")
    }
  }

  /// The identities that the answers have to name, in the order of the items; empty where the destination
  /// chooses them.
  func ids(of items: [OutgoingBatch.Item], _ entity: EntityApi) -> [String] {
    switch self {
    case .create(let create):
      create.choosesID || entity.identityMember != nil ? items.map(\.clientID) : []
    case .update, .delete: items.compactMap(\.serverID)
    }
  }

  /// The request of one item; `nil` where its identity at the destination is not known.
  func call(_ item: OutgoingBatch.Item, _ entity: EntityApi) -> Call? {
    switch self {
    case .create(let create): RESTDestination.call(item, create)
    case .update(let route): item.serverID.map { RESTDestination.call(item, $0, route, entity) }
    case .delete(let route): item.serverID.map { RESTDestination.call(item, $0, route, entity) }
    }
  }
}

// MARK: - Many requests in one, for whatever they are

extension RESTDestination {
  /// Sends items in one request where the profile and the destination have it so, else one by one.
  func send(
    _ items: [OutgoingBatch.Item],
    _ verb: BatchedVerb,
    of entity: EntityApi
  ) async -> BatchAnswer {
    guard let batch = verb.batch(of: entity), batch.limit > 1,
      !refusedBatches.contains(batch.route)
    else {
      return await oneByOne(items) { item in await sendAlone(item, verb, entity) }
    }
    if case .create(let create) = verb, batch.transaction == nil {
      return await self.create(items, create, batch, entity)
    }
    return await sendTogether(items, verb, batch, entity)
  }

  private func sendAlone(
    _ item: OutgoingBatch.Item,
    _ verb: BatchedVerb,
    _ entity: EntityApi
  ) async -> ItemResult {
    unsettled.remove(item)
    return switch verb {
    case .create(let create): await self.create(item, create, entity)
    case .update(let route): await update(item, route, entity)
    case .delete(let route): await delete(item, route, entity)
    }
  }

  /// Sends items in one request; where that is a transaction that was rolled back for some of them, the
  /// others once more without those.
  ///
  /// | the answer | the items |
  /// |---|---|
  /// | success | have each the answer of their request |
  /// | 403 of the route itself | go one by one, as do all later ones |
  /// | a refused transaction that names requests | those have the answer of theirs; the others go again |
  /// | any other refusal | go again in halves, until each has its own reason |
  ///
  /// Each refusal names a request at least, so that no more requests are sent than there are items.
  private func sendTogether(
    _ items: [OutgoingBatch.Item],
    _ verb: BatchedVerb,
    _ batch: RequestBatch,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    let most = await mostRequests(of: batch)
    guard items.count <= most else { return .tooMany(items, limit: most) }
    guard !unsettled.holdsAny(of: items) else {
      return await oneByOne(items) { item in await sendAlone(item, verb, entity) }
    }
    var left = items.filter { verb.call($0, entity) != nil }
    var settled: [Int64: ItemOutcome] = [:]
    for item in items where verb.call(item, entity) == nil {
      settled[item.operation] = ItemResult.withoutIdentity.ownOutcome
    }
    while left.count > 1 {
      guard let packed = packed(left.compactMap { verb.call($0, entity) }, batch) else {
        return BatchAnswer(whole: .splittable(reason: "an item cannot be part of a request"))
      }
      let exchange = await exchange(packed, verb, entity)
      if isRefused(exchange, batch.route) { break }
      if case .done(let answer) = exchange.meaning {
        let ids = verb.ids(of: left, entity)
        let answers = InnerAnswers(answer, batch, packed.paths, ids, verb.row, entity.serverID(of:))
        return await read(answers, exchange, of: left, verb, batch, entity).adding(settled)
      }
      let failures = failures(in: exchange, of: left, batch)
      guard !failures.isEmpty else {
        return BatchAnswer.answer(exchange, for: left, route: batch.route).adding(settled)
      }
      var areThere = false
      for (item, answer) in failures {
        let inner = weighed(self.exchange(answer, to: verb.route, exchange), verb, entity)
        switch await result(inner, of: item, verb, entity).repeatable {
        case .outcome(let outcome):
          settled[item.operation] = outcome
          areThere = areThere || outcome == .exists
        case .whole(let whole, let pause):
          return BatchAnswer(whole: whole.uncounted, outcomes: settled, pause: pause)
        case .own(let answer):
          return BatchAnswer(
            whole: answer.whole.uncounted,
            outcomes: settled,
            pause: answer.pause,
            singles: [item.operation: answer.uncounted]
          )
        }
      }
      left.removeAll { settled[$0.operation] != nil }
      guard areThere else { continue }
      // After a lost answer, others of them are there as well.
      for item in await present(left, entity) { settled[item.operation] = .exists }
      left.removeAll { settled[$0.operation] != nil }
    }
    return await oneByOne(left) { item in await sendAlone(item, verb, entity) }.adding(settled)
  }

  private func exchange(
    _ packed: PackedRequests,
    _ verb: BatchedVerb,
    _ entity: EntityApi
  ) async -> Exchange {
    switch verb {
    case .create: await exchange(packed.call, making: entity)
    case .update, .delete: await exchange(packed.call)
    }
  }

  private func weighed(
    _ exchange: Exchange,
    _ verb: BatchedVerb,
    _ entity: EntityApi
  ) -> Exchange {
    switch verb {
    case .create: weighed(exchange, making: entity)
    case .update, .delete: exchange
    }
  }

  /// What the answers say of each item.
  private func read(
    _ answers: InnerAnswers?,
    _ exchange: Exchange,
    of items: [OutgoingBatch.Item],
    _ verb: BatchedVerb,
    _ batch: RequestBatch,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    guard let answers else {
      return BatchAnswer(whole: .unknown(reason: "the answers are not those to the requests"))
    }
    let inner = answers.ofItems.map { answer in
      answer.map { weighed(self.exchange($0, to: verb.route, exchange), verb, entity) }
    }
    if batch.transaction == nil, inner.contains(where: { $0.map(isSpoiling) ?? false }) {
      unsettled.add(items)
      return BatchAnswer(
        whole: .unknown(reason: "one of the requests had a conflict, which may undo the others")
      )
    }
    return await outcomes(of: items, inner) { exchange, item in
      await result(exchange, of: item, verb, entity)
    }
  }

  /// What an answer inside says of its item; what a request alone can settle is sent alone.
  func result(
    _ exchange: Exchange,
    of item: OutgoingBatch.Item,
    _ verb: BatchedVerb,
    _ entity: EntityApi
  ) async -> ItemResult {
    switch verb {
    case .create(let create):
      return await found(
        read(exchange, for: item, create, entity),
        exchange,
        item,
        create,
        entity
      )
    case .update(let route):
      guard let serverID = item.serverID else { return .withoutIdentity }
      let isBare = !route.ifMatch && route.version == nil
      guard exchange.status != 401, !demandsCondition(exchange, of: isBare) else {
        return await update(item, route, entity)
      }
      return read(exchange, ofChange: serverID, route, entity)
    case .delete(let route):
      guard let serverID = item.serverID else { return .withoutIdentity }
      guard exchange.status != 401, !demandsCondition(exchange, of: !route.ifMatch) else {
        return await delete(item, route, entity)
      }
      return await read(exchange, ofRemoval: serverID, route, entity)
    }
  }

  /// The items whose requests a refused transaction names, each with what its request was answered.
  private func failures(
    in exchange: Exchange,
    of items: [OutgoingBatch.Item],
    _ batch: RequestBatch
  ) -> [(OutgoingBatch.Item, InnerAnswer)] {
    guard let transaction = batch.transaction, let path = transaction.failed,
      let named = exchange.refusal?.value.value(at: path)?.object?.members
    else { return [] }
    return named.compactMap { member in
      guard let place = Int(member.name), items.indices.contains(place) else { return nil }
      let answer = member.value.value(at: transaction.reason) ?? member.value
      let status = InnerAnswer.status(answer.value(at: batch.answerParts.status))
      return (items[place], InnerAnswer(status: status ?? exchange.status ?? 400, body: answer))
    }
  }

  /// Those of some records to be made that are there under their identities; none where the destination
  /// cannot be asked for several.
  func present(
    _ items: [OutgoingBatch.Item],
    _ entity: EntityApi
  ) async -> [OutgoingBatch.Item] {
    guard entity.read?.isOfSeveral == true, entity.replay == .id else { return [] }
    do throws(DestinationError) {
      let found = try await records(of: entity.entity, serverIDs: items.map(\.clientID))
      return items.filter { found[$0.clientID] != nil }
    } catch {
      // Each of them is then refused by itself.
      return []
    }
  }
}

extension BatchAnswer {
  /// The same of a request that was rolled back.
  fileprivate var uncounted: BatchAnswer {
    BatchAnswer(
      whole: whole.uncounted,
      outcomes: outcomes,
      pause: pause,
      mayLieInOne: mayLieInOne,
      isUnanswered: isUnanswered,
      singles: singles
    )
  }
}

extension BatchAnswer.Whole {
  /// The same of a request that was rolled back: whatever became of it, nothing was carried out.
  fileprivate var uncounted: BatchAnswer.Whole {
    guard case .unknown(let reason) = self else { return self }
    return .deferred(reason: reason)
  }
}

extension ItemResult {
  /// What became of the item itself; `nil` where that says something of others too.
  fileprivate var ownOutcome: ItemOutcome? {
    guard case .outcome(let outcome) = self else { return nil }
    return outcome
  }
}
