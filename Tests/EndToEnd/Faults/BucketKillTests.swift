import Foundation
import TestSupport
import Testing

extension Faults.Kills {
  /// Records and the files that they name lie with two services, and either may be ahead of the other.
  @Test(
    .enabled(
      if: ObjectStore.python != nil,
      "skipped: FERRY_SWIFT does not name OpenStack Swift's Python"
    )
  )
  func
    `killed at any moment of upload, resume and rollback, each file is in its bucket once, and then none`()
    async throws
  {
    let seed = Self.seed
    let wanted = min(Self.wanted, Self.isAskedFor ? .max : 6)
    print("kills with a bucket: seed \(seed)")
    let hits = try await inLanes(2) { number in
      // A file that was on its way when the program was killed may arrive a little later.
      try await withLane(settle: "1s") { lane in
        let lane = try BucketLane(lane)
        return try await Self.kill(lane, count: wanted / 2, seed: seed &+ UInt64(number))
      }
    }
    print("kills with a bucket by stage: \(hits.sorted { $0.key < $1.key })")
    #expect(hits.values.reduce(0, +) >= wanted / 2 * 2)
    for stage in Self.aims { #expect(hits[stage, default: 0] >= 1, "\(stage)") }
  }
}

/// The development backend, and a bucket of OpenStack Swift's for the files of its records.
private struct BucketLane: KillLane {
  private let lane: Lane
  private let bucket: ObjectStore
  private let profile: String
  let endings: Set<Int32> = [0, 3]
  let leastCount = 20

  var folder: String { lane.folder }
  var program: FerryProgram { lane.program }
  var store: String { lane.sample.store }

  init(_ lane: Lane) throws {
    self.lane = lane
    bucket = try ObjectStore()
    profile = "\(lane.folder)/bucket.yaml"
    let text = try String(contentsOfFile: lane.profile, encoding: .utf8)
    try ObjectStore.profile(
      text,
      keepingFilesAt: bucket.origin,
      in: bucket.bucket,
      shownAt: "\(lane.backend.origin)/media"
    )
    .write(toFile: profile, atomically: true, encoding: .utf8)
  }

  func run(
    _ verb: [String],
    _ state: String,
    _ stop: Stop?,
    _ more: [String: String]
  ) async throws -> Finished {
    var environment = DemoAccount.environment.merging(more) { $1 }
    environment["S3_ACCESS_KEY"] = ObjectStore.accessKey
    environment["S3_SECRET_KEY"] = ObjectStore.secretKey
    return try await program.run(
      verb + ["--profile", profile, "--to", lane.backend.origin] + DemoAccount.flags + [
        "--credential", "s3-access-key=env:S3_ACCESS_KEY",
        "--credential", "s3-secret-key=env:S3_SECRET_KEY",
      ],
      environment: environment,
      state: state,
      stop: stop
    )
  }

  /// Every row, with the addresses of its files; every file, with its digest; and every part of one.
  func content() throws -> [String] {
    var pieces: [String] = []
    for (table, rows) in try lane.content().rows {
      for (row, count) in rows {
        pieces += Array(repeating: "\(table) \(row)", count: count)
      }
    }
    pieces += try bucket.objects().map { "file \($0.key) \($0.sha256)" }
    pieces += try bucket.parts().keys.map { "part \($0)" }
    return pieces.sorted()
  }
}
