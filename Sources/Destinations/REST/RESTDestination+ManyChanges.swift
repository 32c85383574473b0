import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import UploadPlanning

// MARK: - Several records changed by one request

extension RESTDestination {
  /// Sends changes as the rows of one request, each under the identity of its record.
  ///
  /// | the changes | go |
  /// |---|---|
  /// | one alone, and those with a revision that the record must still have | by requests of their own |
  /// | of a request that is answered by 403, and all later ones | by requests of their own |
  /// | of a request that is refused otherwise | again in halves, until each has its own reason |
  func update(
    _ items: [OutgoingBatch.Item],
    _ route: UpdateRoute,
    _ many: RowBatch,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    guard items.count <= max(many.limit, 1) else { return .tooMany(items, limit: many.limit) }
    let isPlain = items.allSatisfy { $0.serverID != nil && !route.isConditional($0) }
    guard items.count > 1, isPlain, !refusedBatches.contains(many.route),
      let call = Self.call(items, many, entity)
    else {
      return await oneByOne(items) { item in await update(item, route, entity) }
    }
    let exchange = await exchange(call).heeding(Envelope())
    guard case .done(let answer) = exchange.meaning else {
      if isRefused(exchange, many.route) {
        return await oneByOne(items) { item in await update(item, route, entity) }
      }
      return BatchAnswer.answer(exchange, for: items, route: many.route)
    }
    if let made = many.made {
      return Self.read(answer?.view.value(at: made)?.elements, of: items, many, entity)
    }
    return .each(items) { .stored(serverID: $0.serverID ?? $0.clientID, version: nil) }
  }
}

extension UpdateRoute {
  /// Whether a change is sent with the revision that its record must still have.
  fileprivate func isConditional(_ item: OutgoingBatch.Item) -> Bool {
    item.version != nil && (match != nil || ifMatch || version != nil)
  }
}
