import Foundation
import JSONText
import TestSupport
import Testing

/// The guides and the README, whose commands are run as they are printed, from the first to the last.
@Suite(.timeLimit(.minutes(5))) struct GuidePageTests {
  private static let root = URL(fileURLWithPath: Samples.folder).deletingLastPathComponent().path

  private static let catalog = "\(root)/Sources/FerryCommands/FerryCommands.docc"

  /// A page whose commands are run, and what follows from them.
  struct Page: Sendable, CustomTestStringConvertible {
    /// Its place in the catalogue.
    let path: String
    /// How many records the destination has in the end.
    let rowCount: Int
    /// Words that the commands print.
    let words: [String]

    var testDescription: String { path }

    init(_ path: String, _ rowCount: Int, _ words: [String]) {
      self.path = path
      self.rowCount = rowCount
      self.words = words
    }
  }

  private static let pages = [
    Page("how-to/it-stopped.md", 0, ["ended with 130", "30", "reversed"]),
    Page("start/your-app.md", 30, ["no fault", "ended with 12", "what a migration to"]),
    Page("how-to/conflicts.md", 30, ["ended with 6", "conflicted"]),
    Page("how-to/fleet.md", 30, ["source unusable", "ended with 10", "done earlier"]),
    Page(
      "how-to/undo.md",
      0,
      ["nothing is left to do", "remaining", "reversed", "rolled back by"]
    ),
    Page("how-to/clean-up.md", 0, ["is rolled back with it", "it is not old enough", "freed: "]),
    Page("how-to/rejected-record.md", 30, ["ended with 4", "ended with 3", "repair:"]),
    Page("how-to/leave-out.md", 30, ["skipped"]),
    Page("how-to/encryption.md", 30, ["no fault", "undo: ferry rollback "]),
    Page("how-to/files.md", 0, ["no fault", "id: Int64"]),
    Page("how-to/check-documents.md", 0, ["invalid: 1 of 2", "valid: 1 document"]),
    Page("how-to/reports.md", 30, ["unchanged"]),
    Page("how-to/hand-over.md", 0, ["no fault"]),
    Page("how-to/stores.md", 0, ["ended with 3", "no fault"]),
    Page("how-to/inspect.md", 0, ["erDiagram", "ended with 6"]),
    Page("how-to/backend-folder.md", 0, ["back.ferry"]),
    Page("how-to/backends.md", 30, ["fits", "there.ferry"]),
    Page("how-to/backend-schema.md", 0, ["DEFINE SCHEMA"]),
    Page("how-to/upgrade.md", 0, ["1 breaking", "ended with 6"]),
  ]

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  /// What is between ```` ```sh ```` and ```` ``` ````.
  private func commands(_ text: String) -> String {
    var lines: [Substring] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```sh"
      } else if isInside {
        lines.append(line)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Runs commands beside a store and its profile; gives what was printed.
  private func run(_ text: String, _ folder: String, _ backend: BackendProgram) throws -> String {
    try Python.run(["\(Samples.folder)/fleet/make-stores.py", "1", folder, "--records", "30"])
    let files = FileManager.default
    try files.moveItem(atPath: "\(folder)/stores/00001.sqlite", toPath: "\(folder)/app.sqlite")
    let profile = try Self.text("\(Samples.folder)/fleet/profile.yaml").split(separator: "\n").map {
      $0.hasPrefix("  local: ") ? "  production: { url: \"\(backend.origin)\" }" : String($0)
    }
    try profile.joined(separator: "\n")
      .write(toFile: "\(folder)/profile.yaml", atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "set -e\nexec 2>&1\n" + commands(text)]
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
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(printed)")
    return printed
  }

  @Test(arguments: pages)
  func `the commands of a guide have the documented result`(page: Page) async throws {
    try await withTemporaryFolder { folder in
      let faults = page.path == "how-to/it-stopped.md" ? ["delay:1:60ms@PUT /collections"] : []
      try await withBackend(in: "\(folder)/server", faults: faults) { backend in
        let printed = try run(Self.text("\(Self.catalog)/\(page.path)"), folder, backend)
        for word in page.words { #expect(printed.contains(word), "\(page.path): \(printed)") }
        let dump = try backend.dump()
        #expect(dump["records"]?.array?.count == page.rowCount, "\(page.path): \(printed)")
      }
    }
  }

  @Test func `the six steps of the README migrate an app`() async throws {
    let readme = try Self.text("\(Self.root)/README.md")
    let start = try #require(readme.range(of: "## Your app in six steps\n"))
    let end = try #require(readme.range(of: "\n## ", range: start.upperBound..<readme.endIndex))
    try await withTemporaryFolder { folder in
      try await withBackend(in: "\(folder)/server", faults: []) { backend in
        let printed = try run(
          String(readme[start.upperBound..<end.lowerBound]),
          folder,
          backend
        )
        for word in ["draft/profile.yaml", "fits", "no fault", "created"] {
          #expect(printed.contains(word), "\(printed)")
        }
        #expect(try backend.dump()["records"]?.array?.count == 30, "\(printed)")
      }
    }
  }

  @Test func `the README has at most 200 lines and leads to every page`() throws {
    let readme = try Self.text("\(Self.root)/README.md")
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
    for path in try FileManager.default.subpathsOfDirectory(atPath: Self.catalog)
    where path.hasSuffix(".md") && path.contains("/") {
      #expect(readme.contains("FerryCommands.docc/\(path))"), "\(path)")
    }
  }
}
