import Backends
import Checkpoint
import JSONText
import Records
import StageSupport
import UploadPlanning

/// Which records still have others hanging on them when a run comes to remove them.
///
/// A destination may remove children together with their parent. A run removes its own children first;
/// whatever then still names a parent was kept, or was made by somebody else, and must not go with it.
actor RemainingChildren {
  /// Of the records that the run is to remove, those that are named, each by its code points.
  private var reading: [EntityName: Task<Result<Set<JSONName>, MigrationError>, Never>] = [:]

  /// Whether the record that `removal` is to remove is named by others that are there.
  ///
  /// The destination is read once for each entity, when its first record is asked about. Of what it has,
  /// nothing is kept but what names a record of the run.
  func hang(
    on serverID: String,
    of removal: Operation,
    desk: OperationDesk
  ) async throws(MigrationError) -> Bool {
    let parent = removal.record.entity
    let task =
      reading[parent] ?? Task { await Self.parents(of: parent, besides: removal, desk) }
    reading[parent] = task
    return try await task.value.get().contains(JSONName(serverID))
  }

  private static func parents(
    of parent: EntityName,
    besides removal: Operation,
    _ desk: OperationDesk
  ) async -> Result<Set<JSONName>, MigrationError> {
    var wanted: Set<JSONName> = []
    var leaving: Set<JSONName> = []
    var parents: Set<JSONName> = []
    do throws(MigrationError) {
      try checkpointing { () throws(CheckpointError) in
        try desk.checkpoint.forEachPlace(of: parent, inRunOf: removal.number) { serverID, _ in
          if let serverID { wanted.insert(JSONName(serverID)) }
        }
        // A tree whose branches the user deleted goes as a whole.
        try desk.checkpoint.forEachPlace(of: parent, by: .delete, inRunOf: removal.number) {
          serverID,
          _ in
          if let serverID { leaving.insert(JSONName(serverID)) }
        }
      }
      for (child, member) in desk.wires.links(to: parent) {
        try await desk.forEachPage(of: child) { page in
          for record in page.records
          where child != parent || !leaving.contains(JSONName(record.serverID)) {
            for parent in desk.wires[child].identities(in: member, ofRemote: record.body) {
              let name = JSONName(parent)
              if wanted.contains(name) { parents.insert(name) }
            }
          }
        }
      }
      return .success(parents)
    } catch {
      return .failure(error)
    }
  }
}
