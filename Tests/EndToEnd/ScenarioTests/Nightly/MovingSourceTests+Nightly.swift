import Files
import Foundation
import TestSupport
import Testing

extension MovingSourceTests {
  /// What becomes of the store while it is read.
  enum Move: String {
    case changes, vanishes

    func happen(to store: String) throws {
      switch self {
      case .changes: try Self.flipLastBit(of: store)
      case .vanishes: try FileManager.default.moveItem(atPath: store, toPath: store + ".aside")
      }
    }

    func undo(at store: String) throws {
      switch self {
      case .changes: try Self.flipLastBit(of: store)
      case .vanishes: try FileManager.default.moveItem(atPath: store + ".aside", toPath: store)
      }
    }

    private static func flipLastBit(of path: String) throws {
      let file = try FileHandle(forUpdating: URL(filePath: path))
      let end = try file.seekToEnd()
      try file.seek(toOffset: end - 1)
      let last = try #require(try file.read(upToCount: 1)?.first)
      try file.seek(toOffset: end - 1)
      try file.write(contentsOf: [last ^ 1])
      try file.close()
    }
  }

  @Test(
    .enabled(if: SlowDisk.tracer != nil, "skipped: there is no strace here"),
    arguments: [("export", Move.vanishes), ("migrate", .changes)]
  )
  func `a store that changes while it is read ends the run, and an unchanged one is read`(
    verb: String,
    move: Move
  ) async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      let line =
        verb == "export"
        ? ["export", scenario.sample.store, "--profile", scenario.profile, "-o", package]
        : ["migrate", scenario.sample.store] + scenario.destination
      var late = scenario
      late.program = scenario.program.started(by: SlowDisk.words)
      let running = late
      async let answer = running.ferry(line)
      // What is written has a name once the store was copied, and the disk has far more to wait for.
      let place = verb == "export" ? scenario.folder : "\(scenario.state)/packages"
      try await Self.waitForPartial(in: place)
      try move.happen(to: scenario.sample.store)
      let ended = try await answer
      #expect(ended.status == 10, "\(ended)")
      #expect(ended.standardError.contains("changed while it was read"), "\(ended)")
      #expect(try Self.packages(in: place).isEmpty)
      #expect(try scenario.backend.writeCount() == 0)

      try move.undo(at: scenario.sample.store)
      try await scenario.ferry(line).exits(0)
      #expect(try Self.packages(in: place).count == 1)
    }
  }

  private static func names(in folder: String, of package: String = "") throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasPrefix(package) }
  }

  private static func packages(in folder: String) throws -> [String] {
    try names(in: folder).filter { $0.hasSuffix(".ferry") }
  }

  private static func waitForPartial(in folder: String) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try !names(in: folder).contains(where: { $0.hasSuffix(".ferry.partial") }) {
      guard ContinuousClock.now < end else { throw TestSupportError("nothing was written") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test(arguments: ["export", "import"])
  func `a package that another run is writing is refused, and made after that run`(
    verb: String
  ) async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      let source =
        verb == "export"
        ? [scenario.sample.store, "--profile", scenario.profile]
        : ["\(Samples.folder)/streaksync/game_results.json"]
      let line = [verb] + source + ["-o", package]
      do {
        guard let lock = try LockFile(taking: package + ".lock") else {
          Issue.record("no other user holds it")
          return
        }
        let refused = try await scenario.ferry(line).exits(11)
        #expect(refused.standardError.contains("another run is at work on \(package)"))
        #expect(try Self.names(in: scenario.folder, of: "p.ferry") == ["p.ferry.lock"])
        _ = lock.path
      }
      // What is left of it is no one's lock any more.
      let made = try await scenario.ferry(line)
      #expect([0, 3].contains(made.status), "\(made)")
      #expect(try Self.names(in: scenario.folder, of: "p.ferry") == ["p.ferry"])
    }
  }
}

/// A disk that has each file waited for a while.
private enum SlowDisk {
  static let tracer = ["/usr/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static let words = [
    "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e",
    "inject=fsync:delay_enter=100ms",
  ]
}
