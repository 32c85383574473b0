import Foundation
import JSONText
import TestSupport
import Testing

/// A store, and a destination that its migrations go to and are rolled back from.
protocol KillLane: Sendable {
  var folder: String { get }
  var program: FerryProgram { get }
  var store: String { get }
  /// What an undisturbed migration may end with.
  var endings: Set<Int32> { get }
  /// What an undisturbed migration brings has more than so many pieces.
  var leastCount: Int { get }

  /// Runs a line of the program, with the flags that name the destination, and with more in its environment.
  func run(
    _ verb: [String],
    _ state: String,
    _ stop: Stop?,
    _ environment: [String: String]
  ) async throws -> Finished
  /// Everything there is, in order and without what is new at every run; what is there twice comes twice.
  func content() throws -> [String]
}

/// What an undisturbed way there and back comes to.
struct KillGoal {
  let status: Int32
  let content: [String]
  let there: StageTimes
  let back: StageTimes
  /// How often each way sends; 0 where that cannot be seen.
  let sends: (there: Int, back: Int)
}

extension KillLane {
  func migrate(
    _ state: String,
    stop: Stop? = nil,
    environment: [String: String] = [:]
  ) async throws -> Finished {
    try await run(["migrate", store], state, stop, environment)
  }

  func rollback(
    _ run: String,
    _ state: String,
    stop: Stop? = nil,
    environment: [String: String] = [:]
  ) async throws -> Finished {
    try await self.run(["rollback", run], state, stop, environment)
  }

  /// What has the program's sending numbered, and nothing else; nothing where calls cannot be watched.
  private func numbering(_ log: String, _ fault: Fault? = nil) throws -> [String: String] {
    guard Injector.isAvailable else { return [:] }
    return try Injector.shared()
      .environment(watching: "\(folder)/nothing", log: "\(folder)/\(log)", fault: fault)
  }

  private func sendCount(_ log: String) throws -> Int {
    guard Injector.isAvailable else { return 0 }
    let count = try Injector.log(at: "\(folder)/\(log)").calls.count { $0.kind == "send" }
    #expect(count > 0)
    return count
  }

  /// Types a line that is killed by what it has sent, and not by the time: each time a little
  /// later, until that was in the stage that is named so; gives what happened.
  func killBySending(
    _ total: Int,
    until aim: String,
    in plan: inout KillPlan,
    as names: [String: String] = [:],
    _ line: ([String: String]) async throws -> Finished
  ) async throws -> [String] {
    var log: [String] = []
    let before = plan.hits[aim]
    let step = max(1, total / 8)
    var number = step
    while plan.hits[aim] == before, number <= total {
      let fault = Fault(action: .killBefore, call: number)
      let finished = try await line(try numbering("killed", fault))
      plan.note(finished, as: names)
      log.append("\(fault) that sends: \(finished.status)")
      guard finished.wasKilled else { break }
      number += step
    }
    return log
  }

  func undisturbed() async throws -> KillGoal {
    let state = "\(folder)/undisturbed"
    var start = ContinuousClock.now
    let moved = try await migrate(state, environment: try numbering("there"))
    let there = StageTimes(
      moved,
      whole: ContinuousClock.now - start,
      names: ["export", "validate", "plan", "upload", "verify"]
    )
    #expect(endings.contains(moved.status), "\(moved.standardError)")
    let content = try content()
    let run = try #require(try await uploads(state).last)
    start = .now
    let returned = try await rollback(run, state, environment: try numbering("back"))
    let back = StageTimes(
      returned,
      whole: ContinuousClock.now - start,
      names: ["plan", "rollback"]
    )
    #expect(returned.status == 0, "\(returned.standardError)")
    #expect(try self.content().isEmpty)
    try forget(state)
    return KillGoal(
      status: moved.status,
      content: content,
      there: there,
      back: back,
      sends: (try sendCount("there"), try sendCount("back"))
    )
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
  /// What the program is to have been killed in.
  static let aims = ["upload", "resume", "rollback"]

  /// Migrates and rolls back again and again, killed several times on the way there and back.
  ///
  /// On the first way it is killed in each of the ``aims`` by what it has sent, which does not miss them.
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
    var isAimed = true
    while there.count + back.count < count && place < count * 4 || isAimed && place < 3 {
      let state = "\(lane.folder)/state-\(place)"
      var log: [String] = []
      // Anyone who is killed in an upload goes on with it the next time.
      let before = there.hits["upload"]
      let goesOn = ["upload": "resume"]
      if isAimed {
        let sends = goal.sends.there
        log += try await lane.killBySending(sends, until: "upload", in: &there) {
          try await lane.migrate(state, environment: $0)
        }
        if there.hits["upload"] != before {
          log += try await lane.killBySending(sends, until: "resume", in: &there, as: goesOn) {
            try await lane.migrate(state, environment: $0)
          }
        }
      }
      var stops = [there.moment(place)]
      for _ in 0..<there.number(in: 1...3) { stops.append(there.moment(within: "upload")) }
      for stop in stops {
        let finished = try await lane.migrate(state, stop: stop)
        there.note(finished, as: there.hits["upload"] == before ? [:] : goesOn)
        log.append("\(stop): \(finished.status)")
        if !finished.wasKilled { break }
      }
      let arrived = try await lane.again { try await lane.migrate(state) }
      var story = Comment(rawValue: "seed \(seed), \(log)\n\(arrived.standardError)")
      #expect(arrived.status == goal.status, story)
      #expect(try lane.content() == goal.content, story)

      for run in try await lane.uploads(state).reversed() {
        if isAimed, back.hits["rollback"] == nil {
          log += try await lane.killBySending(goal.sends.back, until: "rollback", in: &back) {
            try await lane.rollback(run, state, environment: $0)
          }
        }
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
      isAimed = aims.contains { there.hits[$0] == nil && back.hits[$0] == nil }
    }
    print("\(place) migrations and back, \(there.count) and \(back.count) kills")
    return there.hits.merging(back.hits) { $0 + $1 }
  }
}
