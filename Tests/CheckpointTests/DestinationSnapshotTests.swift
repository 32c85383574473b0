import Checkpoint
import Files
import Foundation
import Records
import Testing
import UploadPlanning
import ScratchFiles

struct DestinationSnapshotTests {
  private static let entity: EntityName = "Hero"

  private static func key(_ name: String) -> Digest { OperationKey.digest(of: Array(name.utf8)) }

  /// Three records, two of which a person cannot know apart.
  private func snapshot(in bench: CheckpointBench) throws -> DestinationSnapshot {
    let snapshot = try DestinationSnapshot(path: CheckpointFile.snapshotPath(beside: bench.path))
    let rows = [("s3", "Nova"), ("s1", "Nova"), ("s2", "Luna")]
    try snapshot.add(
      rows.map { id, name in
        (RemoteRecord(serverID: id, version: "1", body: Array(name.utf8)), Self.key(name))
      },
      of: Self.entity
    )
    return snapshot
  }

  @Test func `records of one natural key are listed in the order of their identities`() throws {
    let snapshot = try snapshot(in: CheckpointBench())
    let found = try snapshot.candidates(naturalKey: Self.key("Nova"), of: Self.entity)
    #expect(found.map(\.serverID) == ["s1", "s3"])
    #expect(try snapshot.candidates(naturalKey: Self.key("Ada"), of: Self.entity).isEmpty)
  }

  @Test func `missing natural keys of a snapshot are computed record by record`() throws {
    let snapshot = try snapshot(in: CheckpointBench())
    let late = ["l1": "Nova", "l2": "Ada", "l3": "-"]
    try snapshot.add(
      late.map { id, name in
        (RemoteRecord(serverID: id, version: "1", body: Array(name.utf8)), nil)
      },
      of: Self.entity
    )
    try snapshot.setNaturalKeys(of: Self.entity) { body in
      body == Array("-".utf8) ? nil : OperationKey.digest(of: body)
    }
    func found(_ name: String) throws -> [String] {
      try snapshot.candidates(naturalKey: Self.key(name), of: Self.entity).map(\.serverID)
    }
    #expect(try found("Nova") == ["l1", "s1", "s3"])
    #expect(try found("Ada") == ["l2"])
    #expect(try found("-").isEmpty)
  }

  @Test func `an identity given to a record is not given to another`() throws {
    let snapshot = try snapshot(in: CheckpointBench())
    try snapshot.take("s1", of: Self.entity, for: "h1")
    let found = try snapshot.candidates(naturalKey: Self.key("Nova"), of: Self.entity)
    #expect(found.map(\.serverID) == ["s3"])
    #expect(try snapshot.taken(by: "h1", of: Self.entity)?.serverID == "s1")
    #expect(try snapshot.taken(by: "h2", of: Self.entity) == nil)
    let left = try snapshot.untaken(of: Self.entity, after: "", limit: 9)
    #expect(left.map(\.serverID) == ["s2", "s3"])
    try snapshot.take("s2", of: Self.entity, for: "h2")
    #expect(try snapshot.hasAny(of: Self.entity, isUntaken: true))
    try snapshot.take("s3", of: Self.entity, for: "h3")
    #expect(try !snapshot.hasAny(of: Self.entity, isUntaken: true))
  }

  @Test func `a snapshot returns the newest reading of a record`() throws {
    let snapshot = try snapshot(in: CheckpointBench())
    let newer = RemoteRecord(serverID: "s1", version: "2", body: [1, 2, 3])
    try snapshot.add([(newer, nil)], of: Self.entity)
    #expect(try snapshot.record("s1", of: Self.entity) == newer)
    #expect(try snapshot.record("s2", of: Self.entity)?.body == Array("Luna".utf8))
    #expect(try snapshot.record("s9", of: Self.entity) == nil)
    #expect(try snapshot.record("s1", of: "Story") == nil)
    let found = try snapshot.records(["s9", "s1", "s2"], of: Self.entity)
    #expect(found.all.count == 2 && found["s2"]?.version == "1")
    #expect(found["s1"] == newer)
    #expect(try snapshot.records(["s1"], of: "Story").isEmpty)
    #expect(try snapshot.untaken(of: Self.entity, after: "", limit: 9).count == 3)
  }

