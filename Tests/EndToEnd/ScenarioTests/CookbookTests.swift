import Foundation
import JSONText
import TestSupport
import Testing

/// The pages of `Samples/cookbook`, whose commands are run from the first to the last.
@Suite(.timeLimit(.minutes(5))) struct CookbookTests {
  private static let folder = "\(Samples.folder)/cookbook"

  private static let pages = ["it-stopped", "write-a-profile", "conflicts", "fleet"]

  /// What is between ```` ```sh ```` and ```` ``` ````.
  private func commands(_ page: String) throws -> String {
    var lines: [Substring] = []
    var isInside = false
    for line in try String(at: "\(Self.folder)/\(page).md")
      .split(separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("```") {
        isInside = line == "```sh"
      } else if isInside {
        lines.append(line)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Runs the commands of a page beside a store and its profile; gives what was printed.
  private func run(_ page: String, _ folder: String, _ backend: BackendProgram) throws -> String {
    try Python.run(["\(Samples.folder)/fleet/make-stores.py", "1", folder, "--records", "30"])
    let files = FileManager.default
    try files.moveItem(atPath: "\(folder)/stores/00001.sqlite", toPath: "\(folder)/app.sqlite")
    try files.copyItem(
      atPath: "\(Samples.folder)/fleet/profile.yaml",
      toPath: "\(folder)/profile.yaml"
    )
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "set -e\nexec 2>&1\n" + (try commands(page))]
    process.currentDirectoryURL = URL(filePath: folder)
    var environment = ProcessInfo.processInfo.environment
    let built = URL(filePath: try FerryProgram().path).deletingLastPathComponent().path
    environment["PATH"] = "\(built):\(environment["PATH"] ?? "/usr/bin:/bin")"
    environment["FERRY_STATE_DIR"] = "\(folder)/state"
    environment["TO"] = backend.origin
    environment["EMAIL"] = DemoAccount.email
    environment["PASSWORD"] = "correct-horse"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(page): \(text)")
    return text
  }

  @Test(arguments: [
    ("it-stopped", 0, ["ended with 130", "30", "reversed"]),
    ("write-a-profile", 30, ["no fault", "ended with 12", "what a migration to"]),
    ("conflicts", 30, ["ended with 6", "conflicted"]),
    ("fleet", 30, ["source unusable", "ended with 10", "done earlier"]),
  ]) func `the commands of a cookbook page have the documented result`(
    page: String,
    rowCount: Int,
    words: [String]
  ) async throws {
    try await withTemporaryFolder { folder in
      let faults = page == "it-stopped" ? ["delay:1:60ms@PUT /collections"] : []
      try await withBackend(in: "\(folder)/server", faults: faults) { backend in
        let text = try run(page, folder, backend)
        for word in words { #expect(text.contains(word), "\(page): \(text)") }
        #expect(try backend.dump()["records"]?.array?.count == rowCount, "\(text)")
      }
    }
  }

  @Test func `the front page names every page`() throws {
    let front = try String(at: "\(Self.folder)/README.md")
    for page in Self.pages { #expect(front.contains("(\(page).md)")) }
  }
}
