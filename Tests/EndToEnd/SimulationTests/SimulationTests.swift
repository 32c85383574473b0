import Foundation
import Simulation
import Testing
import UploadPlanning

struct SimulationTests {
  /// Histories by their seeds, in blocks that run side by side.
  @Test(arguments: 0..<4)
  func `every simulated history ends with each record in the right state`(block: UInt64) {
    var tally = Tally()
    tally.live(from: block * 300, through: block * 300 + 299, stride: 1)
    #expect(tally.historyCount == 300)
    for (seed, violations) in tally.broken {
      Issue.record("FERRY_SIMULATION_SEED=\(seed) states the history: \(violations)")
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["FERRY_SIMULATION_SEED"] != nil))
  func `the simulated history of the seed in a variable passes`() throws {
    let text = ProcessInfo.processInfo.environment["FERRY_SIMULATION_SEED"]
    let seed = try #require(text.flatMap { UInt64($0) })
    var history = History(seed: seed, disk: ModelLedger(), logs: true)
    let violations = history.live()
    print(history.story.joined(separator: "\n"))
    #expect(violations.isEmpty)
  }

  @Test
  func
    `the histories include crashes, false answers, duplicates, restored backups and every outcome`()
  {
    var traces: Set<String> = []
    var crashCount = 0
    for seed in UInt64(0)..<60 {
      var history = History(seed: seed, disk: ModelLedger(), logs: true)
      _ = history.live()
      crashCount += history.crashCount
      let story = history.story.joined()
      for trace in Self.traces where story.contains(trace) { traces.insert(trace) }
    }
    #expect(crashCount > 60)
    #expect(traces == Set(Self.traces))
  }

  private static let traces = [
    "the destination lies", "restored from a backup", "another device changes something",
    "arrives when all is over", "settles run", "asks to wait", "rollback", "confirm(", "reject(",
    "conflict(", "lose(", "revoke(",
  ]

  @Test func `the histories include unreadable records, and send them once they are readable`() {
    var traces: Set<String> = []
    for seed in UInt64(0)..<5_000 where traces.count < Self.readingTraces.count {
      var history = History(seed: seed, disk: ModelLedger(), logs: true)
      _ = history.live()
      let story = history.story.joined()
      for trace in Self.readingTraces where story.contains(trace) { traces.insert(trace) }
    }
    #expect(traces == Set(Self.readingTraces))
  }

  private static let readingTraces = [
    "isUnanswered: false", "isUnanswered: true", ": unasked", "looks up nothing",
    "what was left is uploaded",
  ]

  @Test func `a seed gives one simulated history`() {
    var first = History(seed: 12, disk: ModelLedger(), logs: true)
    var second = History(seed: 12, disk: ModelLedger(), logs: true)
    #expect(first.live() == second.live())
    #expect(first.story == second.story)
    #expect(first.story.count > 10)
  }

  @Test(arguments: Plant.allCases)
  func `a planted fault is found within 1,000 histories`(plant: Plant) {
    #expect(Tally.seed(finding: plant, below: 1_000) != nil)
  }
}
