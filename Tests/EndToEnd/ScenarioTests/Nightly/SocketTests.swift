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
      let results = "\(place)/results"
      // Each with the statuses of one that has done its work, and with what it says or leaves then.
      let lines: [(words: [String], done: [Int32], said: [String], made: String?)] = [
        (["inspect", store], [0], ["Story"], nil),
        (["export", store, "-o", package], [0], [], package),
        (["validate", package], [0], ["valid: 424 records"], nil),
        (["import", Samples.folder + "/streaksync", "-o", results], [0, 3], [], results),
      ]
      for line in lines {
        let traced = try SystemCalls.network(of: line.words, in: place)
        let verb = line.words[0]
        #expect(traced.calls.isEmpty, "\(verb): \(traced.calls)")
        #expect(line.done.contains(traced.status), "\(verb): \(traced.status), \(traced.said)")
        for text in line.said {
          #expect(traced.said.contains(text), "\(verb): \(traced.said)")
        }
        guard let made = line.made else { continue }
        #expect(FileManager.default.fileExists(atPath: "\(made)/manifest.json"), "\(verb)")
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(made)/data")
        #expect(!files.isEmpty, "\(verb)")
      }
    }
  }

  @Test func `a request to a destination is detected as a network call`() async throws {
    try await withTemporaryFolder { place in
      let line = [
        "preflight", "--profile", Samples.folder + "/datasette/profile.yaml", "--to",
        "http://127.0.0.1:9", "--credential", "token=env:TOKEN",
      ]
      let traced = try SystemCalls.network(of: line, in: place)
      #expect(!traced.calls.isEmpty, "\(traced.status), \(traced.said)")
    }
  }
}

private enum SystemCalls {
  static let tracer = ["/usr/bin/strace"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// What came of a run.
  struct Traced {
    /// Its network calls, in the tracer's words.
    let calls: [String]
    /// Its exit status; the tracer ends as the run did.
    let status: Int32
    /// All that it printed.
    let said: String
  }

  /// Has a run traced.
  ///
  /// Where the program ends while a thread enters a call, and before the tracer has read which, there is
  /// a line without a name (`???(`); that call is not carried out any more.
  static func network(of line: [String], in folder: String) throws -> Traced {
    let record = "\(folder)/calls"
    let said = URL(filePath: "\(folder)/said")
    try Data().write(to: said)
    let output = try FileHandle(forWritingTo: said)
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
      process[keyPath: stream] = output
    }
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try output.close()
    let status = process.terminationStatus
    return Traced(
      calls: try String(at: record)
        .split(separator: "\n").map(String.init)
        .filter { !$0.contains("AF_UNIX") && !$0.contains("???(") },
      status: process.terminationReason == .exit ? status : -status,
      said: String(decoding: try Data(contentsOf: said), as: UTF8.self)
    )
  }
}
