import Foundation
import Testing

/// A whole migration behind an app's wizard, each start of the app a process of its own.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WizardTests {
  @Test func `an app moves its store, and rolls it back`() throws {
    try withStage { stage in
      let moved = try stage.wizard("move", [])
      #expect(moved.contains("found swiftData: 204 records to send, 193 files"))
      #expect(stage.stages(of: moved) == Self.wholeWay)
      #expect(moved.contains("handed back 200 synced"))
      #expect(try stage.rowCount() == 200)
      let run = try #require(stage.run(of: moved, ended: "done"))

      let back = try stage.wizard("back", [run])
      #expect(back.contains("handed back 200 withdrawn"))
      #expect(try stage.rowCount() == 0)
    }
  }

  @Test func `an app that is paused and restarted resumes, and sends no record twice`() throws {
    try withStage(isSlow: true) { stage in
      let paused = try stage.wizard("move", ["pause-at", "3"])
      let run = try #require(stage.run(of: paused, ended: "paused"))
      let before = try stage.rowCount()
      #expect(before > 0 && before < 200)

      let resumed = try stage.wizard("move", [])
      #expect(resumed.contains("going on with \(run)"))
      #expect(stage.run(of: resumed, ended: "done") == run)
      #expect(try stage.rowCount() == 200)
    }
  }

  @Test func `an app that is killed and restarted resumes, and sends no record twice`() throws {
    try withStage(isSlow: true) { stage in
      try stage.killedWizard(whenRows: 5)
      let before = try stage.rowCount()
      #expect(before < 200)

      let resumed = try stage.wizard("move", [])
      #expect(stage.run(of: resumed, ended: "done") != nil)
      #expect(try stage.rowCount() == 200)
    }
  }

  @Test func `an app that cancels leaves nothing at the destination`() throws {
    try withStage(isSlow: true) { stage in
      let cancelled = try stage.wizard("move", ["cancel-at", "3"])
      #expect(stage.run(of: cancelled, ended: "rolledBack") != nil)
      #expect(try stage.rowCount() == 0)
    }
  }

  @Test func `an app has media fetched that records name by address, each file once`() throws {
    try withStage { stage in
      try stage.withPictures(["here.png", "here.png", "gone.png"]) { asked in
        let moved = try stage.wizard("move", ["fetching"])
        #expect(stage.run(of: moved, ended: "doneWithRejects") != nil)
        #expect(moved.filter { $0.contains("media.fetch-refused") }.count == 1)
        #expect(try asked() == ["/gone.png", "/here.png"])
        #expect(try stage.rowCount() == 200)
      }
    }
  }

  private static let wholeWay = [
    "signIn", "export", "validate", "plan", "upload", "verify", "done",
  ]
}
