import Foundation
import JSONText
import TestSupport
import Testing

/// A store, and a destination that its migrations go to and are taken back from.
protocol KillLane: Sendable {
  var folder: String { get }
  var program: FerryProgram { get }
  var store: String { get }
  /// What an undisturbed migration may end with.
  var endings: Set<Int32> { get }
  /// What an undisturbed migration brings has more than so many pieces.
  var leastCount: Int { get }

  /// Runs a line of the program, with the flags that name the destination.
  func run(_ verb: [String], _ state: String, _ stop: Stop?) async throws -> Finished
  /// Everything there is, in order and without what is new at every run; what is there twice comes twice.
  func content() throws -> [String]
}

/// What an undisturbed way there and back comes to.
struct KillGoal {
  let status: Int32
  let content: [String]
  let there: StageTimes
  let back: StageTimes
}

extension KillLane {
  func migrate(_ state: String, stop: Stop? = nil) async throws -> Finished {
    try await run(["migrate", store], state, stop)
  }

  func rollback(_ run: String, _ state: String, stop: Stop? = nil) async throws -> Finished {
    try await self.run(["rollback", run], state, stop)
  }

  func undisturbed() async throws -> KillGoal {
    let state = "\(folder)/undisturbed"
    var start = ContinuousClock.now
    let moved = try await migrate(state)
    let there = StageTimes(
      moved,
      whole: ContinuousClock.now - start,
      names: ["export", "validate", "plan", "upload", "verify"]
    )
    #expect(endings.contains(moved.status), "\(moved.standardError)")
    let content = try content()
    let run = try #require(try await uploads(state).last)
    start = .now
    let returned = try await rollback(run, state)
    let back = StageTimes(
      returned,
      whole: ContinuousClock.now - start,
      names: ["plan", "rollback"]
    )
    #expect(returned.status == 0, "\(returned.standardError)")
    #expect(try self.content().isEmpty)
    try forget(state)
    return KillGoal(status: moved.status, content: content, there: there, back: back)
  }

  /// Types the same line until it ends by itself and has nothing left to resume.
  func again(_ line: () async throws -> Finished) async throws -> Finished {
    for _ in 0..<20 {
      let finished = try await line()
      if finished.status != 5 { return finished }
    }
    return try await line()
  }

  /// The names of the uploads that a state folder knows, oldest first.
  func uploads(_ state: String) async throws -> [String] {
    let status = try await program.run(["status", "--format", "json"], state: state)
    let runs = try JSONValue(parsing: Array(status.standardOutput.utf8))["runs"]?.array ?? []
    return runs.filter { $0["kind"]?.text == "upload" }.compactMap { $0["run"]?.text }
  }

  func forget(_ state: String) throws {
    for suffix in ["", ".temporary", ".home"]
    where FileManager.default.fileExists(atPath: state + suffix) {
      try FileManager.default.removeItem(atPath: state + suffix)
    }
  }
}

extension Faults.Kills {
  /// Migrates and takes back again and again, killed several times on the way there and back.
  static func kill(
    _ lane: some KillLane,
    count: Int,
    seed: UInt64
  ) async throws -> [String: Int] {
    let goal = try await lane.undisturbed()
    #expect(goal.content.count > lane.leastCount)
    var there = KillPlan(times: goal.there, seed: seed)
    var back = KillPlan(times: goal.back, seed: seed &+ 1_000_000)
    var place = 0
    while there.count + back.count < count, place < count * 4 {
      let state = "\(lane.folder)/state-\(place)"
      var log: [String] = []
      var stops = [there.moment(place)]
      for _ in 0..<there.number(in: 1...3) { stops.append(there.moment(within: "upload")) }
      for stop in stops {
        let finished = try await lane.migrate(state, stop: stop)
        there.note(finished)
        log.append("\(stop): \(finished.status)")
        if !finished.wasKilled { break }
      }
      let arrived = try await lane.again { try await lane.migrate(state) }
      var story = Comment(rawValue: "seed \(seed), \(log)\n\(arrived.standardError)")
      #expect(arrived.status == goal.status, story)
      #expect(try lane.content() == goal.content, story)

      for run in try await lane.uploads(state).reversed() {
        for step in 0..<back.number(in: 1...3) {
          let stop = step == 0 ? back.moment(place) : back.moment(within: "rollback")
          let finished = try await lane.rollback(run, state, stop: stop)
          back.note(finished)
          log.append("back \(run) \(stop): \(finished.status)")
          if !finished.wasKilled { break }
        }
        let returned = try await lane.again { try await lane.rollback(run, state) }
        story = Comment(rawValue: "seed \(seed), \(log)\n\(returned.standardError)")
        #expect(returned.status == 0, story)
      }
      #expect(try lane.content().isEmpty, story)
      try lane.forget(state)
      place += 1
    }
    print("\(place) migrations and back, \(there.count) and \(back.count) kills")
    return there.hits.merging(back.hits) { $0 + $1 }
  }
}
