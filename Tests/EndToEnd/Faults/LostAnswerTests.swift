import JSONText
import TestSupport
import Testing

extension Faults.LostAnswers {
  static let plans = [
    "drop-after:2", "drop-after:3", "drop-after:5", "drop-after:7", "drop-before:3",
    "drop-before:5", "truncate:3", "truncate:5", "status:3:503", "status:4:429:retry-after=0",
    "html:4", "drop-after:2@POST /api/batch", "drop-after:1@POST /api/v1",
    "truncate:1@POST /api/batch/stories", "drop-after:3,truncate:7,status:5:500",
  ]

  @Test func `a run with lost answers stores every record exactly once`()
    async throws
  {
    // Most of the time is spent waiting, so several are under way at once.
    try await forEach(Self.plans, atOnce: 4) { plan in try await Self.migrate(under: plan) }
  }

  private static func migrate(under plan: String) async throws {
    try await withLane { lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      try lane.backend.setFaults(plan)
      let (finished, statuses) = try await again(trip, calmAfter: 30)
      let story = Comment(rawValue: "\(plan): \(statuses)\n\(finished.standardError)")
      #expect(finished.status == goal.finished.status, story)
      #expect(statuses.dropLast().allSatisfy { $0 == 5 }, story)
      let differences = try lane.content().differences(from: goal.content)
      #expect(differences.isEmpty, story)
      #expect(try firedCount(lane) > 0 || statuses.count > 30, "no request hit the fault")
    }
  }

  /// How many requests have found a fault of the plan.
  private static func firedCount(_ lane: Lane) throws -> Int64 {
    let faults = try lane.backend.state()["faults"]?.array ?? []
    return faults.compactMap { $0["fired"]?.integer }.reduce(0, +)
  }

  @Test func `a rollback with lost answers restores the earlier content`()
    async throws
  {
    let plans = ["drop-after:3", "truncate:4", "drop-before:4", "status:3:503"]
    try await forEach(plans, atOnce: 4) { plan in try await Self.rollBack(under: plan) }
  }

  private static func rollBack(under plan: String) async throws {
    try await withLane { lane in
      let rows = try await Faults.Kills.foreignRows(in: lane)
      let trip = try lane.freshTrip(rows: rows)
      let before = try lane.backend.dump()
      _ = try await trip.migrate()
      let run = try #require(try await trip.runs().last).id
      try lane.backend.setFaults(plan)
      let finished = try await trip.rollbackToTheEnd(run)
      #expect(finished.status == 0, "\(plan): \(finished.standardError)")
      #expect(try firedCount(lane) > 0, "\(plan): no request hit the fault")
      #expect(try lane.backend.dump() == before)
    }
  }

  @Test func `a process whose file answers were lost leaves no file behind`() async throws {
    try await withLane(takesMedia: true) { lane in
      let goal = try await Undisturbed(lane)
      let files = try lane.fileCount()
      #expect(files > 0)
      let trip = try lane.freshTrip()
      try lane.backend.setFaults("drop-after:1@POST /api/files/confirm")
      let first = try await trip.migrate()
      #expect(first.status == 5, "\(first.standardError)")
      #expect(try lane.fileCount() > 0, "no file was confirmed")
      try lane.backend.setFaults("")
      let finished = try await trip.migrateToTheEnd()
      #expect(finished.status == goal.finished.status, "\(finished.standardError)")
      #expect(try lane.content().differences(from: goal.content).isEmpty)
      #expect(try lane.fileCount() == files)
    }
  }

  @Test func `the files of a process that never recorded them are rolled back with its run`()
    async throws
  {
    try await withLane(takesMedia: true) { lane in
      let trip = try lane.freshTrip()
      let before = try lane.backend.dump()
      try lane.backend.setFaults("drop-after:1@POST /api/files/confirm")
      #expect(try await trip.migrate().status == 5)
      #expect(try lane.fileCount() > 0, "no file was confirmed")
      try lane.backend.setFaults("")
      let run = try #require(try await trip.runs().last).id
      let finished = try await trip.rollbackToTheEnd(run)
      #expect(finished.status == 0, "\(finished.standardError)")
      #expect(try lane.backend.dump() == before)
    }
  }

  /// Runs the same line until it ends with another status than 5; after a while without faults.
  static func again(_ trip: Trip, calmAfter: Int) async throws -> (Finished, [Int32]) {
    var statuses: [Int32] = []
    while true {
      if statuses.count == calmAfter { try trip.lane.backend.setFaults("") }
      let finished = try await trip.migrate()
      statuses.append(finished.status)
      if finished.status != 5 || statuses.count > calmAfter + 5 { return (finished, statuses) }
    }
  }

  @Test
  func
    `the server is killed in the middle of an upload and comes back, and every record is there exactly once`()
    async throws
  {
    var numbers = SeededNumbers(seed: Faults.Kills.seed)
    print("kills of the server: seed \(Faults.Kills.seed)")
    for _ in 0..<6 {
      try await withLane { lane in
        let goal = try await Undisturbed.later()
        let trip = try lane.freshTrip()
        let (begin, length) = goal.time(of: "upload")
        let moment = length * Double.random(in: 0..<1, using: &numbers)
        async let first = trip.migrate()
        try await Task.sleep(for: begin + moment)
        await lane.backend.kill()
        try await Task.sleep(for: .milliseconds(400))
        try await lane.backend.restart()
        let early = try await first
        let finished = early.status == 5 ? try await trip.migrateToTheEnd() : early
        let story = Comment(rawValue: "\(early.standardError)\n\(finished.standardError)")
        #expect(finished.status == goal.finished.status, story)
        let differences = try lane.content().differences(from: goal.content)
        #expect(differences.isEmpty, story)
      }
    }
  }
}
