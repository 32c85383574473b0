package import Checkpoint
import Files
import Records
import ScratchFiles

/// What rollbacks of other stores of the account removed at the destination, by its identities there.
///
/// What was gone already when that rollback came to it is not one of it: another device had deleted that.
package final class RolledBackIDs: Sendable {
  private let folder: PrivateFolder
  private let serverIDs: ScratchKeys

  private init() throws {
    let folder = try PrivateFolder()
    self.folder = folder
    serverIDs = try ScratchKeys(path: folder.path + "/keys.sqlite")
  }

  /// Reads what the rollbacks of some stores removed; gives `nil` where that is nothing.
  package static func reading(_ stores: [CheckpointView]) throws -> RolledBackIDs? {
    guard !stores.isEmpty else { return nil }
    let rolledBackIDs = try RolledBackIDs()
    var isAny = false
    for store in stores {
      if try rolledBackIDs.add(all: store) { isAny = true }
    }
    return isAny ? rolledBackIDs : nil
  }

  func contains(_ serverID: String, of entity: EntityName) throws -> Bool {
    try serverIDs.contains(serverID, of: entity)
  }

  private func add(all store: CheckpointView) throws -> Bool {
    var place: Int64 = 0
    while true {
      let after = place
      let page = try store.removals(after: after, limit: 1_000)
      guard let last = page.last else { return place > 0 }
      place = last.number
      var serverIDs: [EntityName: [String]] = [:]
      for removal in page { serverIDs[removal.entity, default: []].append(removal.serverID) }
      for (entity, removed) in serverIDs { try add(removed, of: entity) }
    }
  }

  private func add(_ removed: [String], of entity: EntityName) throws {
    _ = try serverIDs.add(removed, of: entity)
  }
}
