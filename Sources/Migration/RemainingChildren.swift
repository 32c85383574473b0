import Backends
import JSONText
import Records
import UploadPlanning

/// Which records and files are still named by others when a rollback comes to remove them.
///
/// A destination may remove children together with their parent, and leaves a record without its file. A
/// rollback removes its own children first, and files last; whatever then still names a parent or a file
/// was kept, or was made by somebody else, and must not lose it.
actor RemainingChildren {
  private var reading: [EntityName: Task<Result<Set<String>, MigrationError>, Never>] = [:]

  /// Whether a record of the destination is named by others that are there.
  func hang(
    on serverID: String,
    of parent: EntityName,
    desk: OperationDesk
  ) async throws(MigrationError) -> Bool {
    try await named(parent, desk).contains(serverID)
  }

  /// Whether a file is named by records that are there: by its address, by the key under which it lies, or by
  /// an address that ends with that key.
  func name(
    fileAt serverID: String,
    address: String?,
    of category: EntityName,
    desk: OperationDesk
  ) async throws(MigrationError) -> Bool {
    let named = try await named(category, desk)
    return named.contains(serverID) || address.map { named.contains($0) } ?? false
  }

  /// What is named at the destination, which is read once for each entity, when its first record, or file, is
  /// asked about.
  private func named(
    _ parent: EntityName,
    _ desk: OperationDesk
  ) async throws(MigrationError) -> Set<String> {
    let task = reading[parent] ?? Task { await Self.parents(of: parent, desk: desk) }
    reading[parent] = task
    return try await task.value.get()
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
            let named = desk.wires[child].identities(in: member, ofRemote: record.body)
            parents.formUnion(
              parent.mediaCategory == nil ? named : named.flatMap(Self.ways(toFileAt:))
            )
          }
        }
      }
      return .success(parents)
    } catch {
      return .failure(error)
    }
  }

  /// An address, and all that may be the key of the file at it: what a server signs it with comes and goes.
  private static func ways(toFileAt address: String) -> [String] {
    let plain = address.prefix { $0 != "?" && $0 != "#" }
    var ways = [address]
    var rest: Substring? = plain
    while let way = rest {
      ways.append(String(way))
      rest = way.firstIndex(of: "/").map { way[way.index(after: $0)...] }
    }
    return ways
  }
}
