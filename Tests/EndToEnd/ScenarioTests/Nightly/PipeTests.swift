import Foundation
import TestSupport
import Testing

/// What happens when a reader of the results goes away.
@Suite(.timeLimit(.minutes(1))) struct PipeTests {
  @Test func `a reader that stops early does not crash the program`() async throws {
    try await withTemporaryFolder { folder in
      let lines = String(repeating: "{\"n\":1}\n", count: 20_000)
      try Data(lines.utf8).write(to: URL(filePath: "\(folder)/d.jsonl"))
      try Data(#"{"type":"string"}"#.utf8).write(to: URL(filePath: "\(folder)/s.json"))
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      let ferry = try FerryProgram().path
      let flags = "validate --schema '\(folder)/s.json' '\(folder)/d.jsonl' --format ndjson -q"
      process.arguments = [
        "-c", "('\(ferry)' \(flags); echo $? > '\(folder)/status') | head -n 1 > /dev/null",
      ]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      let status = try String(at: "\(folder)/status")
      #expect(status == "4\n")
    }
  }
}
