import Foundation
import JSONText
import TestSupport

/// The commands that calls go wrong in.
enum FaultedVerb: String, Sendable, CaseIterable {
  case export, validate, `import`, upload, resume, rollback, migrate

  /// Whether it speaks to a server, and so has to have one that is as it was.
  var needsServer: Bool {
    switch self {
    case .export, .validate, .import: false
    case .upload, .resume, .rollback, .migrate: true
    }
  }

  /// Whether its checkpoint is written as that of an upload is, from its beginning to its end.
  var repeatsUpload: Bool { self == .migrate }
}

/// What scenes are played with: a tiny store, its package, results to import, and a server.
struct Stage: Sendable {
  let lane: Lane
  /// A finished package of the store; no verb that gets it may change it.
  let package: String
  let results: String
  let injector: Injector
  /// Where what the injector writes lies, outside of what it watches.
  let logs: String
  /// Where what was done before a line is kept, see ``Prelude``.
  let before: String
  /// What scenes lie on, where the power is to be cut once a run has ended in which something was to go
  /// wrong; `nil` for the lane's own folder.
  var disk: LoopDisk?

  /// Sets up a stage, and clears it away.
  static func with<Value>(_ body: (Stage) async throws -> Value) async throws -> Value {
    try await withTemporaryFolder(isInMemory: true) { folder in
      let sample = try TinyStore.make(in: "\(folder)/source")
      return try await withLane(
        sample,
        takesMedia: true,
        settle: "50ms",
        isInMemory: true
      ) { lane in
        let stage = Stage(
          lane: lane,
          package: "\(folder)/kept/p.ferry",
          results: "\(folder)/source/results.jsonl",
          injector: try Injector.shared(),
          logs: "\(folder)/logs",
          before: "\(folder)/before"
        )
        for name in ["kept", "logs"] {
          try FileManager.default.createDirectory(
            atPath: "\(folder)/\(name)",
            withIntermediateDirectories: true
          )
        }
        try TinyStore.writeResults(to: stage.results)
        let exported = try await lane.program.run(
          ["export", sample.store, "-o", stage.package, "--profile", lane.profile],
          state: "\(folder)/kept/state"
        )
        guard exported.status == 0 else { throw TestSupportError(exported.standardError) }
        return try await body(stage)
      }
    }
  }

  /// What no run may change: the store, its media, the results, and the package beside them.
  func untouchable() throws -> [SourceDigests] {
    let kept = URL(filePath: package).deletingLastPathComponent().path
    return [try SourceDigests(of: lane.sample.folder), try SourceDigests(of: kept)]
  }

  /// A verb in a folder of its own, with everything before it done and nothing of it begun.
  func scene(_ verb: FaultedVerb, seed: UInt64 = 1) async throws -> Scene {
    let prelude = Prelude(verb, seed: seed)
    // What was done before may have written down where, and lies there again.
    let name = prelude == nil ? UUID().uuidString : verb.rawValue
    let folder = "\(disk?.place ?? lane.folder)/scene-\(name)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if verb.needsServer {
      try lane.backend.setFaults("")
      try lane.backend.reset()
    }
    var scene = Scene(stage: self, verb: verb, folder: folder)
    scene.line = try await line(verb, scene: scene, after: prelude)
    try disk?.sync()
    return scene
  }

  private func line(
    _ verb: FaultedVerb,
    scene: Scene,
    after prelude: Prelude?
  ) async throws -> [String] {
    let report = ["--report", "\(scene.folder)/report.json"]
    let destination =
      ["--profile", lane.profile, "--to", lane.backend.origin] + DemoAccount.flags + report
    let upload = ["upload", package] + destination
    let run = try await prelude?.happen(in: scene, upload: upload)
    switch verb {
    case .export:
      return ["export", lane.sample.store, "-o", scene.package, "--profile", lane.profile] + report
    case .validate: return ["validate", package] + report
    case .import: return ["import", results, "-o", scene.package] + report
    case .migrate: return ["migrate", lane.sample.store] + destination
    case .upload, .resume: return upload
    case .rollback:
      guard let run else { throw TestSupportError("no run") }
      return ["rollback", run] + destination
    }
  }
}

