import TestSupport
import Testing

extension Faults {
  /// The system kills the program for want of memory.
  @Suite(
    .serialized,
    .enabled(
      if: MemoryGroup.obstacle == nil,
      "skipped, no memory can be set a limit: \(MemoryGroup.obstacle ?? "")"
    )
  )
  struct Memory {}
}

extension Faults.Memory {
  @Test func `a run killed for lack of memory stores every record exactly once when repeated`()
    async throws
  {
    var killCount = 0
    for mebibytes in [3, 4, 5, 6, 7, 8, 10, 24, 32, 48] {
      try await withLane { lane in
        let goal = try await Undisturbed.later()
        let trip = try lane.freshTrip()
        let (limited, kills) = try await Self.migrate(trip, mebibytes: mebibytes)
        let story = Comment(
          rawValue: "\(mebibytes) MiB: \(limited.status) \(limited.standardError)"
        )
        if kills > 0 {
          killCount += 1
          print("killed with \(mebibytes) MiB: \(limited.standardError.suffix(60))")
          #expect(limited.wasKilled, story)
        } else {
          #expect(limited.status == goal.finished.status, story)
        }
        let finished = try await trip.migrateToTheEnd()
        #expect(finished.status == goal.finished.status, "\(finished.standardError)")
        #expect(try lane.content().differences(from: goal.content).isEmpty, story)
        #expect(try trip.package() == goal.package, story)
      }
    }
    print("killed for want of memory: \(killCount) times")
    #expect(killCount > 0, "no limit was too small")
  }

  /// Migrates within a limit; gives how often the system killed for it, too.
  private static func migrate(
    _ trip: Trip,
    mebibytes: Int
  ) async throws -> (finished: Finished, kills: Int) {
    try await MemoryGroup.with(mebibytes: mebibytes) { group in
      let lane = trip.lane
      let limited = Lane(
        folder: lane.folder,
        sample: lane.sample,
        profile: lane.profile,
        backend: lane.backend,
        program: lane.program.started(by: group.words)
      )
      let finished = try await Trip(lane: limited, state: trip.state)
        .migrate(stop: .kill(after: .seconds(60)))
      return (finished, try group.killCount())
    }
  }
}
