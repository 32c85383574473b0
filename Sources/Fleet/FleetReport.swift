package import JSONText

/// What a fleet came to: one report of all its stores.
package struct FleetReport: Hashable, Sendable {
  package static let format = "1.0"
  /// A table names every store of a fleet up to this size, else only those that are not done.
  private static let tableLimit = 30

  package let tool: String
  package let list: String
  package let shard: FleetShard?
  package let results: [FleetResult]
  package let seconds: Double
  package let status: Int32
  package let statusName: String

  package init(
    tool: String,
    list: String,
    shard: FleetShard?,
    results: [FleetResult],
    seconds: Double,
    status: Int32,
    statusName: String
  ) {
    self.tool = tool
    self.list = list
    self.shard = shard
    self.results = results
    self.seconds = seconds
    self.status = status
    self.statusName = statusName
  }

  /// How many stores have each status, by its name.
  package var storesByStatus: [String: Int] {
    results.reduce(into: [:]) { $0[$1.statusName, default: 0] += 1 }
  }

  /// How many records ended in each bucket, over all stores.
  package var records: [String: Int] {
    results.reduce(into: [:]) { $0.merge($1.records, uniquingKeysWith: +) }
  }

  /// The published form, `ferry.fleet.v1`; without the stores where these were reported one by one.
  package func value(withStores: Bool = true) -> JSONValue {
    var object: JSONObject = [
      "type": "fleet", "format": .string(Self.format), "tool": .string(tool),
      "list": .string(list),
      "shard": .text(shard.map { "\($0.number)/\($0.count)" }),
      "seconds": .whole(Int64(seconds.rounded())), "status": .whole(status),
      "statusName": .string(statusName), "storeCount": .whole(results.count),
      "byStatus": .counts(storesByStatus), "records": .counts(records),
    ]
    if withStores { object["stores"] = .array(results.map(\.value)) }
    return .object(object)
  }

  /// The rows of a table: store, status, records read, created, updated, completed, unchanged.
  package var rows: [[String]] {
    let shown = results.count <= Self.tableLimit ? results : results.filter { $0.status != 0 }
    return shown.prefix(1_000).map { result in
      [result.name, result.statusName]
        + ["read", "created", "updated", "completed", "unchanged"].map { bucket in
          result.records[bucket].map(String.init) ?? "·"
        }
    }
  }

  /// The line below the table.
  package var total: String {
    let parts = storesByStatus.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    let earlier = results.count(where: \.isEarlier)
    let stores = results.count == 1 ? "1 store" : "\(results.count) stores"
    return "\(stores): \(parts.joined(separator: ", "))"
      + (earlier > 0 ? " (\(earlier) done earlier)" : "")
  }
}
