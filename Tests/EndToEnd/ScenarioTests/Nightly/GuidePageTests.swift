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
    /// Whether a line of the page is run; every one unless given.
    let isRun: @Sendable (Substring) -> Bool

    var testDescription: String { path }

    init(
      _ path: String,
      _ rowCount: Int,
      _ words: [String],
      where isRun: @escaping @Sendable (Substring) -> Bool = { _ in true }
    ) {
      self.path = path
      self.rowCount = rowCount
      self.words = words
      self.isRun = isRun
    }
  }

  private static let pages = [
    // The programs that run here are what the other lines build.
    Page("start/install.md", 0, ["."]) { $0.hasPrefix("ferry ") },
    Page("how-to/look-at-a-plan.md", 30, ["+ 30  ~ 0  - 0", "title: \"Note 29", "(finished)"]),
    Page("how-to/credentials.md", 30, ["not stored"]),
    Page("how-to/write-back.md", 30, ["30 records written to write-back.json"]),
    Page("how-to/mismatch.md", 30, ["api.entities.Note.body.name", "ended with 12", "updated"]),
    Page("how-to/realm.md", 0, ["Dog (2 rows)", "package written: p.ferry"]),
    Page("how-to/presets.md", 0, ["Kinto, with batches", "my/profile.yaml"]) {
      !["notes", "export ", "ferry preflight", "json-api", "TOKEN"].contains(where: $0.contains)
    },
    Page(
      "how-to/import-results.md",
      0,
      ["chat.txt, line 1: result", "package written: all.ferry"]
    ),
    Page("how-to/it-stopped.md", 0, ["ended with 130", "30", "reversed"]),
    Page("start/your-app.md", 30, ["no fault", "ended with 12", "what a migration to"]),
    Page("how-to/conflicts.md", 30, ["ended with 6", "conflicted"]),
    Page("how-to/fleet.md", 30, ["source unusable", "ended with 10", "done earlier"]),
    Page(
      "how-to/undo.md",
      0,
      ["nothing is left to do", "remaining", "reversed", "rolled back by"]
    ),
    Page("how-to/clean-up.md", 0, ["a rollback of run ", "it is not old enough", "freed: "]),
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

  /// Pages whose commands are not run as they are printed, and why.
  private static let exceptions = [
    "how-to/couchbase-lite.md": "CouchbaseTests, on databases that a script makes",
    "start/first-run.md": "a test of its own: the first line builds the program anew",
    "how-to/profile-variables.md": "needs a profile with variables: GivenValueTests has one",
    "how-to/backend-postgresql.md": "needs a database: SchemaEmitPostgreSQLTests goes the same way",
  ]

  /// Pages with blocks that only show commands, and why those are not run.
  private static let shown = [
    "how-to/clean-up.md": "removes the state folder of the machine",
    "how-to/backend-schema.md": "needs PocketBase: see PocketBaseGuideTests",
    "how-to/write-back.md": "needs an app's store: WriteBackApplyTests types the command",
  ]

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  /// The lines between ```` ```sh ```` and ```` ``` ````, or of blocks that begin with another `fence`.
  private static func lines(of text: String, in fence: String = "```sh") -> [Substring] {
    var lines: [Substring] = []
    var begun: Substring?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        begun = begun == nil ? line : nil
      } else if begun.map({ $0 == fence }) == true {
        lines.append(line)
      }
    }
    return lines
  }

  /// Runs commands beside a store and its profile; gives what was printed.
  private func run(
    _ text: String,
    _ folder: String,
    _ backend: BackendProgram,
    where isRun: (Substring) -> Bool = { _ in true }
  ) throws -> String {
    if text.contains("default.realm") {
      try Data(RealmSample.dogs()).write(to: URL(filePath: "\(folder)/default.realm"))
    }
    try Python.run(["\(Samples.folder)/fleet/make-stores.py", "1", folder, "--records", "30"])
    let files = FileManager.default
    try files.moveItem(atPath: "\(folder)/stores/00001.sqlite", toPath: "\(folder)/app.sqlite")
    let profile = try Self.text("\(Samples.folder)/fleet/profile.yaml").split(separator: "\n").map {
      $0.hasPrefix("  local: ") ? "  production: { url: \"\(backend.origin)\" }" : String($0)
    }
    try profile.joined(separator: "\n")
      .write(toFile: "\(folder)/profile.yaml", atomically: true, encoding: .utf8)
    let lines = Self.lines(of: text).filter(isRun)
    return try typed(
      lines.joined(separator: "\n"),
      in: folder,
      ["TO": backend.origin, "EMAIL": DemoAccount.email, "PASSWORD": "correct-horse"]
    )
  }

  @Test(arguments: pages)
  func `the commands of a guide have the documented result`(page: Page) async throws {
    try await withTemporaryFolder { folder in
      let faults = page.path == "how-to/it-stopped.md" ? ["delay:1:60ms@PUT /collections"] : []
      try await withBackend(in: "\(folder)/server", faults: faults) { backend in
        let text = try Self.text("\(Self.catalog)/\(page.path)")
        let printed = try run(text, folder, backend, where: page.isRun)
        for word in page.words { #expect(printed.contains(word), "\(page.path): \(printed)") }
        let dump = try backend.dump()
        #expect(dump["records"]?.array?.count == page.rowCount, "\(page.path): \(printed)")
      }
    }
  }

  @Test func `the commands after the first run write back its result and roll it back`()
    async throws
  {
    try await withTemporaryFolder { folder in
      try await withBackend(in: "\(folder)/server", faults: []) { backend in
        let sample = try Samples.infiniteStories.copied(into: folder)
        let migrate = """
          ferry migrate \(sample.store) --profile \(Samples.folder)/infinite-stories/profile.yaml --to $TO \
            --credential email=env:FERRY_DEMO_EMAIL --credential password=env:FERRY_DEMO_PASSWORD
          RUN=$(ferry history --format ndjson --quiet | sed -n 's/.*"run":"\\([^"]*\\)".*/\\1/p')
          """
        let page = try Self.text("\(Self.catalog)/start/first-run.md")
        let commands = Self.lines(of: page).filter { $0.hasPrefix("ferry ") }
        #expect(commands.count == 4)
        let printed = try typed(
          ([migrate] + commands.map { String($0).replacing("RUN", with: "\"$RUN\"") }).joined(
            separator: "\n"
          ),
          in: folder,
          [
            "TO": backend.origin, "FERRY_DEMO_EMAIL": DemoAccount.email,
            "FERRY_DEMO_PASSWORD": "correct-horse",
          ]
        )
        for word in [
          "204 records written to write-back.json", "as far as the checkpoint shows:", "reversed",
        ] {
          #expect(printed.contains(word), "\(printed)")
        }
        #expect(try backend.rows("stories").isEmpty, "\(printed)")
      }
    }
  }

  @Test func `each guide with commands is typed, or is listed with the reason`() throws {
    let run = Set(Self.pages.map(\.path))
    let isCommand = { (line: Substring) in
      ["ferry ", "sh ", "psql ", "swift "].contains { line.hasPrefix($0) }
    }
    for folder in ["start", "how-to"] {
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(Self.catalog)/\(folder)")
      for path in names.sorted().map({ "\(folder)/\($0)" }) {
        let text = try Self.text("\(Self.catalog)/\(path)")
        let isTyped = run.contains(path) || Self.exceptions[path] != nil
        #expect(Self.lines(of: text).contains(where: isCommand) == isTyped, "\(path)")
        let isShown = Self.lines(of: text, in: "```").contains(where: isCommand)
        #expect(isShown == (Self.shown[path] != nil), "\(path)")
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

/// The commands of the guides for PocketBase, typed against a real one.
@Suite(
  .enabled(
    if: Servers.pocketbase != nil,
    "skipped: FERRY_POCKETBASE does not name the program of PocketBase"
  ),
  .timeLimit(.minutes(5))
)
struct PocketBaseGuideTests {
  private func lines(of page: String, where isWanted: (Substring) -> Bool) throws -> [String] {
    let catalog = URL(fileURLWithPath: Samples.folder).deletingLastPathComponent().path
    let path = "\(catalog)/Sources/FerryCommands/FerryCommands.docc/how-to/\(page)"
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .filter(isWanted).map(String.init)
  }

  @Test func `tables are made, a profile is drafted, and the store is migrated`() async throws {
    let program = try #require(Servers.pocketbase)
    try await withTemporaryFolder { folder in
      try Python.run([
        "\(Samples.folder)/fleet/make-stores.py", "1", folder, "--records", "30",
      ])
      for name in ["app", "notes"] {
        try FileManager.default.copyItem(
          atPath: "\(folder)/stores/00001.sqlite",
          toPath: "\(folder)/\(name).sqlite"
        )
      }
      let emit = try lines(of: "backend-schema.md") {
        $0.hasPrefix("ferry schema emit --for pocketbase")
      }
      #expect(emit.count == 1)
      _ = try typed(emit.joined(separator: "\n"), in: folder, [:])
      let server = try RealServer.pocketbase(
        program,
        in: folder,
        collections: "\(folder)/collections.json"
      )
      let later = try lines(of: "presets.md") { _ in true }
        .drop { !$0.hasPrefix("export FERRY_CREDENTIAL=user=env:U,") }
      let commands = later.prefix(5)
      #expect(commands.last?.hasPrefix("ferry migrate notes.sqlite") == true)
      let text = commands.joined(separator: "\n")
        .replacing("https://notes.example.com", with: server.origin)
      let printed = try typed(
        text,
        in: folder,
        ["ADMIN": try server.pocketbaseToken(), "U": "dev@example.com", "P": "password1"]
      )
      #expect(printed.contains("would do:"), "\(printed)")
      #expect(try server.pocketbaseCount(of: ["notes"]) == 30, "\(printed)")
    }
  }
}

/// Types commands into a shell in a folder, with the program in its path; gives what was printed.
private func typed(
  _ commands: String,
  in folder: String,
  _ variables: [String: String]
) throws -> String {
  let process = Process()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = ["-c", "set -e\nexec 2>&1\n" + commands + "\n"]
  process.currentDirectoryURL = URL(filePath: folder)
  var environment = ProcessInfo.processInfo.environment
  let built = URL(filePath: try FerryProgram().path).deletingLastPathComponent().path
  environment["PATH"] = "\(built):\(environment["PATH"] ?? "/usr/bin:/bin")"
  environment["FERRY_STATE_DIR"] = "\(folder)/state"
  process.environment = environment.merging(variables) { $1 }
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  #expect(process.terminationStatus == 0, "\(printed)")
  return printed
}
