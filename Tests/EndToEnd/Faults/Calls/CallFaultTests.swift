import Foundation
import TestSupport
import Testing

extension Faults {
  /// Every call that changes a file or sends to the server goes wrong once.
  @Suite(
    .serialized,
    .enabled(if: Injector.isAvailable, "skipped: no C compiler, or not Linux")
  )
  struct Calls {
    /// Which part of everything that is not tried at each call: one in so many.
    ///
    /// The whole of it is what a soak is for. `FERRY_FAULT_PART` asks for another part.
    static let part = Faults.Kills.number("FERRY_FAULT_PART").map { Int($0) } ?? 10
    /// Which part of SQLite's writes to its log is tried in `migrate`, which writes what an upload does, of
    /// which all are: one in so many, others with each seed.
    ///
    /// The head of a frame and its page come in turn; with an odd number both are tried.
    static let logPart: UInt64 = 3
    static let laneCount = 4
  }
}

extension Faults.Calls {
  @Test func `a run that is killed before any call, or fails at it, ends as usual when repeated`()
    async throws
  {
    let goals = try await Self.goals()
    let trials = Self.everyCall(goals)
    let tally = try await Self.play(trials)
    var counts: [String] = []
    for verb in FaultedVerb.allCases {
      let calls = goals[verb]?.calls ?? []
      let tried = Set(trials.filter { $0.verb == verb }.map(\.fault.call))
      counts.append("\(verb.rawValue) \(tried.count) of \(calls.count)")
      let left = calls.filter { !tried.contains($0.number) }
      #expect(left.allSatisfy { verb.repeatsUpload && $0.isToLog }, "\(verb.rawValue): \(left)")
    }
    print("every call: seed \(Faults.Kills.seed): \(tally)")
    print("every call: calls tried: \(counts.joined(separator: ", "))")
    #expect(Double(tally.happened) > Double(trials.count) * 0.95)
    #expect(tally.violations.isEmpty)
  }

  @Test func `a sample of the other failing system calls breaks no promise`() async throws {
    var numbers = SeededNumbers(seed: Faults.Kills.seed)
    let goals = try await Self.goals()
    let rest = Set(Self.universe(goals).map(\.event)).subtracting(
      Self.everyCall(goals).map(\.event)
    )
    let all = Self.universe(goals).filter { rest.contains($0.event) }
    let trials = all.filter { _ in Int.random(in: 0..<Self.part, using: &numbers) == 0 }
    let tally = try await Self.play(trials)
    print("a part: seed \(Faults.Kills.seed), \(trials.count) of \(all.count): \(tally)")
    #expect(tally.happened > trials.count * 3 / 4)
    #expect(tally.violations.isEmpty)
  }

  /// Every call of every verb, failed; and killed before, where the call before left a trace.
  ///
  /// What else a kill leaves, an earlier one left. Of SQLite's log in `migrate` see ``logPart``.
  static func everyCall(_ goals: [FaultedVerb: FaultGoal]) -> [FaultTrial] {
    var trials: [FaultTrial] = []
    for verb in FaultedVerb.allCases {
      var isNew = true
      for call in goals[verb]?.calls ?? [] {
        let actions: [Fault.Action] = (isNew ? [.killBefore] : []) + [.inputOutputError]
        isNew = call.leavesTrace
        let place = UInt64(call.number) &+ Faults.Kills.seed
        if call.isToLog, verb.repeatsUpload, !place.isMultiple(of: logPart) { continue }
        for action in actions {
          let fault = Fault(action: action, call: call.number)
          trials.append(FaultTrial(verb: verb, fault: fault, seed: UInt64(trials.count)))
        }
      }
    }
    return trials
  }

  /// What every verb comes to, found out once for all tests.
  static func goals() async throws -> [FaultedVerb: FaultGoal] { try await goalsOnce.value }

  private static let goalsOnce = Task {
    try await Stage.with { stage in
      var goals: [FaultedVerb: FaultGoal] = [:]
      for verb in FaultedVerb.allCases { goals[verb] = try await FaultGoal(verb, on: stage) }
      return goals
    }
  }

  /// Every call of every verb with everything that can go wrong at it, always in the same order.
  static func universe(_ goals: [FaultedVerb: FaultGoal]) -> [FaultTrial] {
    var trials: [FaultTrial] = []
    for verb in FaultedVerb.allCases {
      for call in goals[verb]?.calls ?? [] {
        for action in Fault.Action.allCases where action.fits(call.kind) {
          for isSticky in action.isError ? [false, true] : [false] {
            let fault = Fault(action: action, call: call.number, isSticky: isSticky)
            trials.append(FaultTrial(verb: verb, fault: fault, seed: UInt64(trials.count)))
          }
        }
      }
    }
    return trials
  }

  /// Plays trials in several lanes, each with a store and a server of its own.
  ///
  /// Those before which the same upload was killed go one after the other, so that it is killed once.
  /// With `cutsPower`, all that a trial writes is on a real file system, see ``LoopDisk``.
  static func play(
    _ trials: [FaultTrial],
    cutsPower: Bool = false
  ) async throws -> FaultTally {
    try await withThrowingTaskGroup(of: FaultTally.self) { group in
      for lane in 0..<laneCount {
        let mine = trials.enumerated().filter { place, trial in
          let killed = Prelude(trial.verb, seed: trial.seed)?.killed
          return (killed ?? place) % laneCount == lane
        }.map(\.element)
        group.addTask { try await playInOneLane(mine, cutsPower: cutsPower) }
      }
      return try await group.reduce(into: FaultTally()) { $0.add($1) }
    }
  }

  private static func playInOneLane(
    _ trials: [FaultTrial],
    cutsPower: Bool
  ) async throws -> FaultTally {
    guard !trials.isEmpty else { return FaultTally() }
    return try await Stage.with { stage in
      var tally = FaultTally()
      var goals: [FaultedVerb: FaultGoal] = [:]
      for trial in trials {
        let folder = cutsPower ? "\(stage.lane.folder)/loop" : nil
        try await LoopDisk.with(in: folder, journal: trial.seed) { disk in
          var stage = stage
          stage.disk = disk
          let goal: FaultGoal
          if let known = goals[trial.verb] {
            goal = known
          } else {
            goal = try await FaultGoal(trial.verb, on: stage)
            goals[trial.verb] = goal
          }
          tally.add(trial, try await trial.verdict(on: stage, goal: goal))
        }
      }
      return tally
    }
  }
}

/// What many trials came to.
struct FaultTally: Sendable, CustomStringConvertible {
  private(set) var played = 0
  private(set) var happened = 0
  /// How often each status ended a run in which something went wrong.
  private(set) var statuses: [Int32: Int] = [:]
  private(set) var violations: [String] = []

  mutating func add(_ trial: FaultTrial, _ verdict: FaultTrial.Verdict) {
    played += 1
    if verdict.didHappen { happened += 1 }
    statuses[verdict.status, default: 0] += 1
    violations += verdict.violations.map { "\(trial): \($0)" }
  }

  mutating func add(_ other: FaultTally) {
    played += other.played
    happened += other.happened
    statuses.merge(other.statuses) { $0 + $1 }
    violations += other.violations
  }

  var description: String {
    let ends = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "\(played) runs, \(happened) faults, statuses \(ends.joined(separator: ", ")), "
      + "\(violations.count) violations"
  }
}
