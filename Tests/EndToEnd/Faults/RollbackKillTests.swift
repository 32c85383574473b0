import JSONText
import TestSupport
import Testing

extension Faults.Kills {
  @Test
  func
    `killed at any moment of rollback, the same line again leaves the earlier content`()
    async throws
  {
    let seed = Self.seed
    print("kills of rollback: seed \(seed)")
    let hits = try await inLanes(2) { number in
      try await withLane(takesMedia: number == 0) { lane in
        try await Self.killRollbacks(lane, count: 33, seed: seed &+ UInt64(number))
      }
    }
    print("kills of rollback by stage: \(hits.sorted { $0.key < $1.key })")
    #expect(hits.values.reduce(0, +) >= 60)
    #expect(hits["rollback", default: 0] >= 30)
  }

  private static func killRollbacks(
    _ lane: Lane,
    count: Int,
    seed: UInt64
  ) async throws -> [String: Int] {
    let rows = try await foreignRows(in: lane)
    let times = try await undisturbedRollback(lane, rows: rows)
    var kills = KillPlan(times: times, seed: seed)
    var place = 0
    while kills.count < count, place < count * 3 {
      let trip = try lane.freshTrip(rows: rows)
      let before = try lane.backend.dump()
      let migrated = try await trip.migrate()
      #expect([0, 3].contains(migrated.status), "\(migrated.standardError)")
      let run = try #require(try await trip.runs().last).id
      var log: [String] = []
      for step in 0..<7 {
        let stop =
          step == 0 ? kills.moment(place) : kills.moment(within: "rollback")
        let finished = try await trip.rollback(run, stop: stop)
        kills.note(finished)
        log.append("\(stop): \(finished.status)")
        if !finished.wasKilled { break }
      }
      place += 1
      let finished = try await trip.rollbackToTheEnd(run)
      let story = Comment(rawValue: "seed \(seed), \(log)\n\(finished.standardError)")
      #expect(finished.status == 0, story)
      #expect(try lane.backend.dump() == before, story)
      try trip.forget()
    }
    return kills.hits
  }

  private static func undisturbedRollback(_ lane: Lane, rows: JSONValue) async throws -> StageTimes
  {
    let trip = try lane.freshTrip(rows: rows)
    let before = try lane.backend.dump()
    let migrated = try await trip.migrate()
    #expect([0, 3].contains(migrated.status), "\(migrated.standardError)")
    #expect(try lane.backend.dump() != before)
    let run = try #require(try await trip.runs().last).id
    let start = ContinuousClock.now
    let finished = try await trip.rollback(run)
    let whole = ContinuousClock.now - start
    #expect(finished.status == 0, "\(finished.standardError)")
    #expect(try lane.backend.dump() == before)
    return StageTimes(finished, whole: whole, names: ["plan", "rollback"])
  }

  @Test func `a migration that was killed and never finished is rolled back whole`() async throws {
    let seed = Self.seed
    try await withLane { lane in
      let rows = try await Self.foreignRows(in: lane)
      let goal = try await Undisturbed(lane, rows: rows)
      var kills = KillPlan(times: goal.times, seed: seed)
      var tries = 0
      var rolledBack = 0
      while tries < 12 || rolledBack == 0 && tries < 60 {
        tries += 1
        let trip = try lane.freshTrip(rows: rows)
        let before = try lane.backend.dump()
        let stop = kills.moment(within: "upload")
        let killed = try await trip.migrate(stop: stop)
        kills.note(killed)
        guard let run = try await trip.runs().last, run.stage != "planning" else { continue }
        if killed.wasKilled { rolledBack += 1 }
        let finished = try await trip.rollbackToTheEnd(run.id)
        let story = Comment(rawValue: "seed \(seed), \(stop)\n\(finished.standardError)")
        #expect(finished.status == 0, story)
        #expect(try lane.backend.dump() == before, story)
        try trip.forget()
      }
      print("killed and rolled back: \(kills.hits), seed \(seed)")
      #expect(rolledBack > 0)
    }
  }

  /// Rows that another device made at the account: some of their own, some that the store has too.
  static func foreignRows(in lane: Lane) async throws -> JSONValue {
    let trip = try lane.freshTrip()
    _ = try await trip.migrate()
    let dump = try lane.backend.dump()
    // One without a picture: the picture's file goes with the server's next reset.
    let shared = dump["heroes"]?.array?.first { $0["avatarUrl"]?.isNull ?? true }
      .map { withoutIdentity($0) }
    let event = dump["customEvents"]?.array?.first.map { withoutIdentity($0) }
    return [
      "account": .string(DemoAccount.email),
      "heroes": .array(
        [
          ["id": "foreign-1", "name": "Another device's", "age": 9, "traits": ["calm"]],
          ["id": "foreign-2", "name": "Another", "age": 5, "traits": ["brave", "kind"]],
        ] + [shared].compactMap(\.self)
      ),
      "customEvents": .array([event].compactMap(\.self)),
      "stories": [
        [
          "id": "foreign-3", "heroId": "foreign-1", "title": "Not from the store",
          "content": "It was here before.",
        ]
      ],
    ]
  }

  private static func withoutIdentity(_ row: JSONValue) -> JSONValue {
    var copy = JSONObject()
    for member in row.object?.members ?? [] {
      if !["id", "userId", "createdAt", "updatedAt"].contains(member.name), !member.value.isNull {
        copy[member.name] = member.value
      }
    }
    return .object(copy)
  }
}
