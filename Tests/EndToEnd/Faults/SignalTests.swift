import TestSupport
import Testing

extension Faults.Signals {
  @Test(arguments: [
    ("export", Stop.Kind.interrupt), ("validate", .interrupt), ("plan", .interrupt),
    ("upload", .interrupt), ("verify", .interrupt), ("upload", .terminate),
  ])
  func `the first signal drains and saves the run, which resumes when repeated`(
    stage: String,
    signal: Stop.Kind
  ) async throws {
    try await withLane { lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      // Late enough for the stage to be at work, early enough for it not to be over.
      try lane.backend.setFaults("delay:1:150ms")
      let stop = Stop(line: "\(stage) …", signals: [.init(signal)])
      let finished = try await trip.migrate(stop: stop)
      #expect(
        finished.status == (signal == .interrupt ? 130 : 143),
        "\(finished.standardError)"
      )
      #expect(finished.standardError.contains("finishing what is in flight"))
      try lane.backend.setFaults("")
      let resumed = try await trip.migrateToTheEnd()
      #expect(resumed.status == goal.finished.status, "\(resumed.standardError)")
      #expect(try lane.content().differences(from: goal.content).isEmpty)
      #expect(try trip.package() == goal.package)
    }
  }

  @Test func `a drained upload leaves no request without an answer`() async throws {
    try await withLane(settle: "30s") { lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      try lane.backend.setFaults("delay:1:300ms@POST /api")
      let stop = Stop(line: "upload …", signals: [.init(.interrupt, after: .milliseconds(100))])
      let finished = try await trip.migrate(stop: stop)
      #expect(finished.status == 130, "\(finished.standardError)")
      try lane.backend.setFaults("")
      // With a settle time of 30 seconds a request without an answer would hold the rerun up.
      let start = ContinuousClock.now
      let resumed = try await trip.migrate()
      #expect(resumed.status == goal.finished.status, "\(resumed.standardError)")
      #expect(ContinuousClock.now - start < .seconds(25))
      #expect(try lane.content().differences(from: goal.content).isEmpty)
    }
  }

  @Test(arguments: [Stop.Kind.interrupt, .terminate])
  func `a second signal ends the run at once`(signal: Stop.Kind) async throws {
    try await withLane { lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      try lane.backend.setFaults("delay:1:8s@GET /api/v1")
      let signals: [Stop.Step] = [.init(signal), .init(signal, after: .milliseconds(500))]
      let start = ContinuousClock.now
      let finished = try await trip.migrate(stop: Stop(line: "plan …", signals: signals))
      #expect(finished.status == (signal == .interrupt ? 130 : 143), "\(finished.standardError)")
      #expect(ContinuousClock.now - start < .seconds(8))
      try lane.backend.setFaults("")
      let resumed = try await trip.migrateToTheEnd()
      #expect(resumed.status == goal.finished.status, "\(resumed.standardError)")
      #expect(try lane.content().differences(from: goal.content).isEmpty)
    }
  }

  @Test func `the second of two runs at once on one store is refused at once`() async throws {
    try await withLane { lane in
      let goal = try await Undisturbed.later()
      let trip = try lane.freshTrip()
      try lane.backend.setFaults("delay:1:1s@POST /api/batch")
      let before = try lane.backend.writeCount()
      async let first = trip.migrate()
      // The first holds the checkpoint once it has planned.
      while try lane.backend.writeCount() == before { try await Task.sleep(for: .milliseconds(20)) }
      let second = try await trip.migrate()
      #expect(second.status == 11, "\(second.standardError)")
      let run = try #require(try await trip.runs().last).id
      #expect(try await trip.rollback(run).status == 11)
      #expect(try await first.status == goal.finished.status)
      #expect(try lane.content().differences(from: goal.content).isEmpty)
    }
  }

  @Test
  func `at most one of two runs begun together is refused, and no record exists twice`()
    async throws
  {
    try await withLane { lane in
      let goal = try await Undisturbed.later()
      for _ in 0..<4 {
        let trip = try lane.freshTrip()
        async let one = trip.migrate()
        async let other = trip.migrate()
        let statuses = try await [one.status, other.status]
        #expect(
          statuses.allSatisfy { [goal.finished.status, 11].contains($0) },
          "\(statuses)"
        )
        let resumed = try await trip.migrateToTheEnd()
        #expect(resumed.status == goal.finished.status, "\(resumed.standardError)")
        #expect(try lane.content().differences(from: goal.content).isEmpty)
        #expect(try trip.package() == goal.package)
      }
    }
  }
}
