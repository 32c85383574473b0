import Foundation
import JSONText
import TestSupport
import Testing

/// A user who may not do everything: the program is run as one even where the tests are run as root.
@Suite(
  .enabled(if: OrdinaryUser.isThere, "skipped: there is no way to run as an ordinary user here"),
  .timeLimit(.minutes(3))
)
struct RightsTests {
  // MARK: - Sources

  @Test func `a source that may only be read is exported, and stays as it was`() async throws {
    try await withOrdinaryUser { scenario in
      let source = "\(scenario.folder)/store"
      try OrdinaryUser.chmod("a-w", source)
      let before = try SourceDigests(of: source)
      try await scenario.export(to: "\(scenario.folder)/package").exits(0)
      #expect(try SourceDigests(of: source) == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: source).sorted() == [
          "container", "default.store", "default.store-wal", "profile.yaml",
        ]
      )
    }
  }

  @Test(arguments: ["export", "inspect", "migrate"])
  func `an unreadable source is named with a cure, and no file is left`(
    verb: String
  ) async throws {
    try await withOrdinaryUser { scenario in
      let package = "\(scenario.folder)/package"
      let store = scenario.sample.store
      let line =
        switch verb {
        case "export": ["export", store, "--profile", scenario.profile, "-o", package]
        case "inspect": ["inspect", store]
        default: ["migrate", store] + scenario.destination
        }
      for path in [store, store + "-wal", "\(scenario.folder)/store"] {
        try OrdinaryUser.chmod("a-rx", path)
        let refused = try await scenario.ferry(line).exits(10)
        #expect(refused.standardError.contains(store))
        #expect(refused.standardError.contains("cure: let this user read it"))
        try OrdinaryUser.chmod("a+rX", path)
      }
      #expect(!FileManager.default.fileExists(atPath: package))
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  @Test(arguments: ["b", "b/store.sqlite"])
  func `a container with an unreadable part is not exported in part`(
    part: String
  ) async throws {
    try await withOrdinaryUser { scenario in
      let container = "\(scenario.folder)/two"
      let package = "\(scenario.folder)/package"
      for (name, store) in [
        ("a", scenario.sample.store), ("b", "\(Samples.folder)/noted/Noted.sqlite"),
      ] {
        try OrdinaryUser.make("\(container)/\(name)")
        try FileManager.default.copyItem(
          atPath: store,
          toPath: "\(container)/\(name)/store.sqlite"
        )
      }
      try OrdinaryUser.give(container)
      try OrdinaryUser.chmod("a-rx", "\(container)/\(part)")
      let refused = try await scenario.ferry(["export", container, "-o", package]).exits(10)
      #expect(refused.standardError.contains("\(container)/\(part): Permission denied"))
      #expect(refused.standardError.contains("cure: let this user read it"))
      #expect(!FileManager.default.fileExists(atPath: package))
      try OrdinaryUser.chmod("a+rX", "\(container)/\(part)")
      try await scenario.ferry(["export", container, "-o", package]).exits(0)
    }
  }

  @Test func `unreadable media is not reported as missing`() async throws {
    try await withOrdinaryUser(.legacy) { scenario in
      let package = "\(scenario.folder)/package"
      let container = "\(scenario.sample.folder)/container"
      try OrdinaryUser.chmod("a-rx", container)
      let refused = try await scenario.export(to: package)
      #expect(refused.status != 0)
      #expect(refused.standardError.contains("Permission denied"), "\(refused)")
      #expect(!FileManager.default.fileExists(atPath: package))
      try OrdinaryUser.chmod("a+rX", container)
      try await scenario.export(to: package).exits(0)
    }
  }

  @Test func `result files with an unreadable one are not imported in part`()
    async throws
  {
    try await withOrdinaryUser { scenario in
      let files = "\(scenario.folder)/files"
      try FileManager.default.copyItem(atPath: "\(Samples.folder)/streaksync", toPath: files)
      try OrdinaryUser.give("\(scenario.folder)/files")
      let results = "\(scenario.folder)/results"
      try OrdinaryUser.chmod("a-r", "\(files)/game_results.json")
      let refused = try await scenario.ferry(["import", files, "-o", results]).exits(10)
      #expect(refused.standardError.contains("\(files)/game_results.json: Permission denied"))
      #expect(refused.standardError.contains("cure: let this user read it"))
      #expect(!FileManager.default.fileExists(atPath: results))
    }
  }

  @Test func `an unreadable profile is not reported as missing`() async throws {
    try await withOrdinaryUser { scenario in
      try OrdinaryUser.chmod("a-rx", "\(scenario.folder)/profile")
      let refused = try await scenario.migrate().exits(1)
      #expect(refused.standardError.contains("\(scenario.profile): Permission denied"))
      #expect(refused.standardError.contains("cure: let this user read it"))
    }
  }

  // MARK: - Packages

  @Test func `a package that may only be read is validated and uploaded`() async throws {
    try await withOrdinaryUser { scenario in
      let package = "\(scenario.folder)/packages/package"
      try OrdinaryUser.make("\(scenario.folder)/packages")
      try await scenario.export(to: package).exits(0)
      try OrdinaryUser.chmod("a-w", "\(scenario.folder)/packages")
      try await scenario.ferry(["validate", package]).exits(0)
      let sent = try await scenario.ferry(["upload", package] + scenario.destination).exits(0)
      #expect(sent.count("created") > 0)
    }
  }

  @Test(arguments: ["manifest.json", "data/Hero-00001.jsonl"])
  func `a package with an unreadable part is refused, and no record is sent`(
    part: String
  ) async throws {
    try await withOrdinaryUser { scenario in
      let package = "\(scenario.folder)/package"
      try await scenario.export(to: package).exits(0)
      try OrdinaryUser.chmod("a-r", "\(package)/\(part)")
      for line in [["validate", package], ["upload", package] + scenario.destination] {
        let refused = try await scenario.ferry(line).exits(12)
        #expect(refused.standardError.contains("\(package)/\(part): Permission denied"))
        #expect(refused.standardError.contains("cure: let this user read it"))
      }
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  @Test func `a rollback that cannot read the package stops, and goes on when it can`() async throws
  {
    try await withOrdinaryUser { scenario in
      let package = "\(scenario.folder)/package"
      try await scenario.export(to: package).exits(0)
      let before = try scenario.backend.userRows()
      let sent = try await scenario.ferry(["upload", package] + scenario.destination).exits(0)
      let part = "\(package)/data/Story-00001.jsonl"
      try OrdinaryUser.chmod("a-r", part)
      let stopped = try await scenario.rollback(try sent.run()).exits(12)
      #expect(stopped.standardError.contains("\(part): Permission denied"))
      #expect(stopped.count("kept", in: "rollback") == 0)
      try OrdinaryUser.chmod("a+r", part)
      try await scenario.rollback(try sent.run()).exits(0)
      #expect(try scenario.backend.userRows() == before)
    }
  }

  @Test(arguments: ["export", "import"])
  func `a folder that may not be written to takes no package, and is named with a cure`(
    verb: String
  ) async throws {
    try await withOrdinaryUser { scenario in
      let place = "\(scenario.folder)/closed"
      try OrdinaryUser.make(place)
      try OrdinaryUser.chmod("a-w", place)
      let source =
        verb == "export"
        ? [scenario.sample.store, "--profile", scenario.profile]
        : ["\(Samples.folder)/streaksync/game_results.json"]
      let refused = try await scenario.ferry([verb] + source + ["-o", "\(place)/package"]).exits(1)
      #expect(refused.standardError.contains("Permission denied"))
      #expect(refused.standardError.contains("cure: let this user write to \(place)"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
    }
  }

  // MARK: - The state folder

  @Test func `no record is sent without a writable state folder, and all are with one`()
    async throws
  {
    try await withOrdinaryUser { scenario in
      try OrdinaryUser.make(scenario.state)
      try OrdinaryUser.chmod("a-w", scenario.state)
      let refused = try await scenario.migrate().exits(1)
      #expect(refused.standardError.contains(scenario.state))
      #expect(refused.standardError.contains("cure: "))
      #expect(try scenario.backend.writeCount() == 0)
      try OrdinaryUser.chmod("u+w", scenario.state)
      let done = try await scenario.migrate().exits(0)
      #expect(done.value("verification")?["clean"] == true)
    }
  }

  @Test(arguments: ["a-w", "a-r", "a-rwx"])
  func
    `a closed state folder stops sending and rolling back, and then both go on`(
      rights: String
    ) async throws
  {
    try await withOrdinaryUser { scenario in
      let first = try await scenario.migrate().exits(0)
      try scenario.sql("UPDATE ZSTORY SET ZTITLE = 'Neu' WHERE Z_PK = 1")
      try OrdinaryUser.give("\(scenario.folder)/store")
      let before = try scenario.backend.writeCount()
      // Both the folder and what is in it, so that neither is enough.
      try OrdinaryUser.chmod(rights, scenario.state)
      for line in [
        ["migrate", scenario.sample.store] + scenario.destination,
        ["rollback", try first.run()] + scenario.destination,
      ] {
        let refused = try await scenario.ferry(line)
        #expect([1, 12].contains(refused.status), "\(line[0]): \(refused.standardError)")
        #expect(refused.standardError.contains("cure: "), "\(refused)")
      }
      #expect(try scenario.backend.writeCount() == before)
      try OrdinaryUser.chmod("u+rwX", scenario.state)
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("updated") == 1)
      #expect(second.count("created") == 0)
      for answer in try await scenario.rollbackAll(from: second) {
        #expect(answer.status == 0, "\(answer)")
      }
    }
  }
}

// MARK: - The user

/// Lends a migration whose files are an ordinary user's, who runs the program.
private func withOrdinaryUser(
  _ choice: StoreChoice = .small,
  _ body: (MigrationScenario) async throws -> Void
) async throws {
  try await withScenario(choice) { scenario in
    var scenario = scenario
    scenario.program = try OrdinaryUser.program(scenario.program, in: scenario.folder)
    for ending in ["temporary", "home"] { try OrdinaryUser.make("\(scenario.state).\(ending)") }
    try OrdinaryUser.give(scenario.folder)
    try await body(scenario)
    try OrdinaryUser.chmod("u+rwX", scenario.folder)
  }
}

/// The user that the program is run as: who runs the tests, or no one in particular where root does.
private enum OrdinaryUser {
  private static let isRoot = getuid() == 0
  private static let number = "65534"
  private static let becoming = [
    "setpriv", "--reuid=\(number)", "--regid=\(number)", "--clear-groups",
  ]

  /// Whether root can become that user here, and that user may run the program.
  static let isThere: Bool = {
    guard isRoot else { return true }
    do {
      try run(becoming + [try FerryProgram().path, "--version"])
      return true
    } catch {
      return false
    }
  }()

  static func program(_ program: FerryProgram, in folder: String) throws -> FerryProgram {
    guard isRoot else { return program }
    let script = "\(folder)/as-somebody"
    try "#!/bin/sh\nexec \(becoming.joined(separator: " ")) '\(program.path)' \"$@\"\n"
      .save(to: script)
    try chmod("a+rx", script)
    return try FerryProgram(at: script)
  }

  /// Makes that user the owner of all that is in a folder.
  static func give(_ folder: String) throws {
    if isRoot { try run(["chown", "-R", "\(number):\(number)", folder]) }
  }

  static func make(_ folder: String) throws {
    try makeFolder(folder)
    try give(folder)
  }

  /// Changes the rights to a file, or to a folder and all that is in it.
  static func chmod(_ change: String, _ path: String) throws {
    try run(["chmod", "-R", change, path])
  }

  private static func run(_ line: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = line
    for stream in [\Process.standardOutput, \Process.standardError] {
      process[keyPath: stream] = FileHandle.nullDevice
    }
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestSupportError("\(line) ended with \(process.terminationStatus)")
    }
  }
}
