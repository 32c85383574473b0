import TestSupport
import Testing

extension Faults {
  /// Packets are lost, late or refused between the program and the server.
  @Suite(
    .serialized,
    .enabled(
      if: Cable.obstacle == nil,
      "skipped, no cable can be laid: \(Cable.obstacle ?? "")"
    )
  )
  struct Network {}
}

extension Faults.Network {
  /// What happens to packets as long as a run lasts.
  struct Weather: Sendable {
    let name: String
    let disturbances: [(Cable.End, Cable.Disturbance)]
    /// How long a request without an answer may still arrive.
    let settle: String
  }

  /// A packet that is lost may be sent again by the system for as long as a request may take.
  static let weathers: [Weather] = [
    Weather(
      name: "one packet in 20 is lost",
      disturbances: [(.server, .losses(every: 20)), (.client, .losses(every: 20))],
      settle: "60s"
    ),
    // Of the hundred or so that a run takes, some are sure to be.
    Weather(
      name: "one packet in 5 is lost",
      disturbances: [(.server, .loss(percent: 20)), (.client, .loss(percent: 20))],
      settle: "60s"
    ),
    Weather(
      name: "connections are reset, and every 7th new one at once",
      disturbances: [(.server, .refusedConnections(every: 7)), (.server, .resets(every: 4))],
      settle: "200ms"
    ),
  ]

  /// By when a run has ended that had bad luck with each packet: the system sends a lost one again at ever
  /// longer intervals.
  private static let patience = Stop.kill(after: .seconds(400))

