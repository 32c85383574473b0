import Files
import Foundation
import TestSupport
import Testing

/// The app, or another run, is at work on what a run reads or writes.
@Suite(.timeLimit(.minutes(3))) struct MovingSourceTests {
  @Test func `a store that the app has locked is exported as last committed, and not touched`()
    async throws
  {
    try await withScenario { scenario in
      let free = "\(scenario.folder)/free.ferry"
      try await scenario.export(to: free).exits(0)
      let app = try RunningApp(holding: scenario.sample.store)
      let folder = URL(filePath: scenario.sample.store).deletingLastPathComponent().path
      let before = try SourceDigests(of: folder)
      let locked = "\(scenario.folder)/locked.ferry"
      try await scenario.export(to: locked).exits(0)
      #expect(try SourceDigests(of: folder) == before)
      #expect(try Self.data(of: locked) == Self.data(of: free))
      app.end()
    }
  }

  private static func data(of package: String) throws -> [String: String] {
    try SourceDigests(of: "\(package)/data").entries.mapValues(\.sha256)
  }
}

/// An app in the middle of a change of its store.
private final class RunningApp {
  private let process = Process()
  private let input = Pipe()

  /// Begins the change, and gives back once the store is locked for it.
  init(holding store: String) throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.script, store]
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    guard try output.fileHandleForReading.read(upToCount: 1)?.isEmpty == false else {
      throw TestSupportError("the store could not be locked")
    }
  }

  /// Gives the change up, as an app does that is killed.
  func end() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static let script = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    db.execute("DELETE FROM ZSTORY")
    print("locked", flush=True)
    sys.stdin.read()
    """
}
