import Foundation
import JSONText
import TestSupport

/// Something that the program does and that has to outlive a power cut.
struct DurableAction: Sendable {
  let name: String
  /// What comes before, unwatched; gives the line that is typed.
  let line: @Sendable (Stage, Scene) async throws -> [String]
  /// Which call of it is killed before it begins, if any; then the line is typed again.
  var killed: (@Sendable ([Call]) -> Call?)?
  /// Whether the line writes a package whose every state is to be looked at.
  var writesPackage = false
  /// Whether the system can wait for a whole file system at once.
  private var canSyncFileSystem = true

  /// The same on a system that waits for each file and folder by itself.
  var fileByFile: DurableAction {
    var copy = self
    copy.canSyncFileSystem = false
    return copy
  }

  /// Does it, and gives the calls of all its runs, numbered through, with the bytes they wrote.
  func record(on stage: Stage) async throws -> WatchedRun {
    guard let killed else {
      return try await watch(on: stage, faults: [nil])
    }
    let once = try await watch(on: stage, faults: [nil])
    guard let call = killed(once.all) else {
      throw TestSupportError("\(name): there is no call to be killed at")
    }
    return try await watch(on: stage, faults: [Fault(action: .killBefore, call: call.number), nil])
  }

  private func watch(on stage: Stage, faults: [Fault?]) async throws -> WatchedRun {
    let scene = try await stage.scene(.export)
    try stage.lane.backend.reset()
    let line = try await line(stage, scene)
    let start = try CrashDisk(of: scene.folder)
    let log = "\(stage.logs)/\(UUID().uuidString)"
    for fault in faults {
      let finished = try await stage.lane.program.run(
        line + ["--progress", "none"],
        environment: DemoAccount.environment.merging(
          stage.injector.environment(
            watching: scene.folder,
            log: log,
            data: log + ".data",
            fault: fault
          )
        ) { $1 }
        .merging(canSyncFileSystem ? [:] : ["FAULT_NO_SYNCFS": "1"]) { $1 },
        state: scene.state
      )
      guard fault == nil ? [0, 3].contains(finished.status) : finished.wasKilled else {
        throw TestSupportError("\(name) ended with \(finished.status): \(finished.standardError)")
      }
    }
    return try WatchedRun(start: start, log: log)
  }
}

extension DurableAction {
  /// Every way in which the program has the disk waited for.
  static let all: [DurableAction] =
    packages + checkpoints + folders + [
      DurableAction(name: "init", line: draft),
      DurableAction(name: "init, with its folder made", line: draft) { calls in
        calls.first { $0.isSync }
      },
      DurableAction(name: "schema infer") { stage, scene in
        let records = try firstFile(of: "\(stage.package)/data")
        return ["schema", "infer", records, "-o", "\(scene.folder)/Record.v1.schema.json"]
      },
      DurableAction(name: "quarantine") { stage, scene in
        try spoil(stage, scene)
        try await done(
          [
            "export", "\(scene.folder)/spoilt.store", "-o", scene.package, "--profile",
            stage.lane.profile,
          ],
          stage,
          scene
        )
        return ["validate", scene.package, "--on-invalid", "quarantine"] + deepState(scene)
      },
      DurableAction(name: "quarantine show") { stage, scene in
        try spoil(stage, scene)
        try await done(
          ["migrate", "\(scene.folder)/spoilt.store", "--on-invalid", "quarantine"]
            + destination(stage),
          stage,
          scene
        )
        let folder = "\(scene.state)/quarantine"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return ["quarantine", "show", names.first ?? "", "-o", "\(scene.folder)/repair/here"]
      },
      DurableAction(name: "fleet") { stage, scene in
        let list = "\(scene.folder)/list.txt"
        try "\(stage.lane.sample.store)\n".write(toFile: list, atomically: false, encoding: .utf8)
        return ["fleet", list, "--report", "\(scene.folder)/fleet.json"] + destination(stage)
      },
    ]

  private static let packages = [
    DurableAction(name: "export", line: export, writesPackage: true),
    // It has its name, and no one has waited for that.
    DurableAction(name: "export, named and not waited for", line: export) { calls in
      let named = calls.first { $0.kind == "rename" && $0.other.hasSuffix("/p.ferry") }
      return calls.first { $0.isSync && $0.number > named?.number ?? .max }
    },
    // Nothing is left to be written, but what was removed may be there again.
    DurableAction(name: "export, without its name", line: export) { calls in
      let named = calls.first { $0.kind == "rename" && $0.other.hasSuffix("/p.ferry") }
      return calls.last { $0.isSync && $0.number < named?.number ?? 0 }
    },
    DurableAction(name: "export, with folders of media", line: export) { calls in
      let made = calls.last { $0.kind == "mkdir" && $0.path.contains("/media/sha256/") }
      return calls.first { $0.isSync && $0.number > made?.number ?? .max }
    },
    DurableAction(name: "export as SQL") { stage, scene in
      try await export(stage, scene).dropLast(3) + [
        "\(scene.folder)/rows.sql", "--as", "sql", "--profile", stage.lane.profile,
      ]
    },
    DurableAction(name: "export as CSV") { stage, scene in
      try await export(stage, scene).dropLast(3) + [
        "\(scene.folder)/rows", "--as", "csv", "--profile", stage.lane.profile,
      ]
    },
    DurableAction(name: "export, encrypted") { stage, scene in
      try await export(stage, scene) + [
        "--encrypt-to", "age10rd7r2vmxhghqxnuqgzmtjnnnp5ez70ytddwnzy0r2gpwd5jlecsw33lw7",
      ]
    },
    DurableAction(
      name: "import with a text that is refused",
      line: { _, scene in try refusedText(scene) + ["-o", scene.package] },
      writesPackage: true
    ),
    DurableAction(name: "import into a new folder") { _, scene in
      try refusedText(scene) + ["-o", "\(scene.folder)/new/packages/p.ferry"]
    },
    DurableAction(name: "validate") { stage, scene in
      try FileManager.default.createDirectory(
        atPath: "\(scene.folder)/elsewhere",
        withIntermediateDirectories: true
      )
      return ["validate", stage.package] + ["--report", "\(scene.folder)/report.json"]
        + ["--metrics", "\(scene.folder)/elsewhere/metrics.txt"]
    },
  ]

