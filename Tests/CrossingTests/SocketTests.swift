import Foundation
import TestSupport
import Testing

/// What never needs a network never asks for one, as the system's own record of its calls shows.
@Suite(
  .enabled(if: SystemCalls.tracer != nil, "skipped: there is no strace here"),
  .timeLimit(.minutes(3))
)
struct SocketTests {
  @Test func `inspect, export, validate and import make no network call`() async throws {
    try await withTemporaryFolder { place in
      let store = Samples.infiniteStories.store
      let package = "\(place)/package"
      for line in [
        ["inspect", store], ["export", store, "-o", package], ["validate", package],
        ["import", Samples.folder + "/streaksync", "-o", "\(place)/results"],
      ] {
        let calls = try SystemCalls.network(of: line, in: place)
        #expect(calls.isEmpty, "\(line[0]): \(calls)")
      }
      #expect(FileManager.default.fileExists(atPath: package))
      #expect(FileManager.default.fileExists(atPath: "\(place)/results"))
    }
  }

  @Test func `a look at a destination is seen to make network calls`() async throws {
    try await withTemporaryFolder { place in
      let line = [
        "doctor", "--profile", Samples.folder + "/datasette/profile.yaml", "--to",
        "http://127.0.0.1:9", "--credential", "token=env:TOKEN",
      ]
      let calls = try SystemCalls.network(of: line, in: place)
      #expect(!calls.isEmpty)
    }
  }
}

private enum SystemCalls {
  static let tracer = ["/usr/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The network calls of a run, in the tracer's words.
  ///
  /// Where the program ends while a thread enters a call, and before the tracer has read which, there is
  /// a line without a name (`???(`); that call is not carried out any more.
  static func network(of line: [String], in folder: String) throws -> [String] {
    let record = "\(folder)/calls"
    let process = Process()
    process.executableURL = URL(filePath: tracer ?? "")
    process.arguments =
      ["-f", "-qq", "-e", "signal=none", "-e", "trace=network", "-o", record]
      + [try FerryProgram().path] + line
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder,
      "FERRY_STATE_DIR": "\(folder)/state", "TOKEN": "a-token",
    ]
    for stream in [\Process.standardOutput, \Process.standardError] {
      process[keyPath: stream] = FileHandle.nullDevice
    }
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return try String(contentsOfFile: record, encoding: .utf8)
      .split(separator: "\n").map(String.init)
      .filter { !$0.contains("AF_UNIX") && !$0.contains("???(") }
  }
}
