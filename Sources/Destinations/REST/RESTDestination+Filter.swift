package import DestinationModel
import HTTPTransport
import JSONText
import NIOHTTP1
import Profiles
package import Records
package import UploadPlanning

// MARK: - Several records by one request

extension RESTDestination {
  /// Reads records by a filter on the list, where the profile has one; each alone that a filter cannot name.
  package func records(
    of entity: EntityName,
    serverIDs: [String]
  ) async throws(DestinationError) -> RemoteRecords {
    if let api = api.entity(entity), let lookup = api.read?.lookup {
      return try await records(serverIDs, lookup, api)
    }
    var found = RemoteRecords()
    guard let api = api.entity(entity), let list = api.list, let filter = api.read?.filter else {
      for serverID in serverIDs {
        found[serverID] = try await record(of: entity, serverID: serverID)
      }
      return found
    }
    var named: [String] = []
    for serverID in serverIDs {
      if filter.values(of: [serverID], api.values(ofIdentity:)) != nil {
        named.append(serverID)
      } else {
        found[serverID] = try await record(of: entity, serverID: serverID)
      }
    }
    let most = min(filter.limit, list.limit?.value ?? filter.limit)
    while !named.isEmpty {
      let asked = Array(named.prefix(most))
      named.removeFirst(asked.count)
      for record in try await filtered(asked, filter, list, api) {
        found[record.serverID] = record
      }
    }
    return found
  }

  /// The records that a filter passes, all of which must have been asked for: a destination that takes no
  /// notice of a parameter lists all that it has.
  private func filtered(
    _ ids: [String],
    _ filter: RecordFilter,
    _ list: ListRoute,
    _ api: EntityApi
  ) async throws(DestinationError) -> [RemoteRecord] {
    guard let values = filter.values(of: ids, api.values(ofIdentity:)) else {
      preconditionFailure("identities that a filter cannot name are read alone")
    }
    var call = Call(route: list.route)
    if let limit = list.limit { call.query.append((limit.name, "\(limit.value)")) }
    call.query += values.map { (filter.parameter, $0) }
    let exchange = await exchange(call).heeding(Envelope())
    let asked = Set(ids.map { JSONName($0) })
    var records: [RemoteRecord] = []
    for row in try rows(list, exchange) {
      if list.reportsRemoval(row) || api.read?.reportsRemoval(row) == true { continue }
      let record = try await remote(row, api, list.route, [:])
      guard asked.contains(JSONName(record.serverID)) else {
        throw .unexpected(
          request: "\(list.route)",
          reason:
            "“\(filter.parameter)” passes records that it does not name; correct or remove “many” in “read”"
        )
      }
      records.append(record)
    }
    if records.count < asked.count, let more = list.more,
      exchange.answer?.view.value(at: more)?.boolean == true
    {
      throw .unexpected(
        request: "\(list.route)",
        reason:
          "a page holds fewer records than “many” in “read” asks for; write a smaller “limit” there"
      )
    }
    return records
  }
}