/// One line that is typed, watched, and typed again.
struct Scene: Sendable {
  let stage: Stage
  let verb: FaultedVerb
  let folder: String
  var line: [String] = []

  var state: String { "\(folder)/state" }
  var package: String { "\(folder)/p.ferry" }

  /// What a run came to, and the calls it made.
  struct Ran: Sendable {
    let finished: Finished
    let calls: [Call]
    /// How often calls of each kind were interrupted or cut short.
    let disturbances: [String: Int]
    /// Whether the clock was read and had jumped since.
    let hasClockJumped: Bool
    /// Whether an opening for reading was refused.
    let hasRefusedOpening: Bool
  }

  init(stage: Stage, verb: FaultedVerb, folder: String) {
    self.stage = stage
    self.verb = verb
    self.folder = folder
  }

  /// Types the line, or another.
  ///
  /// A run of a minute is ended: nothing here takes seconds. When the power is cut, the seed says
  /// what the disk forgets. With `every`, calls are interrupted or cut short again and again: see
  /// `FAULT_EVERY` of the injector. With `opening`, so many openings for reading go well, and the next finds
  /// no file left to be opened.
  func run(
    _ other: [String]? = nil,
    fault: Fault? = nil,
    seed: UInt64 = 1,
    clockJumps: Bool = false,
    every: String? = nil,
    opening: Int? = nil
  ) async throws -> Ran {
    let log = "\(stage.logs)/\(UUID().uuidString)"
    let data = log + ".data"
    let isForgetful = fault?.action == .powerCut && stage.disk == nil
    let before = isForgetful ? try CrashDisk(of: folder) : nil
    let environment = stage.injector.environment(
      watching: folder,
      log: log,
      data: before == nil ? nil : data,
      fault: fault
    )
    let finished = try await stage.lane.program.run(
      (other ?? line) + ["--progress", "none"],
      environment: DemoAccount.environment.merging(environment) { $1 }
        .merging(clockJumps ? ["FAULT_CLOCK": "1"] : [:]) { $1 }
        .merging(every.map { ["FAULT_EVERY": $0] } ?? [:]) { $1 }
        .merging(opening.map { ["FAULT_LOOK": "open:\($0)"] } ?? [:]) { $1 },
      state: state,
      stop: .kill(after: .seconds(60))
    )
    if fault != nil { try stage.disk?.cutPower() }
    let written = try Injector.log(at: log)
    try FileManager.default.removeItem(atPath: log)
    if let before {
      let bytes = FileManager.default.contents(atPath: data) ?? Data()
      if finished.wasKilled {
        let crash = CrashHistory(before, calls: written.calls, data: [UInt8](bytes))
        try crash.state(after: fault?.call ?? 0, seed: seed).replace(folder)
      }
      try FileManager.default.removeItem(atPath: data)
    }
    return Ran(
      finished: finished,
      calls: written.calls,
      disturbances: written.disturbances,
      hasClockJumped: written.hasClockJumped,
      hasRefusedOpening: written.hasRefusedOpening
    )
  }

  /// The files that a package or a report is; `nil` where there is no package.
  func packageDigests() throws -> [String: String]? {
    var place = package
    if verb == .migrate {
      let folder = "\(state)/packages"
      guard FileManager.default.fileExists(atPath: folder) else { return nil }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      guard let name = names.first(where: { $0.hasSuffix(".ferry") }) else { return nil }
      place = "\(folder)/\(name)"
    }
    guard FileManager.default.fileExists(atPath: place) else { return nil }
    return try SourceDigests(of: place).entries.mapValues(\.sha256)
  }

  /// The paths of everything that a run left below its folder, but for what SQLite keeps beside a
  /// database and takes up again.
  func names() throws -> Set<String> {
    Set(
      try FileManager.default.subpathsOfDirectory(atPath: folder)
        .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    )
  }

  func removeAll() throws { try FileManager.default.removeItem(atPath: folder) }
}
