import Checkpoint
import DestinationModel
import Execution
package import ExportPackage
package import Files
import ForgettingDisk
import Migration
import Planning
package import ProfileSettings
import Profiles
import Reconciliation
import Records
import Retrying
import StageSupport
import UploadPlanning
import Verification

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One life of a checkpoint: what a person types, process after process, until each command is done.
///
/// All of it is what the program runs: the session, its planner, the context and the engine, over the real
/// checkpoint on a disk that forgets what was not synced. Only the destination and the time are made up.
package struct SessionHistory {
  /// What keeps a history from being lived through.
  package enum Fault: Error {
    case file(FileError)
    case profile(ProfileError)
    case package(PackageError)
    case folder(String)
    case host(String)
  }

  package let seed: UInt64
  package private(set) var crashCount = 0
  /// How many requests came to the destination.
  package var requestCount: Int { server.requestCount }
  let scenario: SessionScenario
  let server: any SessionBackend

  private let folder: String
  private let profile: Profile
  private let time = SessionTime()
  private var packages: [PackageReader] = []
  private var volume: Volume
  private var generation = 0
  private var random: SeededRandom
  private var chance: SessionWay.Chance
  private var uploads: [Upload] = []
  /// The last run of the command before.
  private var lastRun: Int64 = 0
  /// The records of which a run stated that they can have no picture any more.
  private var pictureless: Set<RecordID> = []
  /// The package that was sent last.
  private var lastPackage = 0
  private var violations: [String] = []
  /// What happened, where a user asked to be reported.
  private var tale: [String]?
  /// What each command came to, where the history is traced.
  private var recorded: SessionTrace?

  /// An upload that came to its end, and what was at the destination before.
  struct Upload {
    let package: Int
    /// The numbers of its runs: one that was killed may have come to its end, and another have found
    /// nothing left to do.
    let runs: ClosedRange<Int64>
    let before: [SessionRow]
    /// The keys of the files that it sent.
    let files: Set<String>
  }

  /// Begins in an empty folder, going to the server of `host`, or to one that is made up.
  ///
  /// A traced history can be compared with the same one under another version of the program. In each second
  /// twenty of the seeds its changes meet faults, each by its own name. Its readings meet none. A kill leaves
  /// all writes of the process. So the faults do not depend on how often the program reads or
  /// writes its disk.
  package init(
    seed: UInt64,
    folder: String,
    on host: SessionHost? = nil,
    logs: Bool = false,
    traces: Bool = false
  ) throws(Fault) {
    guard let name = realpath(folder, nil) else { throw .folder("\(folder) is not there") }
    self.folder = String(cString: name)
    free(name)
    var random = SeededRandom(seed: seed)
    scenario = SessionScenario(seed: seed, at: host?.place, random: &random)
    self.seed = seed
    self.random = random
    chance = SessionWay.Chance(random: random, faultsLeft: scenario.faultCount)
    if logs { tale = [] }
    if traces {
      recorded = SessionTrace(scenario)
      let hasFaults = seed / 20 % 2 == 1
      chance.faultsLeft = 0
      chance.naming = SessionWay.Chance.Naming(seed: seed, hasFaults: hasFaults)
    }
    do throws(ProfileError) {
      profile = try Profile(yaml: scenario.profileText, path: "simulated.yaml")
    } catch {
      throw .profile(error)
    }
    do {
      server =
        if let host {
          try ServedBackend(scenario, profile, on: host)
        } else {
          SessionServer(scenario)
        }
    } catch {
      throw .host("\(error)")
    }
    volume = try Self.layOut([:], in: "\(self.folder)/0")
    do throws(PackageError) {
      for number in scenario.packages.indices {
        packages.append(try scenario.package(number, profile, in: self.folder))
      }
    } catch {
      throw .package(error)
    }
  }

  private static func layOut(
    _ files: [String: [UInt8]],
    in state: String
  ) throws(Fault) -> Volume {
    do throws(FileError) {
      try Folder.make(state)
      return try Volume(layingOut: files, in: "\(state)/checkpoints")
    } catch {
      throw .file(error)
    }
  }

  // MARK: - The story

  /// What the history was, stated step by step.
  package var story: [String] { tale ?? [] }

  private var isReported: Bool { tale != nil }

  /// What each command came to; see `SessionTrace`.
  package var trace: [String] { recorded?.lines ?? [] }

  private mutating func log(_ words: String) {
    let line = "\(time.now) \(words)"
    tale?.append(line)
  }

  /// Lives the history through, and says what was wrong with it.
  package mutating func live() async throws(Fault) -> [String] {
    var next = 0
    for (number, command) in scenario.commands.enumerated() {
      if scenario.hasOtherDevices { await letOthersAct(isFirst: number == 0) }
      switch command {
      case .upload:
        if scenario.losesCheckpoint, number > 0 { try loseCheckpoint(before: next) }
        try await upload(next)
        next += 1
      case .rollback: try await rollBack()
      }
      guard violations.isEmpty else { break }
    }
    volume.forget()
    return violations
  }

  private mutating func letOthersAct(isFirst: Bool) async {
    if !isFirst, Int.random(in: 0..<12, using: &random) == 0, server.isRestorable {
      server.restoreBackup()
      log("the destination is restored from a backup")
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) { await server.actAsOtherDevice(&random) }
    if Bool.random(using: &random) { server.takeBackup() }
    if isReported { log("others have been there: \(server.rows)") }
    let reached = server
    recorded?.add("others have been there", at: reached)
  }

  /// The next upload is made on a machine that has never heard of the ones before.
  private mutating func loseCheckpoint(before number: Int) throws(Fault) {
    log("the checkpoint is lost")
    recorded?.add("the checkpoint is lost")
    try restart(with: [:])
    uploads = []
    lastRun = 0
    server.forgetKeys()
    // What changed meanwhile meets other content and no base, and it is unknown what was deleted.
    let now = Dictionary(uniqueKeysWithValues: scenario.packages[number].map { ($0.record, $0) })
    for line in scenario.packages[..<number].joined() {
      let isSame =
        now[line.record].map {
          $0.value == line.value && ($0.picture == line.picture || line.picture == nil)
        } ?? false
      // What a rollback put back has moved on since the app saw it.
      let isMoved = line.claim?.isChanged == true
      if isMoved || !isSame, now[line.record] == nil || scenario.conflictPolicy != .local {
        server.excuse(line.record)
      }
    }
  }

  /// Goes on with what is left of the disk.
  private mutating func restart(with files: [String: [UInt8]]) throws(Fault) {
    volume.forget()
    generation += 1
    volume = try Self.layOut(files, in: "\(folder)/\(generation)")
    do throws(FileError) { try Folder.remove("\(folder)/\(generation - 1)") } catch {
      throw .file(error)
    }
  }

  private mutating func upload(_ number: Int) async throws(Fault) {
    if isReported {
      log("upload of package \(number): \(scenario.packages[number].map(scenario.json))")
    }
    await server.refresh()
    let (before, filesBefore) = (server.rows, Set(server.files.all.map(\.key)))
    let package = packages[number]
    lastPackage = number
    let ended = try await command { session, interruption in
      let run = try await session.plan(interruption: interruption)
      let result = try await session.execute(run, interruption: interruption)
      try session.setReported(result)
      return result
    } sending: {
      package
    }
    guard let ended else { return }
    await deliverTheRest()
    try record("upload of package \(number)", ended)
    let upload = Upload(
      package: number,
      runs: lastRun + 1...ended.run.number,
      before: before,
      files: Set(server.files.all.map(\.key)).subtracting(filesBefore)
    )
    lastRun = ended.run.number
    uploads.append(upload)
    let checker = SessionChecker(scenario: scenario, server: server)
    pictureless.formUnion(checker.pictureless(ended, isWhole: upload.runs.count == 1))
    violations += checker.violations(after: upload, ended, pictureless)
    let isAsSent = checker.isUndisturbed && pictureless.isEmpty && !checker.hasLeft(ended)
    guard violations.isEmpty, isAsSent || recorded != nil else { return }
    try await verify(package, isAsSent: isAsSent)
  }

  /// What nothing disturbed is found as it was sent; a trace says what is found of the rest.
  private mutating func verify(
    _ package: PackageReader,
    isAsSent: Bool
  ) async throws(Fault) {
    let peace = chance
    chance.faultsLeft = 0
    defer { chance = peace }
    let ending = try await process(sending: package, mayBeKilled: false) { session, interruption in
      try await session.verify(interruption: interruption)
    }
    switch ending {
    case .over(let report):
      let reached = server
      recorded?.add(report, at: reached)
      if isAsSent, !report.isClean { violations.append("verification says: \(report)") }
    case .killed: violations.append("verification was killed")
    case .failed(let error):
      recorded?.add("verification failed")
      if isAsSent { violations.append("verification failed: \(error)") }
    }
  }

  /// Adds to a trace what a command came to.
  private mutating func record(_ command: String, _ result: RunResult) throws(Fault) {
    guard recorded != nil else { return }
    var entries: [WriteBackEntry] = []
    do {
      let checkpoints = CheckpointFolder(path: "\(folder)/\(generation)/checkpoints")
      for view in try checkpoints.views() {
        entries += try WriteBack(run: result.run, checkpoint: view).page(after: nil)
      }
    } catch {
      throw .folder("\(error)")
    }
    let reached = server
    recorded?.add(command, result, entries, at: reached)
  }

  private mutating func rollBack() async throws(Fault) {
    guard let upload = uploads.popLast() else { return }
    log("rollback of the runs \(upload.runs)")
    let package = packages[upload.package]
    let ended = try await command { session, interruption in
      try await Self.takeBack(upload.runs, in: session, interruption)
    } sending: {
      package
    }
    guard let ended else { return }
    lastRun = ended.run.number
    await deliverTheRest()
    try record("rollback of package \(upload.package)", ended)
    let checker = SessionChecker(scenario: scenario, server: server)
    violations += checker.violations(afterRollbackOf: upload, ended, lastPackage: lastPackage)
  }

  /// Takes runs back, the last one first.
  private static func takeBack(
    _ numbers: ClosedRange<Int64>,
    in session: UploadSession,
    _ interruption: CancellationToken
  ) async throws -> RunResult {
    let runs = try session.checkpoint.runs()
    var last: RunResult?
    for run in runs.reversed() where run.kind == .upload && numbers.contains(run.number) {
      let undo = try await session.planRollback(of: run.id, interruption: interruption)
      let result = try await session.execute(undo, interruption: interruption)
      guard result.conclusion == .done else { return result }
      last = result
    }
    guard let last else { throw MigrationError.unknownRun("\(numbers)") }
    return last
  }

  /// Whatever is still on its way arrives.
  private func deliverTheRest() async {
    time.pass(.seconds(SessionScenario.settleSeconds))
    await server.deliver(by: time.now)
    await server.refresh()
  }

  // MARK: - Processes

  /// How a process ended.
  private enum Ending<Value: Sendable>: Sendable {
    case over(Value)
    case killed
    case failed(any Error)
  }

  /// Types the same line until the run is done; `nil` where it never is.
  private mutating func command(
    _ body:
      @escaping @Sendable (UploadSession, CancellationToken) async throws
      -> RunResult,
    sending package: () -> PackageReader
  ) async throws(Fault) -> RunResult? {
    for _ in 0..<60 {
      switch try await process(sending: package(), mayBeKilled: true, body) {
      case .killed: continue
      case .over(let result):
        switch result.conclusion {
        case .done:
          if isReported {
            for line in result.summary.records { log("\(line.entity): \(line.buckets)") }
            for finding in result.summary.findings { log("\(finding)") }
          }
          return result
        case .passingFault: log("a passing fault")
        case .refused where server.hasLostRights: log("the token is lost")
        case .refused, .interrupted:
          violations.append("the run ended with \(result.conclusion)")
          return nil
        }
      case .failed(let error as DestinationError) where error.isPassing: log("\(error)")
      case .failed(is DestinationError) where server.hasLostRights: log("the token is lost")
      case .failed(MigrationError.unsettled): log("something is unsettled")
      case .failed(let error):
        violations.append("the command failed: \(error)")
        return nil
      }
    }
    violations.append("the command never comes to its end")
    return nil
  }

  /// One process over what the one before left.
  private mutating func process<Value: Sendable>(
    sending package: PackageReader,
    mayBeKilled: Bool,
    _ body:
      @escaping @Sendable (UploadSession, CancellationToken) async throws -> Value
  ) async throws(Fault) -> Ending<Value> {
    var lastNote: Int?
    if mayBeKilled, chance.strikes(oneIn: 3) {
      let reach = [10, 40, 160, 600][Int.random(in: 0..<4, using: &chance.random)]
      lastNote = volume.noteCount + Int.random(in: 1...reach, using: &chance.random)
    }
    let way = SessionWay(on: volume, chance: chance, lastNote: lastNote, logs: isReported)
    let ending = await server.lend(by: way, time: time) { [self] destination in
      await session(package, destination, body)
    }
    chance = way.remainder
    for call in way.story { log(call) }
    guard let note = way.deathNote, mayBeKilled else { return ending }
    log("killed after note \(note) of \(volume.noteCount)")
    crashCount += 1
    if recorded == nil {
      try restart(with: volume.remains(after: note, random: &random))
    } else {
      try restart(with: volume.written(after: note))
    }
    return .killed
  }

  private func session<Value: Sendable>(
    _ package: PackageReader,
    _ destination: any Destination,
    _ body:
      @escaping @Sendable (UploadSession, CancellationToken) async throws -> Value
  ) async -> Ending<Value> {
    let interruption = CancellationToken()
    var options = SessionOptions()
    options.interruption = interruption
    options.seed = seed
    options.plan = PlanOptions(conflictPolicy: scenario.conflictPolicy)
    options.plan.deletesAbsent = true
    options.plan.allowsShrunkenSource = true
    // There is one store, whatever becomes of its records.
    options.acceptsChangedStore = true
    do {
      let session = try await UploadSession(
        profile: profile,
        store: package.manifest.source.store,
        package: package,
        destination: destination,
        state: StateFolder(path: "\(folder)/\(generation)"),
        options: options,
        clock: time.clock,
        progress: ProgressReporter()
      )
      return .over(try await body(session, interruption))
    } catch {
      return .failed(error)
    }
  }
}
