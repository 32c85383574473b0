import TestSupport
import Testing

extension Faults.Calls {
  @Test(arguments: FaultedVerb.allCases)
  func `a run ends as usual while the system clock jumps by hours and years`(
    verb: FaultedVerb
  ) async throws {
    try await Stage.with { stage in
      let goal = try await FaultGoal(verb, on: stage)
      let untouchable = try stage.untouchable()
      let scene = try await stage.scene(verb)
      // Killed on the way, where that makes sense, and gone on with under the same clock.
      let fault = Fault(action: .killBefore, call: goal.calls.count / 2)
      let killed = try await scene.run(fault: fault, clockJumps: true).finished
      let again = try await scene.run(clockJumps: true)
      let finished = again.finished
      // What never asks what time it is cannot be led astray.
      #expect(again.hasClockJumped || !verb.needsServer)
      #expect(killed.wasKilled || killed.status == goal.status, "\(killed.standardError)")
      #expect(finished.status == goal.status, "\(finished.standardError)")
      #expect(try scene.packageDigests() == goal.package)
      if let content = goal.content {
        #expect(try stage.lane.content().differences(from: content).isEmpty)
      }
      #expect(try stage.untouchable() == untouchable)
    }
  }
}
