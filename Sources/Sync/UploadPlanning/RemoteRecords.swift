import JSONText

/// Records of a destination, by their identities.
///
/// Identities are distinguished by their code points: “é” as one and “é” as two are two identities, though
/// Swift takes the texts for equal.
package struct RemoteRecords: Sendable {
  private var records: [JSONName: RemoteRecord] = [:]

  package init() {}

  package subscript(serverID: String) -> RemoteRecord? {
    get { records[JSONName(serverID)] }
    set { records[JSONName(serverID)] = newValue }
  }

  package var isEmpty: Bool { records.isEmpty }

  /// All of them, in no order.
  package var all: [RemoteRecord] { Array(records.values) }

  package mutating func reserveCapacity(_ count: Int) { records.reserveCapacity(count) }
}
