import Fleet
import Foundation
import TestSupport
import Testing

struct FleetShardTests {
  private func entries(_ count: Int) async throws -> [FleetEntry] {
    try await withTemporaryFolder { folder in
      let lines = (1...count).map { "store-\($0).sqlite\n" }.joined()
      let path = "\(folder)/list.txt"
      try lines.write(toFile: path, atomically: true, encoding: .utf8)
      return try FleetList(path).entries
    }
  }

  @Test(arguments: [1, 2, 3, 8, 97]) func `every store is in exactly one part`(count: Int)
    async throws
  {
    let entries = try await entries(500)
    let shards = try (1...count).map { try FleetShard("\($0)/\(count)", environment: [:]) }
    for entry in entries { #expect(shards.count { $0.contains(entry) } == 1) }
  }

  @Test func `a longer list moves no store to another part`() async throws {
    let shard = try FleetShard("2/4", environment: [:])
    let few = try await entries(100).filter(shard.contains).map(\.name)
    let many = try await entries(400).filter(shard.contains).map(\.name)
    #expect(many.starts(with: few))
  }

  @Test func `the hash is the first eight bytes of the SHA-256 of the name`() async throws {
    let entry = try #require(try await entries(1).first)
    // printf %s store-1.sqlite | sha256sum
    #expect(String(entry.hash, radix: 16) == Self.knownHash)
  }

  private static let knownHash = "3c551181484c937"

  @Test(arguments: [
    (["JOB_COMPLETION_INDEX": "0"], 0, 1), (["JOB_COMPLETION_INDEX": "7"], 1, 8),
    (["AWS_BATCH_JOB_ARRAY_INDEX": "3"], 1, 4), (["SLURM_ARRAY_TASK_ID": "0"], 0, 1),
    (["SLURM_ARRAY_TASK_ID": "8"], 1, 8),
  ]) func `the part of a fleet is read from the scheduler's variables`(
    environment: [String: String],
    firstIndex: Int,
    number: Int
  ) throws {
    let shard = try FleetShard("auto/8", firstIndex: firstIndex, environment: environment)
    #expect(shard.number == number)
    #expect(shard.count == 8)
  }

  @Test(
    arguments: [
      ("auto/8", [:]), ("auto/8", ["SLURM_ARRAY_TASK_ID": "8"]),
      ("auto/8", ["JOB_COMPLETION_INDEX": "x"]), ("auto/8", ["JOB_COMPLETION_INDEX": "-1"]),
      ("0/8", [:]), ("9/8", [:]), ("1/0", [:]), ("1", [:]), ("a/b", [:]), ("1/2/3", [:]),
      ("auto", ["JOB_COMPLETION_INDEX": "1"]), ("1/99999999999999999999", [:]),
    ] as [(String, [String: String])]
  )
  func `a part number outside the fleet is refused`(
    text: String,
    environment: [String: String]
  ) {
    #expect(throws: FleetError.self) { try FleetShard(text, environment: environment) }
  }
}
