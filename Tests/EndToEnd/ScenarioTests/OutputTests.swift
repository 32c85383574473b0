import Files
import Foundation
import JSONText
import TestSupport
import Testing

/// Where results, reports and logs go, when that is no ordinary file.
@Suite(.timeLimit(.minutes(5))) struct OutputTests {
  /// The program with its standard streams as a shell makes them.
  func program(_ redirection: String, in folder: String) throws -> FerryProgram {
    let script = "\(folder)/\(UUID().uuidString)"
    let line = "'\(try FerryProgram().path)' \"$@\" \(redirection)"
    try "#!/bin/sh\nulimit -c unlimited 2>/dev/null\n\(line)\n".save(to: script)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    return try FerryProgram(at: script)
  }

  func run(
    _ line: [String],
    _ redirection: String = "",
    in folder: String,
    _ environment: [String: String] = [:]
  ) async throws -> FerryProgram.Finished {
    try await program(redirection, in: folder)
      .run(line, environment: environment, state: "\(folder)/state")
  }

  // MARK: - Standard output

  #if os(Linux)
  @Test func `results that do not fit on the disk are a passing fault, in one line`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let package = "\(folder)/p.ferry"
      let export = ["export", sample.store, "--profile", sample.profile, "-o"]
      try await run(export + [package], in: folder).exits(0)
      let lines = [
        export + ["\(folder)/other.ferry"], ["validate", package, "--format", "json"],
        ["validate", package, "--report", "json=-"], ["inspect", sample.store], ["status"],
        ["schema", "infer", "\(package)/data/Hero-00001.jsonl"], ["config"],
        ["--generate-completion-script", "bash"], ["help", "upload"], ["--version"],
        ["upload", "--help"],
        ["import", "\(Samples.folder)/streaksync/game_results.json", "--explain"],
      ]
      for line in lines {
        let full = try await run(line, ">/dev/full", in: folder)
        #expect(full.status == 5, "\(line): \(full.standardError)")
        let said = full.standardError.split(separator: "\n").filter {
          $0 == "ferry: cannot write standard output: No space left on device"
        }
        #expect(said.count == 1, "\(line): \(full.standardError)")
        // No one wants them: that is no failure.
        #expect(try await run(line, ">&-", in: folder).status == 0, "\(line)")
        #expect(try await run(line, "| head -c 1 >/dev/null", in: folder).status == 0, "\(line)")
        // Each time it is written anew, where it was.
        try Folder.remove("\(folder)/other.ferry")
      }
    }
  }
  #endif
}
