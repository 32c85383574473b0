import Foundation
import TestSupport
import Testing

extension Faults.Calls {
  /// Before the file has its name there is a draft; after that, nothing is remembered of it yet.
  @Test(arguments: [Fault.Action.killBefore, .killAfter])
  func `the rollback of a run that was killed while renaming a file leaves no file`(
    action: Fault.Action
  ) async throws {
    try await Stage.with { stage in
      let once = try await FolderTrip(stage)
      let named = try await once.upload().calls.filter(FolderTrip.namesFile)
      try once.scene.removeAll()
      var hits = 0
      for call in named {
        let trip = try await FolderTrip(stage)
        let ran = try await trip.upload(Fault(action: action, call: call.number))
        let story = Comment(rawValue: "call \(call.number): \(ran.finished.standardError)")
        let reached = ran.calls.first { $0.number == call.number }
        if ran.finished.wasKilled, reached.map(FolderTrip.namesFile) == true { hits += 1 }
        let back = try await trip.rollback().finished
        #expect(back.status == 0, Comment(rawValue: back.standardError))
        #expect(try trip.files().isEmpty, story)
        try trip.scene.removeAll()
      }
      #expect(hits > 0)
    }
  }
}

/// A package on its way into a folder of its own.
private struct FolderTrip {
  let scene: Scene

  init(_ stage: Stage) async throws { scene = try await stage.scene(.export) }

  /// Whether a call gives a media file its name.
  static func namesFile(_ call: Call) -> Bool {
    call.kind == "rename" && call.path.contains("/there/media/")
  }

  private var destination: [String] {
    ["--profile", scene.stage.lane.profile, "--to", "file:\(scene.folder)/there"]
  }

  func upload(_ fault: Fault? = nil) async throws -> Scene.Ran {
    try await scene.run(["upload", scene.stage.package] + destination, fault: fault)
  }

  func rollback() async throws -> Scene.Ran {
    let run = try await Trip(lane: scene.stage.lane, state: scene.state).runs().last?.id
    guard let run else { throw TestSupportError("there is no run") }
    return try await scene.run(["rollback", run] + destination)
  }

  /// The paths of all files that lie in the folder, whole or not; the lock is not one of them.
  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(scene.folder)/there")
      .filter { $0.contains(".json") || $0.hasPrefix("media/") && $0.count > 64 }
  }
}