  @Test func `a run with lost packets and reset connections stores every record once`()
    async throws
  {
    // Most of the time is spent waiting, so all are under way at once.
    try await forEach(Self.weathers, atOnce: Self.weathers.count) { weather in
      try await Self.withCable(settle: weather.settle) { cable, lane in
        let goal = try await Undisturbed(lane)
        let trip = try lane.freshTrip()
        for (end, disturbance) in weather.disturbances { try cable.disturb(end, disturbance) }
        let first = try await trip.migrate(stop: Self.patience)
        let story = Comment(rawValue: "\(weather.name): \(first.standardError)")
        #expect([goal.finished.status, 5].contains(first.status), story)
        for count in try cable.disturbedCounts() { #expect(count > 0, story) }
        try cable.calm()
        try await Self.finish(trip, goal, story)
      }
    }
  }

  @Test func `a run whose answers are lost on the network stores every record once`()
    async throws
  {
    try await Self.withCable { cable, lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      try lane.backend.setFaults("delay:1:100ms@POST /api")
      let none = try lane.backend.writeCount()
      async let run = trip.migrate(["--timeout", "1s"], stop: .kill(after: .seconds(60)))
      let before = try await Self.writes(lane, behind: none)
      try cable.disturb(.client, .silence)
      let during = try await Self.writes(lane, behind: before)
      try await Task.sleep(for: .seconds(3))
      try cable.calm()
      try lane.backend.setFaults("")
      let first = try await run
      let story = Comment(rawValue: "\(before), then \(during): \(first.standardError)")
      #expect(during > before, story)
      #expect([goal.finished.status, 5].contains(first.status), story)
      try await Self.finish(trip, goal, story)
    }
  }

  @Test func `a network partition that heals during an upload only delays it`()
    async throws
  {
    try await Self.withCable { cable, lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      try lane.backend.setFaults("delay:1:100ms@POST /api")
      let none = try lane.backend.writeCount()
      async let run = trip.migrate(stop: .kill(after: .seconds(60)))
      _ = try await Self.writes(lane, behind: none)
      try cable.disturb(.server, .partition)
      try cable.disturb(.client, .partition)
      try await Task.sleep(for: .seconds(3))
      let count = try cable.disturbedCount()
      try cable.calm()
      let first = try await run
      #expect(count > 0, "nothing was on the way")
      #expect(first.status == goal.finished.status, "\(first.standardError)")
      try await Self.finish(trip, goal, "\(first.standardError)")
    }
  }

  /// A system goes on to send what it has taken, long after the program has closed the connection, and at
  /// ever longer intervals: what is given up must not arrive minutes after it was sent again.
  @Test func `a lasting network partition ends the run in time, and the run resumes when repeated`()
    async throws
  {
    try await Self.withCable(settle: "3s") { cable, lane in
      let goal = try await Undisturbed(lane)
      let trip = try lane.freshTrip()
      try lane.backend.setFaults("delay:1:100ms@POST /api")
      let none = try lane.backend.writeCount()
      let flags = ["--timeout", "1s", "--retries", "1"]
      async let run = trip.migrate(flags, stop: .kill(after: .seconds(60)))
      _ = try await Self.writes(lane, behind: none)
      let start = ContinuousClock.now
      // First the answers that are due still arrive, so that the next requests leave.
      try cable.disturb(.server, .silence)
      while try cable.disturbedCount() == 0 { try await Task.sleep(for: .milliseconds(5)) }
      try cable.disturb(.server, .partition)
      try cable.disturb(.client, .partition)
      let first = try await run
      let time = ContinuousClock.now - start
      let story = Comment(rawValue: "\(time): \(first.standardError)")
      #expect(first.status == 5, story)
      #expect(time < .seconds(12), story)
      // The system has just tried in vain once more then, and tries again after another 13 seconds.
      try await Task.sleep(until: start + .seconds(13))
      try cable.calm()
      try lane.backend.setFaults("")
      try await Self.finish(trip, goal, story)
      try await Task.sleep(until: start + .seconds(28))
      #expect(try lane.content().differences(from: goal.content).isEmpty, "something came late")
    }
  }

  @Test func `a run over a line of 256 kilobits a second ends as usual`()
    async throws
  {
    try await Self.withCable { cable, lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      try cable.narrow(toKilobits: 256)
      let first = try await trip.migrate(stop: .kill(after: .seconds(60)))
      #expect(first.status == goal.finished.status, "\(first.standardError)")
      try await Self.finish(trip, goal, "\(first.standardError)")
    }
  }

  @Test func `a rollback with lost packets restores the earlier content`()
    async throws
  {
    try await Self.withCable { cable, lane in
      let rows = try await Faults.Kills.foreignRows(in: lane)
      let trip = try lane.freshTrip(rows: rows)
      let before = try lane.backend.dump()
      _ = try await trip.migrate()
      let run = try #require(try await trip.runs().last).id
      for end in [Cable.End.server, .client] { try cable.disturb(end, .loss(percent: 20)) }
      let first = try await trip.rollback(run, stop: Self.patience)
      #expect([0, 5].contains(first.status), "\(first.standardError)")
      #expect(try cable.disturbedCount() > 0)
      try cable.calm()
      let finished = try await trip.rollbackToTheEnd(run)
      #expect(finished.status == 0, "\(finished.standardError)")
      #expect(try lane.backend.dump() == before)
    }
  }

  // MARK: -

  /// Sets up a store with a server at the other end of a cable.
  private static func withCable(
    settle: String = "200ms",
    _ body: (Cable, Lane) async throws -> Void
  ) async throws {
    try await Cable.with { cable in
      try await withLane(settle: settle, cable: cable) { lane in try await body(cable, lane) }
    }
  }

  /// Waits until the server has carried out more than so many requests that change something; gives
  /// how many by then.
  private static func writes(_ lane: Lane, behind count: Int64) async throws -> Int64 {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(20) {
      let now = try lane.backend.writeCount()
      if now > count { return now }
      try await Task.sleep(for: .milliseconds(10))
    }
    return count
  }

  /// Types the same line until it is done, and holds what has come of it against the goal.
  private static func finish(_ trip: Trip, _ goal: Undisturbed, _ story: Comment) async throws {
    let finished = try await trip.migrateToTheEnd()
    #expect(finished.status == goal.finished.status, "\(story)\n\(finished.standardError)")
    #expect(try trip.lane.content().differences(from: goal.content).isEmpty, story)
    #expect(try trip.package() == goal.package, story)
  }
}
