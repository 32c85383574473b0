import Testing
import UploadPlanning

struct SimulationTests {
  /// Histories by their seeds, in blocks that run side by side.
  @Test(arguments: 0..<8)
  func `every history ends with each record exactly where it belongs`(block: Int) {
    for seed in (block * 300)..<(block * 300 + 300) {
      var simulation = Simulation(seed: UInt64(seed))
      let violations = simulation.run()
      #expect(violations.isEmpty, "seed \(seed)")
    }
  }

  @Test func `the histories hold crashes and every kind of outcome`() {
    var crashCount = 0
    var states: [Operation.State: Int] = [:]
    for seed in UInt64(0)..<100 {
      var simulation = Simulation(seed: seed)
      _ = simulation.run()
      crashCount += simulation.crashCount
      for operation in simulation.disk.operations { states[operation.state, default: 0] += 1 }
    }
    #expect(crashCount > 20)
    for state in [Operation.State.confirmed, .rejected, .conflicted] {
      #expect(states[state, default: 0] > 5, "\(state)")
    }
  }

  @Test func `a seed gives one history`() {
    var first = Simulation(seed: 11)
    var second = Simulation(seed: 11)
    #expect(first.run() == second.run())
    #expect(first.now == second.now)
    #expect(first.disk.operations == second.disk.operations)
  }

  @Test(arguments: [
    (Plant.sentBeforeCommit, "2 rows are there"), (.skippedSettling, "2 rows are there"),
    (.forgottenCommit, "it is left"),
  ])
  func `a planted fault is found within 200 histories`(plant: Plant, trace: String) {
    let found = (UInt64(0)..<200).contains { seed in
      var simulation = Simulation(seed: seed, plant: plant)
      return simulation.run().contains { $0.contains(trace) }
    }
    #expect(found)
  }
}
