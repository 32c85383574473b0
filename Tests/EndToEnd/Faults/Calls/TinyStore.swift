import Foundation
import TestSupport

/// A store of a handful of rows, so that a run makes few calls and all of them can be tried.
enum TinyStore {
  /// Makes it in a new folder, with its media and its profile.
  static func make(in folder: String) throws -> Sample {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "\(Samples.infiniteStories.folder)/make-store.py", "--seed", "tiny",
      "--legacy", "\(folder)/default.store", "--container", "\(folder)/container",
      "--heroes", "2", "--stories", "3", "--illustrations", "1", "--events", "1",
      "--profiles", "1", "--wal-stories", "1", "--wal-heroes", "1",
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("make-store.py ended with \(process.terminationStatus)")
    }
    try FileManager.default.copyItem(
      atPath: Samples.infiniteStories.profile,
      toPath: "\(folder)/profile.yaml"
    )
    return Sample(folder: folder)
  }

  /// Game results as an app kept them, for an import.
  static func writeResults(to path: String) throws {
    let lines = (1...4).map { number in
      #"{"id":"00000000-0000-4000-8000-00000000000\#(number)","gameId":"G0","gameName":"wordle","#
        + #""score":\#(number),"maxAttempts":6,"completed":true,"date":"2024-03-05T10:11:12Z","#
        + #""sharedText":"Wordle \#(number) \#(number)/6\n\n🟩🟩🟩🟩🟩","parsedData":{}}"#
    }
    try (lines.joined(separator: "\n") + "\n")
      .write(toFile: path, atomically: true, encoding: .utf8)
  }
}
