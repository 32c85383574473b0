import TestSupport
import Testing

extension Faults.Calls {
  @Test(arguments: [FaultedVerb.resume, .rollback])
  func `a test scene is set up the same each time, byte for byte`(verb: FaultedVerb) async throws {
    try await Stage.with { stage in
      let first = try await stage.scene(verb)
      let files = try SourceDigests(of: first.folder).entries.mapValues(\.sha256)
      // Whatever was on its way when the upload was killed has arrived by the end of a run.
      try await Self.play(first)
      let second = try await stage.scene(verb)
      let rows = try stage.lane.backend.dump()
      try await Self.play(second)
      #expect(try stage.lane.backend.dump() != rows)

      let third = try await stage.scene(verb)
      #expect(third.line == first.line)
      #expect(try SourceDigests(of: third.folder).entries.mapValues(\.sha256) == files)
      #expect(try stage.lane.backend.dump() == rows)
    }
  }

  private static func play(_ scene: Scene) async throws {
    let finished = try await scene.run().finished
    #expect(finished.status == 0, "\(finished.standardError)")
    try scene.removeAll()
  }
}
