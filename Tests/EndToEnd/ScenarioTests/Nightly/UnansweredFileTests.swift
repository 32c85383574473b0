import Foundation
import JSONText
import TestSupport
import Testing

/// Files that arrived in a folder and whose answer was lost, and a profile that changed since.
@Suite(.timeLimit(.minutes(3))) struct UnansweredFileTests {
  @Test func `files that no answer confirmed are removed, although the profile changed`()
    async throws
  {
    try await withUnansweredFiles { scenario, run in
      try scenario.editProfile("timeout: 30s", "timeout: 29s")
      try await rollback(run, scenario).exits(0)
      #expect(try kept(scenario).isEmpty)
    }
  }

  @Test
  func `unconfirmed files are removed, although the profile no longer sends files`()
    async throws
  {
    try await withUnansweredFiles { scenario, run in
      try scenario.editProfile("    enabled: true", "    enabled: false")
      try await rollback(run, scenario).exits(0)
      #expect(try kept(scenario).isEmpty)
    }
  }

  // MARK: - The scene

  private func flags(_ scenario: MigrationScenario) -> [String] {
    ["--profile", scenario.profile, "--to", "file:\(scenario.folder)/kept"]
  }

  private func rollback(_ run: String, _ scenario: MigrationScenario) async throws -> Answer {
    try await scenario.ferry(["rollback", run] + flags(scenario))
  }

  /// The media files in the folder.
  private func kept(_ scenario: MigrationScenario) throws -> [String] {
    let media = "\(scenario.folder)/kept/media"
    let paths = FileManager.default.enumerator(atPath: media)?.allObjects ?? []
    return paths.compactMap { $0 as? String }.filter { $0.count > 64 }
  }

  /// Lends a folder in which the files lie that a run began to send, and the run, which took down no answer.
  private func withUnansweredFiles(
    _ body: (MigrationScenario, _ run: String) async throws -> Void
  ) async throws {
    try await withScenario(takesMedia: true) { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      // Where the folder of media should be, no file can be put.
      let place = "\(scenario.folder)/kept"
      let folder = URL(filePath: place)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let obstacle = folder.appending(path: "media")
      try Data().write(to: obstacle)
      let stopped = try await scenario.ferry(["upload", package] + flags(scenario)).exits(7)
      try FileManager.default.removeItem(at: obstacle)
      try Python.run(["-c", Self.received, "\(scenario.state)/checkpoints", package, place])
      #expect(try !kept(scenario).isEmpty)
      try await body(scenario, try stopped.run())
    }
  }

  /// Puts the files that were begun where the run would have put them; a copy of the checkpoint is read.
  private static let received = """
    import os, shutil, sqlite3, sys
    checkpoints, package, kept = sys.argv[1:]
    copy = kept + ".checkpoints"
    shutil.copytree(checkpoints, copy)
    name = next(name for name in os.listdir(copy) if name.endswith(".sqlite"))
    rows = sqlite3.connect(f"{copy}/{name}").execute(
        "SELECT entity, key, request_key FROM operation"
        " WHERE action = 'upload' AND begun_at IS NOT NULL").fetchall()
    for entity, key, request in rows:
        folder = f"{kept}/media/{entity.split(':')[1]}"
        os.makedirs(folder, exist_ok=True)
        digest = key[:64]
        shutil.copy(f"{package}/media/sha256/{digest[:2]}/{digest}",
                    f"{folder}/{digest}-{request[:12]}")
    """
}

extension MigrationScenario {
  fileprivate func editProfile(_ old: String, _ new: String) throws {
    let text = try String(at: profile)
    try #require(text.contains(old), "“\(old)” is in the profile")
    try text.replacing(old, with: new).save(to: profile)
  }
}
