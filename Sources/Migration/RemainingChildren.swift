import Backends
import JSONText
import Records
import UploadPlanning

/// Which records still have others hanging on them when a rollback comes to remove them.
///
/// A destination may remove children together with their parent. A rollback removes its own
/// children first; whatever then still names a parent was kept, or was made by somebody else, and
/// must not go with it.
actor RemainingChildren {
  private var reading: [EntityName: Task<Result<Set<String>, MigrationError>, Never>] = [:]

  /// Whether a record of the destination is named by others that are there.
  ///
  /// The destination is read once for each entity, when its first record is asked about.
  func hang(
    on serverID: String,
    of parent: EntityName,
    desk: OperationDesk
  ) async throws(MigrationError) -> Bool {
    let task = reading[parent] ?? Task { await Self.parents(of: parent, desk: desk) }
    reading[parent] = task
    return try await task.value.get().contains(serverID)
  }

  private static func parents(
    of parent: EntityName,
    desk: OperationDesk
  ) async -> Result<Set<String>, MigrationError> {
    var parents: Set<String> = []
    do throws(MigrationError) {
      for (child, member) in desk.wires.links(to: parent) {
        try await desk.forEachPage(of: child) { page in
          for record in page.records {
            parents.formUnion(desk.wires[child].identities(in: member, ofRemote: record.body))
          }
        }
      }
      return .success(parents)
    } catch {
      return .failure(error)
    }
  }
}
