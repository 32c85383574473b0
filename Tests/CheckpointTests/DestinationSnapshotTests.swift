import Checkpoint
import Records
import Testing
import UploadPlanning

struct DestinationSnapshotTests {
  private static let entity: EntityName = "Hero"

  private static func key(_ name: String) -> Digest { OperationKey.digest(of: Array(name.utf8)) }

  /// Three records, two of which a person cannot tell apart.
  private func snapshot(in bench: CheckpointBench) throws -> DestinationSnapshot {
    let snapshot = try DestinationSnapshot(path: DestinationSnapshot.path(beside: bench.path))
    let rows = [("s3", "Nova"), ("s1", "Nova"), ("s2", "Luna")]
    try snapshot.add(
      rows.map { id, name in
        (RemoteRecord(serverID: id, version: "1", body: Array(name.utf8)), Self.key(name))
      },
      of: Self.entity
    )
    return snapshot
  }

  @Test func `those of a natural key come in the order of their identities`() throws {
    let snapshot = try snapshot(in: CheckpointBench())
    let found = try snapshot.candidates(naturalKey: Self.key("Nova"), of: Self.entity)
    #expect(found.map(\.serverID) == ["s1", "s3"])
    #expect(try snapshot.candidates(naturalKey: Self.key("Ada"), of: Self.entity).isEmpty)
  }

  @Test func `what was given to a record is no other's`() throws {
    let snapshot = try snapshot(in: CheckpointBench())
    try snapshot.take("s1", of: Self.entity, for: "h1")
    let found = try snapshot.candidates(naturalKey: Self.key("Nova"), of: Self.entity)
    #expect(found.map(\.serverID) == ["s3"])
    #expect(try snapshot.taken(by: "h1", of: Self.entity)?.serverID == "s1")
    #expect(try snapshot.taken(by: "h2", of: Self.entity) == nil)
    #expect(try snapshot.counts(of: Self.entity) == (3, 2))
  }
}
