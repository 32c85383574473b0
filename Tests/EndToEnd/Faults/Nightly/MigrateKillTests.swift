import Foundation
import TestSupport
import Testing

extension Faults.Kills {
  @Test
  func `a migration killed at any point sends every record exactly once when repeated`()
    async throws
  {
    let seed = Self.seed
    print("kills of migrate: seed \(seed)")
    let hits = try await inLanes(Self.laneCount) { number in
      try await withLane(takesMedia: number == 0) { lane in
        try await Self.killMigrations(
          lane,
          count: Self.wanted / Self.laneCount,
          seed: seed &+ UInt64(number)
        )
      }
    }
    print("kills of migrate by stage: \(hits.sorted { $0.key < $1.key })")
    #expect(hits.values.reduce(0, +) >= 200)
    for stage in Self.stages { #expect(hits[stage, default: 0] >= 5, "\(stage)") }
  }

  /// Migrates again and again, each time killed several times on the way.
  private static func killMigrations(
    _ lane: Lane,
    count: Int,
    seed: UInt64
  ) async throws -> [String: Int] {
    let goal = try await Undisturbed(lane)
    #expect([0, 3].contains(goal.finished.status), "\(goal.finished.standardError)")
    let files = try lane.fileCount()
    var kills = KillPlan(times: goal.times, seed: seed)
    var place = 0
    while kills.count < count, place < count * 4 {
      let trip = try lane.freshTrip()
      var stops = [kills.moment(place)]
      // Then one kill after the other, each in a stage that is still ahead.
      for _ in 0..<kills.number(in: 1...6) {
        let stage = stages[(place + stops.count) % stages.count]
        stops.append(kills.moment(within: stage))
      }
      place += 1
      var log: [String] = []
      for stop in stops {
        let finished = try await trip.migrate(stop: stop)
        kills.note(finished)
        log.append("\(stop): \(finished.status)")
        if !finished.wasKilled { break }
      }
      let finished = try await trip.migrateToTheEnd()
      let story = Comment(rawValue: "seed \(seed), \(log)\n\(finished.standardError)")
      #expect(finished.status == goal.finished.status, story)
      let differences = try lane.content().differences(from: goal.content)
      #expect(differences.isEmpty, story)
      let package = try trip.package()
      #expect(package == goal.package, story)
      #expect(try lane.fileCount() == files, story)
      try trip.forget()
    }
    print("\(place) migrations, \(kills.count) kills")
    return kills.hits
  }
}
