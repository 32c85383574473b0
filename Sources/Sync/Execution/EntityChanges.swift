import Checkpoint
package import Records

/// Which fields the updates of an entity change, each with the number of records.
package struct EntityChanges: Hashable, Sendable {
  package let entity: EntityName
  /// How many updates were looked at.
  package private(set) var reported = 0
  package private(set) var fields: [String: Int] = [:]

  static func all(
    of run: RunRecord,
    in checkpoint: CheckpointFile
  ) throws(CheckpointError) -> [EntityChanges] {
    var found: [EntityName: EntityChanges] = [:]
    try checkpoint.forEachChange(of: run) { change in
      let entity = change.record.entity
      found[entity, default: EntityChanges(entity: entity)].add(change.members)
    }
    return found.values.sorted { $0.entity < $1.entity }
  }

  private mutating func add(_ members: [String]) {
    reported += 1
    for member in members { fields[member, default: 0] += 1 }
  }
}
