import TestSupport
import Testing

extension Faults.Calls {
  @Test(arguments: FaultedVerb.allCases)
  func
    `interrupted again and again, or given half of what it asks for, a verb does what it always does`(
      verb: FaultedVerb
    ) async throws
  {
    try await Stage.with { stage in
      let goal = try await FaultGoal(verb, on: stage)
      let untouchable = try stage.untouchable()
      for every in ["interrupted:2", "interrupted:3", "interrupted:7", "short:1", "short:2"] {
        let scene = try await stage.scene(verb)
        let ran = try await scene.run(every: every)
        let story = Comment(rawValue: "\(every) \(ran.disturbances): \(ran.finished.standardError)")
        #expect(ran.finished.status == goal.status, story)
        #expect(ran.disturbances.values.reduce(0, +) > 1, story)
        #expect(try scene.packageDigests() == goal.package, story)
        if let content = goal.content {
          #expect(try stage.lane.content().differences(from: content).isEmpty, story)
        }
        #expect(try stage.untouchable() == untouchable, story)
        try scene.removeAll()
      }
    }
  }
}
