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
    try await withOrdinaryUser { crossing in
      let source = "\(crossing.folder)/store"
      try OrdinaryUser.chmod("a-w", source)
      let before = try SourceDigests(of: source)
      let answer = try await crossing.export(to: "\(crossing.folder)/package")
      #expect(answer.status == 0, "\(answer.standardError)")
      #expect(try SourceDigests(of: source) == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: source).sorted() == [
          "container", "default.store", "default.store-wal", "profile.yaml",
        ]
      )
    }
  }

  @Test(arguments: ["export", "inspect", "migrate"])
  func `a source that may not be read is named, with a cure, and nothing is left`(
    verb: String
  ) async throws {
    try await withOrdinaryUser { crossing in
      let package = "\(crossing.folder)/package"
      let store = crossing.sample.store
      let line =
        switch verb {
        case "export": ["export", store, "--profile", crossing.profile, "-o", package]
        case "inspect": ["inspect", store]
        default: ["migrate", store] + crossing.destination
        }
      for path in [store, store + "-wal", "\(crossing.folder)/store"] {
        try OrdinaryUser.chmod("a-rx", path)
        let refused = try await crossing.ferry(line)
        #expect(refused.status == 10, "\(refused.standardError)")
        #expect(refused.standardError.contains(store))
        #expect(refused.standardError.contains("cure: let this user read it"))
        try OrdinaryUser.chmod("a+rX", path)
      }
      #expect(!FileManager.default.fileExists(atPath: package))
      #expect(try crossing.backend.writeCount() == 0)
    }
  }

  @Test(arguments: ["b", "b/store.sqlite"])
  func `a container of which a part may not be read is not exported in part`(
    part: String
  ) async throws {
    try await withOrdinaryUser { crossing in
      let container = "\(crossing.folder)/two"
      let package = "\(crossing.folder)/package"
      for (name, store) in [
        ("a", crossing.sample.store), ("b", "\(Samples.folder)/noted/Noted.sqlite"),
      ] {
        try OrdinaryUser.make("\(container)/\(name)")
        try FileManager.default.copyItem(
          atPath: store,
          toPath: "\(container)/\(name)/store.sqlite"
        )
      }
      try OrdinaryUser.give(container)
      try OrdinaryUser.chmod("a-rx", "\(container)/\(part)")
      let refused = try await crossing.ferry(["export", container, "-o", package])
      #expect(refused.status == 10, "\(refused.standardError)")
      #expect(refused.standardError.contains("\(container)/\(part): Permission denied"))
      #expect(refused.standardError.contains("cure: let this user read it"))
      #expect(!FileManager.default.fileExists(atPath: package))
      try OrdinaryUser.chmod("a+rX", "\(container)/\(part)")
      let done = try await crossing.ferry(["export", container, "-o", package])
      #expect(done.status == 0, "\(done.standardError)")
    }
  }

  @Test func `media that may not be read is no media that is missing`() async throws {
    try await withOrdinaryUser(.legacy) { crossing in
      let package = "\(crossing.folder)/package"
      let container = "\(crossing.sample.folder)/container"
      try OrdinaryUser.chmod("a-rx", container)
      let refused = try await crossing.export(to: package)
      #expect(refused.status != 0)
      #expect(refused.standardError.contains("Permission denied"), "\(refused.standardError)")
      #expect(!FileManager.default.fileExists(atPath: package))
      try OrdinaryUser.chmod("a+rX", container)
      #expect(try await crossing.export(to: package).status == 0)
    }
  }

  @Test func `files of results of which one may not be read are not imported in part`()
    async throws
  {
    try await withOrdinaryUser { crossing in
      let files = "\(crossing.folder)/files"
      try FileManager.default.copyItem(atPath: "\(Samples.folder)/streaksync", toPath: files)
      try OrdinaryUser.give("\(crossing.folder)/files")
      let results = "\(crossing.folder)/results"
      try OrdinaryUser.chmod("a-r", "\(files)/game_results.json")
      let refused = try await crossing.ferry(["import", files, "-o", results])
      #expect(refused.status == 10, "\(refused.standardError)")
      #expect(refused.standardError.contains("\(files)/game_results.json: Permission denied"))
      #expect(refused.standardError.contains("cure: let this user read it"))
      #expect(!FileManager.default.fileExists(atPath: results))
    }
  }

  @Test func `a profile that may not be read is not said to be missing`() async throws {
    try await withOrdinaryUser { crossing in
      try OrdinaryUser.chmod("a-rx", "\(crossing.folder)/profile")
      let refused = try await crossing.migrate()
      #expect(refused.status == 1, "\(refused.standardError)")
      #expect(refused.standardError.contains("\(crossing.profile): Permission denied"))
      #expect(refused.standardError.contains("cure: let this user read it"))
    }
  }

  // MARK: - Packages

  @Test func `a package that may only be read is validated and uploaded`() async throws {
    try await withOrdinaryUser { crossing in
      let package = "\(crossing.folder)/packages/package"
      try OrdinaryUser.make("\(crossing.folder)/packages")
      #expect(try await crossing.export(to: package).status == 0)
      try OrdinaryUser.chmod("a-w", "\(crossing.folder)/packages")
      let valid = try await crossing.ferry(["validate", package])
      #expect(valid.status == 0, "\(valid.standardError)")
      let sent = try await crossing.ferry(["upload", package] + crossing.destination)
      #expect(sent.status == 0, "\(sent.standardError)")
      #expect(sent.count("created") > 0)
    }
  }

  @Test(arguments: ["manifest.json", "data/Hero-00001.jsonl"])
  func `a package of which a part may not be read is refused, and nothing is sent`(
    part: String
  ) async throws {
    try await withOrdinaryUser { crossing in
      let package = "\(crossing.folder)/package"
      #expect(try await crossing.export(to: package).status == 0)
      try OrdinaryUser.chmod("a-r", "\(package)/\(part)")
      for line in [["validate", package], ["upload", package] + crossing.destination] {
        let refused = try await crossing.ferry(line)
        #expect(refused.status == 12, "\(refused.standardError)")
        #expect(refused.standardError.contains("\(package)/\(part): Permission denied"))
        #expect(refused.standardError.contains("cure: let this user read it"))
      }
      #expect(try crossing.backend.writeCount() == 0)
    }
  }

  @Test func `a rollback that cannot read the package stops, and goes on when it can`() async throws
  {
    try await withOrdinaryUser { crossing in
      let package = "\(crossing.folder)/package"
      #expect(try await crossing.export(to: package).status == 0)
      let before = try crossing.backend.userRows()
      let sent = try await crossing.ferry(["upload", package] + crossing.destination)
      #expect(sent.status == 0, "\(sent.standardError)")
      let part = "\(package)/data/Story-00001.jsonl"
      try OrdinaryUser.chmod("a-r", part)
      let stopped = try await crossing.rollback(try sent.run())
      #expect(stopped.status == 12, "\(stopped.standardError)")
      #expect(stopped.standardError.contains("\(part): Permission denied"))
      #expect(stopped.count("kept", in: "rollback") == 0)
      try OrdinaryUser.chmod("a+r", part)
      let back = try await crossing.rollback(try sent.run())
      #expect(back.status == 0, "\(back.standardError)")
      #expect(try crossing.backend.userRows() == before)
    }
  }

  @Test(arguments: ["export", "import"])
  func `a folder that may not be written to takes no package, and is named with a cure`(
    verb: String
  ) async throws {
    try await withOrdinaryUser { crossing in
      let place = "\(crossing.folder)/closed"
      try OrdinaryUser.make(place)
      try OrdinaryUser.chmod("a-w", place)
      let source =
        verb == "export"
        ? [crossing.sample.store, "--profile", crossing.profile]
        : ["\(Samples.folder)/streaksync/game_results.json"]
      let refused = try await crossing.ferry([verb] + source + ["-o", "\(place)/package"])
      #expect(refused.status == 1, "\(refused.standardError)")
      #expect(refused.standardError.contains("Permission denied"))
      #expect(refused.standardError.contains("cure: let this user write to \(place)"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
    }
  }

  // MARK: - The state folder

  @Test func `without a state folder that can be written nothing is sent, and with it all is`()
    async throws
  {
    try await withOrdinaryUser { crossing in
      try OrdinaryUser.make(crossing.state)
      try OrdinaryUser.chmod("a-w", crossing.state)
      let refused = try await crossing.migrate()
      #expect(refused.status == 1, "\(refused.standardError)")
      #expect(refused.standardError.contains(crossing.state))
      #expect(refused.standardError.contains("cure: "))
      #expect(try crossing.backend.writeCount() == 0)
      try OrdinaryUser.chmod("u+w", crossing.state)
      let done = try await crossing.migrate()
      #expect(done.status == 0, "\(done.standardError)")
      #expect(done.value("verification")?["clean"] == true)
    }
  }

  @Test(arguments: ["a-w", "a-r", "a-rwx"])
  func
    `a state folder that was closed is refused, nothing is sent or taken back, and then it goes on`(
      rights: String
    ) async throws
  {
    try await withOrdinaryUser { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardError)")
      try Python.edit(crossing.sample.store, "UPDATE ZSTORY SET ZTITLE = 'Neu' WHERE Z_PK = 1")
      try OrdinaryUser.give("\(crossing.folder)/store")
      let before = try crossing.backend.writeCount()
      // Both the folder and what is in it, so that neither is enough.
      try OrdinaryUser.chmod(rights, crossing.state)
      for line in [
        ["migrate", crossing.sample.store] + crossing.destination,
        ["rollback", try first.run()] + crossing.destination,
      ] {
        let refused = try await crossing.ferry(line)
        #expect([1, 12].contains(refused.status), "\(line[0]): \(refused.standardError)")
        #expect(refused.standardError.contains("cure: "), "\(refused.standardError)")
      }
      #expect(try crossing.backend.writeCount() == before)
      try OrdinaryUser.chmod("u+rwX", crossing.state)
      let second = try await crossing.migrate()
      #expect(second.status == 0, "\(second.standardError)")
      #expect(second.count("updated") == 1)
      #expect(second.count("created") == 0)
      for answer in try await crossing.rollbackAll(from: second) {
        #expect(answer.status == 0, "\(answer.standardError)")
      }
    }
  }
}

// MARK: - The user

/// Lends a crossing whose files are an ordinary user's, who runs the program.
private func withOrdinaryUser(
  _ choice: StoreChoice = .small,
  _ body: (Crossing) async throws -> Void
) async throws {
  try await withCrossing(choice) { crossing in
    var crossing = crossing
    crossing.program = try OrdinaryUser.program(crossing.program, in: crossing.folder)
    for ending in ["temporary", "home"] { try OrdinaryUser.make("\(crossing.state).\(ending)") }
    try OrdinaryUser.give(crossing.folder)
    try await body(crossing)
    try OrdinaryUser.chmod("u+rwX", crossing.folder)
  }
}

/// The user that the program is run as: who runs the tests, or nobody in particular where root does.
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
      .write(toFile: script, atomically: true, encoding: .utf8)
    try chmod("a+rx", script)
    return try FerryProgram(at: script)
  }

  /// Makes that user the owner of all that is in a folder.
  static func give(_ folder: String) throws {
    if isRoot { try run(["chown", "-R", "\(number):\(number)", folder]) }
  }

  static func make(_ folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
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