  private static let checkpoints = [
    DurableAction(name: "upload") { stage, scene in
      ["upload", stage.package] + destination(stage) + deepState(scene)
    },
    DurableAction(name: "migrate") { stage, scene in
      ["migrate", stage.lane.sample.store] + destination(stage) + deepState(scene)
    },
    DurableAction(name: "plan") { stage, scene in
      ["plan", stage.package, "-o", "\(scene.folder)/plan.sqlite"] + destination(stage)
    },
    DurableAction(name: "write-back") { stage, scene in
      ["write-back", try await uploaded(stage, scene), "-o", "\(scene.folder)/write-back.json"]
    },
    DurableAction(name: "checkpoint export") { stage, scene in
      _ = try await uploaded(stage, scene)
      return ["checkpoint", "export", "-o", "\(scene.folder)/lines.jsonl"]
    },
    DurableAction(name: "checkpoint repair") { stage, scene in
      _ = try await uploaded(stage, scene)
      try edit(
        try firstFile(of: "\(scene.state)/checkpoints", ending: ".sqlite"),
        // The change stays in the log, and the next run takes it from there into the file.
        ".dbconfig no_ckpt_on_close on",
        """
        INSERT INTO operation (run, phase, entity, key, action, content, request_digest, request_key, state)
        VALUES (99, 0, 'Hero', 'x', 'create', zeroblob(32), zeroblob(32), 'k', 'planned')
        """
      )
      _ = try await uploaded(stage, scene)
      return ["checkpoint", "repair"]
    },
  ]

  private static let folders = [
    DurableAction(name: "upload to a folder") { stage, scene in
      ["upload", stage.package] + folder(stage, scene)
    },
    DurableAction(name: "rollback from a folder") { stage, scene in
      try await done(["upload", stage.package] + folder(stage, scene), stage, scene)
      return ["rollback", try await lastRun(stage, scene)] + folder(stage, scene)
    },
  ]

  // MARK: - Lines

  /// It writes no report: that waits for the folder too, and would cover up what the package lacks.
  private static let export: @Sendable (Stage, Scene) async throws -> [String] = { stage, scene in
    ["export", stage.lane.sample.store, "-o", scene.package, "--profile", stage.lane.profile]
  }

  private static func refusedText(_ scene: Scene) throws -> [String] {
    let text = "\(scene.folder)/texts.txt"
    try "Wordle 1 9/6\n\n🟩🟩🟩🟩🟩\n".write(toFile: text, atomically: false, encoding: .utf8)
    return ["import", text]
  }

  private static let draft: @Sendable (Stage, Scene) async throws -> [String] = { stage, scene in
    ["init", stage.lane.sample.store, "-o", "\(scene.folder)/drafts/app"]
  }

  /// A state folder of which several folders above it are missing too.
  private static func deepState(_ scene: Scene) -> [String] {
    ["--state-dir", "\(scene.folder)/home/share/ferry"]
  }

  private static func destination(_ stage: Stage) -> [String] {
    ["--profile", stage.lane.profile, "--to", stage.lane.backend.origin] + DemoAccount.flags
  }

  private static func folder(_ stage: Stage, _ scene: Scene) -> [String] {
    ["--profile", stage.lane.profile, "--to", "file:\(scene.folder)/there/account"]
  }

  private static func done(_ line: [String], _ stage: Stage, _ scene: Scene) async throws {
    let finished = try await stage.lane.program.run(
      line,
      environment: DemoAccount.environment,
      state: scene.state
    )
    guard [0, 3].contains(finished.status) else {
      throw TestSupportError("\(line): \(finished.standardError)")
    }
  }

  private static func uploaded(_ stage: Stage, _ scene: Scene) async throws -> String {
    try await done(["upload", stage.package] + destination(stage), stage, scene)
    return try await lastRun(stage, scene)
  }

  private static func lastRun(_ stage: Stage, _ scene: Scene) async throws -> String {
    let run = try await Trip(lane: stage.lane, state: scene.state).runs().last?.id
    guard let run else { throw TestSupportError("there is no run") }
    return run
  }

  /// A copy of the store with a record that its schema refuses.
  private static func spoil(_ stage: Stage, _ scene: Scene) throws {
    let store = "\(scene.folder)/spoilt.store"
    for ending in ["", "-wal"] {
      let source = stage.lane.sample.store + ending
      guard FileManager.default.fileExists(atPath: source) else { continue }
      try FileManager.default.copyItem(atPath: source, toPath: store + ending)
    }
    try edit(store, "UPDATE ZSTORY SET ZPLAYCOUNT = -3 WHERE Z_PK = 1")
  }

  private static func edit(_ database: String, _ statements: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", database] + statements
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw TestSupportError("sqlite3 refused") }
  }

  private static func firstFile(of folder: String, ending: String = "") throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    guard let name = names.first(where: { $0.hasSuffix(ending) }) else {
      throw TestSupportError("\(folder) is empty")
    }
    return "\(folder)/\(name)"
  }
}
