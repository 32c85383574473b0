import Checkpoint
import DestinationModel
package import JSONText
package import Records
package import RequestMapping
package import UploadPlanning
package import ScratchFiles

/// What is at the account, is not one of this checkpoint's records, and was not there before its runs:
/// another device sent it, or a request of ours that arrived late and was repeated.
package struct UntrackedRecords: Sendable {
  let reader: SyncReader
  let snapshot: DestinationSnapshot
  /// Whether what another store of the account sent, by a checkpoint beside this one, is among them.
  let countsSiblings: Bool

  package init(reader: SyncReader, snapshot: DestinationSnapshot, countsSiblings: Bool = false) {
    self.reader = reader
    self.snapshot = snapshot
    self.countsSiblings = countsSiblings
  }

  private var checkpoint: CheckpointFile { reader.checkpoint }

  /// Whether such records can be determined for an entity: where the destination gives each record an
  /// identity of its own, and the profile says by what a person distinguishes the records.
  package func canJudge(_ entity: EntityName) -> Bool {
    // A record that names its own place cannot be made twice.
    if case .id = reader.traits.replay[entity] { return false }
    return reader.mappings[entity].hasNaturalKey
  }

  /// Reads them, all or those of a time since the destination's own mark; gives whether there are any.
  package func read(_ entity: EntityName, since mark: String?) async throws -> Bool {
    let mapping = reader.mappings[entity]
    var isAny = false
    try await reader.forEachPage(of: entity, since: mark) { page in
      let untracked = try untracked(among: page.records.map(\.serverID), of: entity)
      isAny = isAny || !untracked.isEmpty
      let found = page.records.filter { untracked.contains(JSONName($0.serverID)) }
      try snapshot.add(found.map { ($0, mapping.naturalKey(ofRemote: $0.body)) }, of: entity)
    }
    return isAny
  }

  package func isAccountedFor(
    _ serverID: String,
    of entity: EntityName
  ) throws -> Bool {
    try untracked(among: [serverID], of: entity).isEmpty
  }

  /// The identities of those of a page's records that are such.
  package func untracked(
    among serverIDs: [String],
    of entity: EntityName
  ) throws -> Set<JSONName> {
    var left = try checkpoint.untracked(among: serverIDs, of: entity)
    for sibling in reader.siblings where !countsSiblings {
      var others: [String] = []
      for serverID in left where try !sibling.holds(serverID, of: entity) {
        others.append(serverID)
      }
      left = others
    }
    return Set(left.map { JSONName($0) })
  }

  /// Those with the natural key of a record that no one has taken, the same ones first.
  package func like(
    _ form: RequestFieldSet,
    of entity: EntityName
  ) throws -> (same: [RemoteRecord], other: [RemoteRecord]) {
    let mapping = reader.mappings[entity]
    guard let key = mapping.naturalKey(of: form.create) else { return ([], []) }
    let found = try snapshot.candidates(naturalKey: key, of: entity)
    var same: [RemoteRecord] = []
    var other: [RemoteRecord] = []
    for record in found {
      if mapping.isSame(form.create, asRemote: record.body) {
        same.append(record)
      } else {
        other.append(record)
      }
    }
    return (same, other)
  }

  /// Whether any of them was not taken so far.
  func isAnyUntaken(of entity: EntityName) throws -> Bool {
    try snapshot.hasAny(of: entity, isUntaken: true)
  }

  package func take(_ record: RemoteRecord, for id: RecordID) throws {
    try snapshot.take(record.serverID, of: id.entity, for: id.key)
  }
}
