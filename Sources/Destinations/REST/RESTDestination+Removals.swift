import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import Records
import UploadPlanning

// MARK: - Several records removed by one request

extension RESTDestination {
  /// Removes records by a filter that passes them and no others; each alone that a filter cannot name.
  ///
  /// | the answer has | the record |
  /// |---|---|
  /// | its row | was removed |
  /// | not its row, and it is not there | was not there |
  /// | not its row, and it is there | may not be removed by the account |
  /// | no rows to be read | is unknown |
  func delete(
    _ items: [OutgoingBatch.Item],
    _ route: DeleteRoute,
    _ many: FilteredRemoval,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    guard items.count <= many.filter.limit else {
      return .tooMany(items, limit: many.filter.limit)
    }
    let ids = items.compactMap(\.serverID)
    guard items.count > 1, ids.count == items.count,
      let values = many.filter.values(of: ids, entity.values(ofIdentity:))
    else {
      return await oneByOne(items) { item in await delete(item, route, entity) }
    }
    let call = Call(route: many.route, query: values.map { (many.filter.parameter, $0) })
    let exchange = await exchange(call).heeding(Envelope())
    guard case .done(let answer) = exchange.meaning else {
      return BatchAnswer.answer(exchange, for: items, route: many.route)
    }
    guard let rows = answer?.view.value(at: many.removed)?.elements else {
      return BatchAnswer(whole: .unknown(reason: "the answer does not have the rows removed"))
    }
    let removed = Set(rows.compactMap { entity.serverID(of: $0)?.identitySpelling })
    return await outcomes(of: items, removed, entity)
  }

  private func outcomes(
    of items: [OutgoingBatch.Item],
    _ removed: Set<String>,
    _ entity: EntityApi
  ) async -> BatchAnswer {
    var outcomes: [Int64: ItemOutcome] = [:]
    for item in items {
      guard let id = item.serverID else { continue }
      outcomes[item.operation] =
        removed.contains(id.identitySpelling) ? .removed : await unremoved(id, entity)
    }
    return BatchAnswer(outcomes: outcomes)
  }

  /// What became of a record that a removal did not name.
  private func unremoved(_ id: String, _ entity: EntityApi) async -> ItemOutcome {
    do throws(DestinationError) {
      guard try await record(of: entity.entity, serverID: id) != nil else { return .missing }
    } catch {
      return .unknown(reason: "what a removal left could not be read: \(error)")
    }
    return .rejected(
      code: "http.200",
      reason: "the destination removed nothing: the account may not remove it, perhaps"
    )
  }
}
