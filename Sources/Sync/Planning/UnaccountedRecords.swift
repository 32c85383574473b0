import Checkpoint
import DestinationModel
import JSONText
import Records
import RequestMapping
import StageSupport
import SyncReading
import UploadPlanning

/// What stands at the account, is none of this checkpoint's records, and was not there before its runs:
/// another device brought it, or a request of ours that arrived late and was repeated.
struct UnaccountedRecords: Sendable {
  let reader: SyncReader
  let snapshot: DestinationSnapshot
  /// Whether what another store of the account brought, by a checkpoint beside this one, is among them.
  var countsSiblings = false

  private var checkpoint: CheckpointFile { reader.checkpoint }

  /// Whether such records can be told for an entity: where the destination gives each record an
  /// identity of its own, and the profile says by what a person tells the records apart.
  func canTell(_ entity: EntityName) -> Bool {
    // A record that names its own place cannot be made twice.
    if case .id = reader.destination.traits.replay[entity] { return false }
    return reader.wires[entity].hasNaturalKey
  }

  /// Reads them, all or those of a time since the destination's own mark; gives whether there are any.
  func read(_ entity: EntityName, since mark: String?) async throws(MigrationError) -> Bool {
    let wire = reader.wires[entity]
    var isAny = false
    try await reader.forEachPage(of: entity, since: mark) { page throws(MigrationError) in
      let strange = try unaccounted(among: page.records.map(\.serverID), of: entity)
      isAny = isAny || !strange.isEmpty
      let found = page.records.filter { strange.contains(JSONName($0.serverID)) }
      try checkpointing { () throws(CheckpointError) in
        try snapshot.add(found.map { ($0, wire.naturalKey(ofRemote: $0.body)) }, of: entity)
      }
    }
    return isAny
  }

  func isAccountedFor(
    _ serverID: String,
    of entity: EntityName
  ) throws(MigrationError) -> Bool {
    try unaccounted(among: [serverID], of: entity).isEmpty
  }

  /// The identities of those of a page's records that are such.
  func unaccounted(
    among serverIDs: [String],
    of entity: EntityName
  ) throws(MigrationError) -> Set<JSONName> {
    try checkpointing { () throws(CheckpointError) in
      var left = try checkpoint.unaccounted(among: serverIDs, of: entity)
      for sibling in reader.siblings where !countsSiblings {
        var others: [String] = []
        for serverID in left where try !sibling.holds(serverID, of: entity) {
          others.append(serverID)
        }
        left = others
      }
      return Set(left.map { JSONName($0) })
    }
  }

  /// Those with the natural key of a record that nobody has taken, the same ones first.
  func like(
    _ form: WireForm,
    of entity: EntityName
  ) throws(MigrationError) -> (same: [RemoteRecord], other: [RemoteRecord]) {
    let wire = reader.wires[entity]
    guard let key = wire.naturalKey(of: form.create) else { return ([], []) }
    let found = try checkpointing { () throws(CheckpointError) in
      try snapshot.candidates(naturalKey: key, of: entity)
    }
    var same: [RemoteRecord] = []
    var other: [RemoteRecord] = []
    for record in found {
      if wire.isSame(form.create, asRemote: record.body) {
        same.append(record)
      } else {
        other.append(record)
      }
    }
    return (same, other)
  }

  /// Whether any of them was not taken so far.
  func isAnyUntaken(of entity: EntityName) throws(MigrationError) -> Bool {
    try checkpointing { () throws(CheckpointError) in
      try snapshot.hasAny(of: entity, isUntaken: true)
    }
  }

  func take(_ record: RemoteRecord, for id: RecordID) throws(MigrationError) {
    try checkpointing { () throws(CheckpointError) in
      try snapshot.take(record.serverID, of: id.entity, for: id.key)
    }
  }
}
