import Checkpoint
import DestinationModel
import JSONText
import Records
import RequestMapping
import SyncReading
import UploadPlanning

/// Which records still have others depending on them when a run comes to remove them.
///
/// A destination may remove children together with their parent. A run removes its own children first. What
/// then still names a parent must not go with it: a rollback kept it, or another client made or changed it.
actor RemainingChildren {
  /// Of the records that the run is to remove, those that are named, each by its code points.
  private var reading: [EntityName: Task<Result<Set<JSONName>, any Error>, Never>] = [:]

  /// Whether the record that `removal` is to remove is named by others that are there.
  ///
  /// The destination is read once for each entity, when its first record is asked about. Of what it has,
  /// nothing is kept but what names a record of the run.
  func hasDependents(
    on serverID: String,
    of removal: Operation,
    reader: SyncReader
  ) async throws -> Bool {
    let parent = removal.record.entity
    let task =
      reading[parent] ?? Task { await Self.parents(of: parent, besides: removal, reader) }
    reading[parent] = task
    return try await task.value.get().contains(JSONName(serverID))
  }

  private static func parents(
    of parent: EntityName,
    besides removal: Operation,
    _ reader: SyncReader
  ) async -> Result<Set<JSONName>, any Error> {
    var wanted: Set<JSONName> = []
    var parents: Set<JSONName> = []
    do {
      try reader.checkpoint.forEachPlace(of: parent, inRunOf: removal.number) { serverID, _ in
        if let serverID { wanted.insert(JSONName(serverID)) }
      }
      for (child, member) in reader.mappings.links(to: parent) {
        try await reader.forEachPage(of: child) { page in
          for record in page.records {
            for place in reader.mappings[child].identities(in: member, ofRemote: record.body) {
              let name = JSONName(place)
              guard wanted.contains(name), !parents.contains(name) else { continue }
              if removal.action == .delete {
                let deleted = try reader.checkpoint.keys(at: place, of: parent)
                  .map { RecordID(entity: parent, key: $0) }
                if try isOwn(record, of: child, under: deleted, reader) { continue }
              }
              parents.insert(name)
            }
          }
        }
      }
      return .success(parents)
    } catch {
      return .failure(error)
    }
  }

  /// Whether this store sent a record, and nothing shows that another writer changed it since the user deleted
  /// what it names: what becomes of it then is the app's own decision.
  ///
  /// A store that takes over another writer's change after the deletion has its revision, and still did not
  /// delete that.
  private static func isOwn(
    _ record: RemoteRecord,
    of entity: EntityName,
    under deleted: [RecordID],
    _ reader: SyncReader
  ) throws -> Bool {
    for key in try reader.checkpoint.keys(at: record.serverID, of: entity) {
      let id = RecordID(entity: entity, key: key)
      let known = try reader.checkpoint.known(id)
      guard record.version == nil || record.version == known?.version else { continue }
      let isOthers = try deleted.contains { parent in
        try reader.checkpoint.hasOthersContent(id, sinceDeletionOf: parent)
      }
      if !isOthers { return true }
    }
    return false
  }
}
