import TextCodecs
import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import UploadPlanning

// MARK: - Several records by a request that names them

extension RESTDestination {
  /// Reads records by requests that name each, and are answered with a result for each.
  func records(
    _ serverIDs: [String],
    _ lookup: RecordLookup,
    _ entity: EntityApi
  ) async throws(DestinationError) -> RemoteRecords {
    let account = lookup.each.names.contains("account") ? try await heldAccount() : nil
    var found = RemoteRecords()
    var left = serverIDs[...]
    while !left.isEmpty {
      let asked = Array(left.prefix(lookup.limit))
      left = left.dropFirst(asked.count)
      for record in try await read(asked, lookup, entity, account) {
        found[record.serverID] = record
      }
    }
    return found
  }

  private func read(
    _ ids: [String],
    _ lookup: RecordLookup,
    _ entity: EntityApi,
    _ account: String?
  ) async throws(DestinationError) -> [RemoteRecord] {
    var body = JSONObject()
    body[lookup.names] = .array(
      ids.compactMap { id in
        var values = ["id": JSONValue.string(id)]
        values["account"] = account.map { .string($0) }
        return lookup.each.filled(values)
      }
    )
    let call = Call(route: lookup.route, body: .json(JSONValue.object(body).canonicalBytes))
    let exchange = await exchange(call).heeding(Envelope())
    guard let results = exchange.answer?.view.value(at: lookup.results)?.elements else {
      throw exchange.error(request: lookup.route, origin: origin)
    }
    var records: [RemoteRecord] = []
    var missing = 0
    for result in results {
      if lookup.missing.contains(where: { result.value(at: $0) != nil }) {
        missing += 1
      } else if let row = result.value(at: lookup.found) {
        records.append(try await remote(row, entity, lookup.route, exchange.headers))
      } else if lookup.missing.isEmpty {
        missing += 1
      }
    }
    let asked = Set(ids.map { JSONName($0) })
    guard records.allSatisfy({ asked.contains(JSONName($0.serverID)) }),
      Set(records.map { JSONName($0.serverID) }).count + missing == asked.count
    else {
      throw .unexpected(
        request: "\(lookup.route)",
        reason: "the answer has not one result for each record that was asked for"
      )
    }
    return records
  }
}
