import Foundation
import TestSupport

/// What has to have happened before a line is typed: an upload, to its end or killed on the way.
///
/// It happens once a stage. All that it left, on the disk and at the server, is kept byte for byte,
/// and lies there again for every further scene.
struct Prelude: Hashable, Sendable {
  let verb: FaultedVerb
  /// The call before which the upload is killed; `nil` when it comes to its end.
  let killed: Int?

  /// The one of a verb, if any; where a killed upload was killed is reported by the seed.
  init?(_ verb: FaultedVerb, seed: UInt64) {
    switch verb {
    case .resume:
      var numbers = SeededNumbers(seed: seed)
      killed = Int.random(in: 60...140, using: &numbers)
    case .rollback: killed = nil
    case .export, .validate, .import, .upload, .migrate: return nil
    }
    self.verb = verb
  }

  /// Makes a scene and its server what they are after it, and gives the name of the upload's run
  /// where it came to its end; `upload` is the line that is typed where nothing is kept yet.
  func happen(in scene: Scene, upload: [String]) async throws -> String? {
    let kept = Kept(folder: "\(scene.stage.before)/\(killed.map { "killed-\($0)" } ?? "whole")")
    if try kept.restore(into: scene) { return try kept.run() }
    let fault = killed.map { Fault(action: .killBefore, call: $0) }
    let finished = try await scene.run(upload, fault: fault).finished
    guard fault == nil ? finished.status == 0 : finished.wasKilled else {
      throw TestSupportError("before \(verb.rawValue): \(finished.standardError)")
    }
    var run: String?
    if fault == nil {
      run = try await Trip(lane: scene.stage.lane, state: scene.state).runs().last?.id
    }
    try kept.take(scene, run: run)
    return run
  }

  /// What lies in a folder of its own: `scene`, `server.sqlite`, and `run` where there is one.
  private struct Kept {
    let folder: String

    private var server: String { "\(folder)/server.sqlite" }
    private var name: String { "\(folder)/run" }

    func take(_ scene: Scene, run: String?) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Self.copy(scene.folder, to: "\(folder)/scene")
      if let run { try run.write(toFile: name, atomically: false, encoding: .utf8) }
      try scene.stage.lane.backend.keep(in: server)
    }

    /// Gives whether there was anything to put back.
    func restore(into scene: Scene) throws -> Bool {
      guard FileManager.default.fileExists(atPath: server) else { return false }
      try FileManager.default.removeItem(atPath: scene.folder)
      try Self.copy("\(folder)/scene", to: scene.folder)
      try scene.stage.lane.backend.restore(server)
      return true
    }

    func run() throws -> String? {
      guard FileManager.default.fileExists(atPath: name) else { return nil }
      return try String(contentsOfFile: name, encoding: .utf8)
    }

    /// Rights and times are copied too.
    private static func copy(_ folder: String, to other: String) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["cp", "-a", folder, other]
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw TestSupportError("\(folder) could not be copied to \(other)")
      }
    }
  }
}
