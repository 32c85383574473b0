import Files
import Foundation
import JSONText
import TestSupport
import Testing

extension OutputTests {
  @Test
  func `the version is printed where the system lets the process open too few files for a run`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let script = "\(folder)/few-files"
      try "#!/bin/sh\nulimit -n 20\nexec '\(FerryProgram().path)' \"$@\"\n".save(to: script)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
      let few = try FerryProgram(at: script)
      let state = "\(folder)/state"
      #expect(try await few.run(["status"], state: state).status == 1)
      let version = try await few.run(["--version"], state: state)
      #expect(version.status == 0, "\(version.standardError)")
      let usual = try await FerryProgram().run(["--version"], state: state)
      #expect(usual.status == 0 && !usual.standardOutput.isEmpty)
      #expect(version.standardOutput == usual.standardOutput)
    }
  }

  private func kind(_ path: String) throws -> FileAttributeType? {
    try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
  }

  private func rights(_ path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  #if os(Linux)
  @Test(arguments: ["--metrics", "--log-file"])
  func `a report that does not fit on the disk is a passing fault`(flag: String)
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let full = try await run(["inspect", sample.store, flag, "/dev/full"], in: folder).exits(5)
      #expect(full.standardError.contains("/dev/full: No space left on device"))
    }
  }
  #endif

  // MARK: - Pipes and devices

  @Test func `a pipe given as an output is written to and not replaced`() async throws {
    try await withTemporaryFolder { folder in
      let data = "\(folder)/data.jsonl"
      try "{\"a\":1}\n".save(to: data)
      let line = ["schema", "infer", data]
      for flags in [["-o"], ["--metrics"], ["--log-file"]] {
        let pipe = "\(folder)/pipe\(flags[0])"
        #expect(mkfifo(pipe, 0o644) == 0)
        let alone = try await run(line + flags + [pipe], in: folder)
        #expect(alone.status == 1, "\(flags): \(alone.standardError)")
        #expect(alone.standardError.contains(pipe))
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let answer = try await run(line + flags + [pipe], in: folder)
        #expect(answer.status == 0, "\(flags): \(answer.standardError)")
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(read(reader, &bytes, 4) == 4)
        #expect(try rights(pipe) == 0o644)
        #expect(try kind(pipe) != .typeRegular)
      }
    }
  }

  #if os(Linux)
  /// Whether this user may make a device in a folder of the tests.
  private static let canMakeDevices: Bool = {
    let place = NSTemporaryDirectory() + "/ferry-device-" + UUID().uuidString
    defer { unlink(place) }
    return mknod(place, S_IFCHR | 0o666, nullDevice) == 0
  }()

  private static let nullDevice = dev_t(1 << 8 | 3)

  @Test(.enabled(if: canMakeDevices, "skipped: only root can make a device"))
  func `a device given as an output is not replaced`() async throws {
    try await withTemporaryFolder { folder in
      let data = "\(folder)/data.jsonl"
      try "{\"a\":1}\n".save(to: data)
      for flag in ["-o", "--metrics", "--log-file"] {
        let device = "\(folder)/null\(flag)"
        #expect(mknod(device, S_IFCHR | 0o666, Self.nullDevice) == 0)
        #expect(chmod(device, 0o666) == 0)
        let answer = try await run(["schema", "infer", data, flag, device], in: folder)
        #expect(answer.status == 0, "\(flag): \(answer.standardError)")
        #expect(try kind(device) == .typeCharacterSpecial)
        #expect(try rights(device) == 0o666)
      }
    }
  }
  #endif

  // MARK: - Links

  @Test func `a link in the state folder is refused by its name, and no record is sent`()
    async throws
  {
    try await withScenario { scenario in
      let other = "\(scenario.folder)/away"
      for name in ["checkpoints", "packages", "migrations"] {
        try Folder.remove(scenario.state)
        for folder in [scenario.state, other] {
          try makeFolder(folder)
        }
        let link = "\(scenario.state)/\(name)"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
        let refused = try await scenario.migrate().exits(1)
        #expect(refused.standardError.contains("cannot follow the link \(link)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [])
      }
      #expect(try scenario.backend.writeCount() == 0)
    }
  }

  @Test func `a link in a destination folder is refused by its name`() async throws {
    try await withScenario { scenario in
      let (kept, other) = ("\(scenario.folder)/kept", "\(scenario.folder)/away")
      for folder in [kept, other] {
        try makeFolder(folder)
      }
      try FileManager.default.createSymbolicLink(
        atPath: "\(kept)/Story",
        withDestinationPath: other
      )
      let refused = try await scenario.ferry(
        ["migrate", scenario.sample.store, "--profile", scenario.profile, "--to", "file:\(kept)"]
      ).exits(64)
      #expect(refused.standardError.contains("\(kept)/Story is a link"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [])
    }
  }

  // MARK: - What is there already

  @Test func `another process's unfinished package or lock is left as it is`() async throws {
    try await withTemporaryFolder { folder in
      let line = ["export", Samples.infiniteStories.store, "-o", "\(folder)/p.ferry"]
      let mine = "\(folder)/p.ferry.partial/thesis.txt"
      try makeFolder("\(folder)/p.ferry.partial")
      try Data("mine".utf8).write(to: URL(filePath: mine))
      let refused = try await run(line, in: folder).exits(1)
      #expect(refused.standardError.contains("p.ferry.partial"))
      #expect(try String(at: mine) == "mine")
      try FileManager.default.removeItem(atPath: "\(folder)/p.ferry.partial")
      let lock = "\(folder)/p.ferry.lock"
      try Data("mine".utf8).write(to: URL(filePath: lock))
      try await run(line, in: folder).exits(1)
      #expect(try String(at: lock) == "mine")
      try FileManager.default.removeItem(atPath: lock)
      try await run(line, in: folder).exits(0)
    }
  }

  @Test func `no report, log or result overwrites an input`() async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let (store, package) = (sample.store, "\(folder)/p.ferry")
      let (results, link) = ("\(folder)/results.json", "\(folder)/link.store")
      let export = ["export", store, "--profile", sample.profile, "-o"]
      try await run(export + [package], in: folder).exits(0)
      try FileManager.default.copyItem(
        atPath: "\(Samples.folder)/streaksync/game_results.json",
        toPath: results
      )
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
      let lines: [(line: [String], read: String)] = [
        (["import", results, "-o", "\(folder)/r.ferry", "--report", results], results),
        (["inspect", store, "--metrics", store], store),
        (["inspect", link, "--metrics", store], store),
        (["inspect", store, "--log-file=\(store)-wal"], "\(store)-wal"),
        (export + ["\(folder)/e.ferry", "--report", "json=\(sample.profile)"], sample.profile),
        (
          ["validate", package, "--report", "\(package)/manifest.json"], "\(package)/manifest.json"
        ),
        (["schema", "infer", results, "-o", results], results),
      ]
      for (line, read) in lines {
        let before = try Data(contentsOf: URL(filePath: read))
        let refused = try await run(line, in: folder)
        #expect(refused.status == 64, "\(line): \(refused.standardError)")
        #expect(refused.standardError.contains("\(read) is an input of this command"), "\(line)")
        #expect(try Data(contentsOf: URL(filePath: read)) == before, "\(line)")
      }
      let metrics = try await run(["inspect", store], in: folder, ["FERRY_METRICS": store])
      #expect(metrics.status == 64, "\(metrics)")
    }
  }

  @Test func `no report or log is written into an input folder`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let app = URL(filePath: sample.store).deletingLastPathComponent().path
      let avatars = "\(app)/container/Documents/Avatars"
      let avatar = try #require(try Folder.names(in: avatars).first)
      let before = try SourceDigests(of: app)
      let export = ["export", sample.store, "--profile", sample.profile, "-o", "\(folder)/p.ferry"]
      let lines = [
        ["inspect", app, "--metrics", sample.store],
        ["inspect", app, "--metrics", "\(app)/new.txt"],
        ["inspect", app, "--log-file", "\(avatars)/new.log"],
        ["schema", "infer", app, "-o", sample.store],
        export + ["--report", "json=\(avatars)/\(avatar)"],
        export + ["--container", avatars, "--metrics", "\(avatars)/\(avatar)"],
      ]
      for line in lines {
        let refused = try await run(line, in: folder)
        #expect(refused.status == 64, "\(line): \(refused.standardError)")
        #expect(
          refused.standardError.contains(/is an input of this command|that this command reads/),
          "\(line): \(refused.standardError)"
        )
        #expect(try SourceDigests(of: app) == before, "\(line)")
      }
      let beside = try await run(["inspect", app, "--metrics", "\(folder)/r.txt"], in: folder)
      #expect(beside.status == 0, "\(beside)")
    }
  }

  @Test func `an empty output name is a usage error, and no file is written`() async throws {
    try await withTemporaryFolder { folder in
      for flag in ["-o", "--report", "--metrics", "--log-file"] {
        let line = ["export", Samples.infiniteStories.store, flag, ""]
        let more = flag == "-o" ? [] : ["-o", "\(folder)/p.ferry"]
        let refused = try await run(line + more, in: folder)
        #expect(refused.status == 64, "\(flag): \(refused.standardError)")
      }
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/p.ferry"))
    }
  }

  @Test func `a new report may replace the one that it is compared with`() async throws {
    try await withTemporaryFolder { folder in
      let (package, report) = ("\(folder)/p.ferry", "\(folder)/r.json")
      let export = ["export", Samples.infiniteStories.store, "-o", package]
      try await run(export, in: folder).exits(0)
      for flags in [[], ["--compare", report]] {
        let answer = try await run(["validate", package, "--report", report] + flags, in: folder)
        #expect(answer.status == 0, "\(answer)")
      }
    }
  }

  @Test func `a checkpoint is not overwritten by its own report`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let folder = "\(scenario.state)/checkpoints"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      let name = try #require(names.first { $0.hasSuffix(".sqlite") })
      let refused = try await scenario.ferry(["checkpoint", "export", "-o", "\(folder)/\(name)"])
      #expect(refused.status == 64, "\(refused)")
      try await scenario.ferry(["checkpoint", "check"]).exits(0)
    }
  }

  @Test(arguments: [("partial", []), ("fetched", ["--fetch-media"])] as [(String, [String])])
  func `a link beside a package is not written through`(
    ending: String,
    flags: [String]
  ) async throws {
    try await withTemporaryFolder { folder in
      let (package, other) = ("\(folder)/p.ferry", "\(folder)/away")
      let link = "\(package).\(ending)"
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
      let answer = try await run(
        ["export", Samples.infiniteStories.store, "-o", package] + flags,
        in: folder
      ).exits(1)
      #expect(answer.standardError.contains("cannot follow the link \(link)"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
    }
  }

  // MARK: - Secrets

  @Test func `the step's summary is private, and is not written through a link`() async throws {
    try await withTemporaryFolder { folder in
      let package = "\(folder)/p.ferry"
      _ = try await run(["export", Samples.infiniteStories.store, "-o", package], in: folder)
      let validate = ["validate", package, "--annotations", "github"]
      let summary = "\(folder)/summary"
      try await run(validate, in: folder, ["GITHUB_STEP_SUMMARY": summary]).exits(0)
      #expect(try rights(summary) == 0o600)
      let (kept, link) = ("\(folder)/kept", "\(folder)/link")
      try Data("mine".utf8).write(to: URL(filePath: kept))
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: kept)
      let warned = try await run(validate, in: folder, ["GITHUB_STEP_SUMMARY": link])
      #expect(warned.standardError.contains("the step's summary was not written"))
      #expect(try String(at: kept) == "mine")
    }
  }

  #if os(Linux)
  @Test func `a crash leaves no core file with the program's memory`() async throws {
    try await withScenario { scenario in
      // A child has the limits of the program.
      let limits = "\(scenario.folder)/limits"
      var scenario = scenario
      scenario.program = try program("", in: scenario.folder)
      scenario.credentials = [
        "--credential", "email=env:FERRY_TEST_EMAIL",
        "--credential", "password=command:cp /proc/self/limits \(limits)",
      ]
      _ = try await scenario.migrate()
      let said = try String(at: limits)
      let core = try #require(said.split(separator: "\n").first { $0.hasPrefix("Max core file") })
      #expect(core.split(separator: " ").dropFirst(4).first == "0")
    }
  }
  #endif
}