  @Test func `a later page's deletion counts, for its entity alone`() throws {
    let snapshot = try snapshot(in: CheckpointBench())
    let story = RemoteRecord(serverID: "s1", version: nil, body: [])
    try snapshot.add([(story, Self.key("Nova"))], of: "Story")
    try snapshot.drop(["s1", "s2"], of: Self.entity)
    try snapshot.drop([], of: Self.entity)
    #expect(try snapshot.record("s1", of: Self.entity) == nil)
    #expect(try snapshot.record("s3", of: Self.entity) != nil)
    #expect(try snapshot.record("s1", of: "Story") == story)
    #expect(try snapshot.candidates(naturalKey: Self.key("Nova"), of: "Story") == [story])
    #expect(try snapshot.untaken(of: "Story", after: "", limit: 9) == [story])
    #expect(try snapshot.hasAny(of: "Story"))
    #expect(try !snapshot.hasAny(of: "Rune"))
  }

  @Test func `the destination's deletions are remembered`() throws {
    let snapshot = try snapshot(in: CheckpointBench())
    #expect(try !snapshot.hasGone(of: Self.entity))
    try snapshot.addGone([], of: Self.entity)
    #expect(try !snapshot.hasGone(of: Self.entity))
    try snapshot.addGone(["s7", "s8", "s7"], of: Self.entity)
    #expect(try snapshot.hasGone(of: Self.entity) && !snapshot.hasGone(of: "Story"))
    #expect(try snapshot.isGone("s8", of: Self.entity))
    #expect(try !snapshot.isGone("s1", of: Self.entity))
    #expect(try !snapshot.isGone("s8", of: "Story"))
  }

  @Test func `records without a place are listed in the order of identities, a page at a time`()
    throws
  {
    let snapshot = try snapshot(in: CheckpointBench())
    try snapshot.add([(RemoteRecord(serverID: "s4", version: nil, body: []), nil)], of: "Story")
    #expect(
      try snapshot.untaken(of: Self.entity, after: "", limit: 2).map(\.serverID) == ["s1", "s2"]
    )
    #expect(try snapshot.untaken(of: Self.entity, after: "s1", limit: 1).map(\.serverID) == ["s2"])
    try snapshot.take("s2", of: Self.entity, for: "h2")
    #expect(try snapshot.untaken(of: Self.entity, after: "s1", limit: 9).map(\.serverID) == ["s3"])
    #expect(try snapshot.taker(of: "s2", entity: Self.entity) == "h2")
    #expect(try snapshot.taker(of: "s1", entity: Self.entity) == nil)
    #expect(try snapshot.taken(by: "h2", of: "Story") == nil)
  }

  @Test(arguments: [false, true])
  func `a sealed snapshot holds the same, and its file reveals nothing`(isSealed: Bool) throws {
    let bench = try CheckpointBench()
    let path = CheckpointFile.snapshotPath(beside: bench.path)
    let body = Array("no other user may read this".utf8)
    // More than is held in memory, so that the file has the beginning of it.
    let long = body + [UInt8](repeating: 0x20, count: 1 << 20)
    let fillers = (2...24).map { number in
      (
        record: RemoteRecord(serverID: "s\(number)", version: "1", body: long),
        natural: Digest?.none
      )
    }
    var snapshot: DestinationSnapshot? = try DestinationSnapshot(path: path, isSealed: isSealed)
    try snapshot?.add(
      [(RemoteRecord(serverID: "s1", version: "1", body: body), nil)],
      of: Self.entity
    )
    try snapshot?.add(fillers, of: Self.entity)
    #expect(try snapshot?.record("s1", of: Self.entity)?.body == body)
    let file = Data(try InputFile.contents(of: path))
    #expect(file.count > 2 << 20)
    #expect((file.range(of: Data(body)) != nil) == !isSealed)
    snapshot = nil
    #expect(!InputFile.isPresent(path))
  }

  @Test func `an empty snapshot replaces an old one`() throws {
    let bench = try CheckpointBench()
    let path = bench.folder + "/left"
    try WholeFile.replace(path, with: Array("what another run left".utf8))
    let snapshot = try DestinationSnapshot(path: path)
    #expect(try !snapshot.hasAny(of: Self.entity))
  }

  @Test func `duplicate keys are reported`() throws {
    let bench = try CheckpointBench()
    let path = bench.folder + "/keys"
    try WholeFile.replace(path, with: Array("what another run left".utf8))
    var keys: ScratchKeys? = try ScratchKeys(path: path)
    #expect(try keys?.add(["a", "b"], of: Self.entity) == [])
    #expect(try keys?.add(["b", "c", "c"], of: Self.entity) == ["b", "c"])
    #expect(try keys?.add(["a"], of: "Story") == [])
    #expect(try keys?.contains("c", of: Self.entity) == true)
    #expect(try keys?.contains("d", of: Self.entity) == false)
    #expect(try keys?.contains("c", of: "Story") == false)
    keys = nil
    #expect(!InputFile.isPresent(path))
  }
}
