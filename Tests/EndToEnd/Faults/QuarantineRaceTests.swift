import Foundation
import JSONText
import TestSupport
import Testing

extension Faults {
  /// Several processes quarantine records of the same package, in the same state folder, at once.
  @Suite(.serialized) struct QuarantineRaces {}
}

extension Faults.QuarantineRaces {
  /// A hero and a story that break their schemas; the title is nowhere else.
  private static let damages = [
    "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Bold' WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZHERO)",
    "UPDATE ZSTORY SET ZPLAYCOUNT = -3, ZTITLE = 'Never to be sent' WHERE Z_PK = 1",
  ]
  private static let flags = ["--on-invalid", "quarantine"]

  @Test func `packages validated at once have their invalid records quarantined once`() async throws
  {
    try await Self.withDamagedLane { lane in
      let package = "\(lane.folder)/p.ferry"
      try await Self.export(lane, to: package)
      let line = ["validate", package] + Self.flags
      let alone = "\(lane.folder)/alone"
      let goal = try await lane.program.run(line, state: alone)
      #expect(goal.status == 3, "\(goal.standardError)")
      let kept = try Self.quarantine(alone)
      #expect(kept.count > 3, "\(kept.keys.sorted())")
      for round in 0..<8 {
        let state = "\(lane.folder)/state-\(round)"
        try await forEach(Array(0..<4), atOnce: 4) { _ in
          let finished = try await lane.program.run(line, state: state)
          #expect(finished.status == 3, "\(finished.standardError)")
        }
        #expect(try Self.quarantine(state) == kept)
      }
    }
  }

  @Test(.enabled(if: Injector.program("strace") != nil, "skipped: there is no strace"))
  func
    `several processes that begin a quarantine at once end with all of it`()
    async throws
  {
    try await Self.withDamagedLane { lane in
      let package = "\(lane.folder)/p.ferry"
      try await Self.export(lane, to: package)
      let line = ["validate", package] + Self.flags
      _ = try await lane.program.run(line, state: "\(lane.folder)/alone")
      let kept = try Self.quarantine("\(lane.folder)/alone")
      // All have looked whether something is there before the first puts its own there.
      let late = lane.program.started(by: [
        "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=/^rename", "-e",
        "inject=/^rename:delay_enter=400ms",
      ])
      let state = "\(lane.folder)/state"
      try await forEach(Array(0..<3), atOnce: 3) { _ in
        let finished = try await late.run(line, state: state)
        #expect(finished.status == 3, "\(finished.standardError)")
      }
      #expect(try Self.quarantine(state) == kept)
    }
  }

  @Test
  func `validated, exported and migrated at once, a store has no invalid record sent or lost`()
    async throws
  {
    try await Self.withDamagedLane { lane in
      let package = "\(lane.folder)/p.ferry"
      try await Self.export(lane, to: package)
      let alone = try lane.freshTrip()
      let goal = try await alone.migrate(Self.flags)
      #expect(goal.status == 3, "\(goal.standardError)")
      let (content, kept) = (try lane.content(), try Self.quarantine(alone.state))
      for round in 0..<6 {
        let trip = try lane.freshTrip()
        try await forEach(Array(0..<5), atOnce: 5) { number in
          let finished =
            switch number {
            case 0, 1: try await trip.migrate(Self.flags)
            case 2, 3:
              try await lane.program.run(["validate", package] + Self.flags, state: trip.state)
            default:
              try await Self.export(lane, to: "\(lane.folder)/p-\(round).ferry", state: trip.state)
            }
          let isLocked = number < 2 && finished.status == 11
          let wanted: Int32 = number < 4 ? 3 : 0
          #expect(isLocked || finished.status == wanted, "\(number): \(finished.standardError)")
        }
        var finished = try await trip.migrate(Self.flags)
        for _ in 0..<5 where finished.status == 5 { finished = try await trip.migrate(Self.flags) }
        #expect(finished.status == 3, "\(finished.standardError)")
        #expect(try lane.content().differences(from: content).isEmpty)
        #expect(try Self.quarantine(trip.state) == kept)
        for change in try lane.backend.changes() {
          #expect(!change.canonicalText.contains("Never to be sent"))
        }
      }
    }
  }

  // MARK: -

  private static func withDamagedLane(_ body: (Lane) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.laterInfiniteStories.copied(into: folder)
      for damage in damages {
        _ = try RealServer.output("/usr/bin/env", ["sqlite3", sample.store, damage])
      }
      try await withLane(sample) { lane in try await body(lane) }
    }
  }

  @discardableResult
  private static func export(
    _ lane: Lane,
    to package: String,
    state: String? = nil
  ) async throws -> Finished {
    let finished = try await lane.program.run(
      ["export", lane.sample.store, "-o", package, "--profile", lane.profile],
      state: state ?? "\(lane.folder)/exporting"
    )
    #expect(finished.status == 0, "\(finished.standardError)")
    return finished
  }

  /// The digests of all that is quarantined, by their paths; what is half written is among it.
  private static func quarantine(_ state: String) throws -> [String: String] {
    try SourceDigests(of: "\(state)/quarantine").entries.mapValues(\.sha256)
  }
}
