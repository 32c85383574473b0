import Foundation
import TestSupport
import Testing

/// Servers that say by headers and members what Ferry has to heed, as the cases have them.
@Suite(
  .serialized,
  .timeLimit(.minutes(3)),
  .enabled(if: CaseFolder.isGiven, "skipped: FERRY_CASES is not set")
)
struct CasesHTTPTests {
  /// Runs a script of a case in a copy of it; gives what it printed.
  private func run(_ name: String, _ words: [String], with variables: [String: String] = [:])
    async throws -> String
  {
    try await withTemporaryFolder { folder in
      let copy = try CaseFolder.copy(name, into: URL(filePath: folder))
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = words
      process.currentDirectoryURL = copy
      process.standardInput = FileHandle.nullDevice
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["FERRY": try FerryProgram().path].merging(variables) { $1 }
      ) { $1 }
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return text
    }
  }

  @Test
  func
    `C15 more-pages: a list whose further pages the profile does not request ends with status 7`()
    async throws
  {
    let lines = try await run("C15-more-pages", ["python3", "pr.py"]).split(separator: "\n")
    #expect(lines.count == 17)
    for line in lines {
      let status = line.hasPrefix("plain ") ? "rc 0" : "rc 7"
      #expect(line.contains(status), "\(line)")
    }
  }

  // Each is the whole of two migrations; single answers are tested beside their readers.
  @Test(arguments: ["nextq", "gzip", "bom", "ra_asc", "ra_0"])
  func `C14 http: chunks, encodings and headers of answers do not end a run`(
    mode: String
  ) async throws {
    let port = try RealServer.freePort()
    let line = try await run("C14-http", ["sh", "go.sh", mode, "\(port)"])
    #expect(line.contains("rc=0 rc2=0"), "\(line)")
    #expect(line.contains(/item +5 +5/), "\(line)")
    // One request more where the first one was put off; two lines of the server's log may run into one.
    let posts = try #require(
      line.firstMatch(of: /posts=([0-9]+)/).flatMap { Int($0.output.1) },
      "\(line)"
    )
    #expect(posts <= (mode.hasPrefix("ra_") ? 6 : 5), "\(line)")
  }
}
