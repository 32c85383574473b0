import Records
package import UploadPlanning

/// One history: commands of a person, an engine, a disk, a destination and a clock, with faults and
/// crashes by the seed.
///
/// Time is a queue of happenings. A crash throws away what was to happen in the process; what is on
/// its way to the destination still arrives. The faults of a history are counted: once they are
/// used up, every command has to come to its end.
package struct History<Disk: Ledger> {
  package let seed: UInt64
  package let plant: Plant?
  package let scenario: Scenario
  package internal(set) var disk: Disk
  package internal(set) var crashCount = 0
  package internal(set) var stepCount = 0
  /// How the operations of all runs ended, by state.
  package internal(set) var outcomes: [Operation.State: Int] = [:]

  var random: SeededRandom
  var now: Duration = .zero
  var server: SimulatedServer
  var faultsLeft: Int
  var violations: [String] = []
  /// The run and the record of each operation that was ever sent, whatever the ledger says of it.
  var writers: [Int64: Int] = [:]
  var records: [Int64: RecordID] = [:]
  /// What happened, where a user asked to be reported.
  var tale: [String]?

  var engine: UploadEngine?
  var run: LedgerRun?
  var began: Duration = .zero
  var settlesOnly = false
  var conclusion: EngineConclusion?
  var entries: [Entry] = []
  var lastOrder = 0
  /// Counts the processes, so that an answer finds the one that waits for it.
  var process = 0
  var attempts = 0
  /// The rows that others changed, and whether the destination was restored, since the command began.
  var isRestored = false
  var isEdited = false

  package init(seed: UInt64, plant: Plant? = nil, disk: Disk, logs: Bool = false) {
    var random = SeededRandom(seed: seed)
    self.seed = seed
    self.plant = plant
    self.disk = disk
    scenario = Scenario(random: &random)
    self.random = random
    server = SimulatedServer(scenario: scenario)
    faultsLeft = scenario.faultCount
    if logs { tale = [] }
  }

  /// Lives the history through, and says what was wrong with it.
  package mutating func live() throws(Disk.Failure) -> [String] {
    var package = -1
    for (index, command) in scenario.commands.enumerated() {
      letOthersAct(isFirst: index == 0)
      isRestored = false
      isEdited = false
      let before = server.rows
      let lastRun = try disk.runs().last?.number ?? 0
      switch command {
      case .upload:
        package += 1
        log("upload of package \(package)")
        let next = scenario.commands.dropFirst(index + 1).first
        try upload(package, mayBeLeft: next == .rollback || next == .upload)
        try check(against: before, since: lastRun)
        try uploadWhatWasLeft(of: package, since: lastRun)
      case .rollback:
        log("rollback")
        try rollBack()
        try check(against: before, since: lastRun)
      }
      guard violations.isEmpty else { return violations }
    }
    return []
  }

  /// Holds the end of a command against the rows that existed `before` it and the last run before it;
  /// `owed` is what an earlier run left and this one has to bring.
  mutating func check(
    against before: [SimulatedServer.Row],
    since lastRun: Int,
    owed: [Operation] = []
  ) throws(Disk.Failure) {
    guard violations.isEmpty else { return }
    deliverTheRest()
    var checker = Checker(history: self, before: before, runsBefore: lastRun, owed: owed)
    violations += try checker.violations()
  }

  /// What the history was, stated step by step.
  package var story: [String] { tale ?? [] }

  mutating func log(_ words: @autoclosure () -> String) {
    if tale != nil { tale?.append("\(now) \(words())") }
  }

  /// Between two commands others work at the destination, and now and then it is restored.
  private mutating func letOthersAct(isFirst: Bool) {
    if !isFirst, Int.random(in: 0..<12, using: &random) == 0 {
      server.restoreBackup()
      log("the destination is restored from a backup")
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) { server.actAsOtherDevice(&random) }
    if Bool.random(using: &random) { server.takeBackup() }
  }

  // MARK: - The commands

  mutating func upload(_ package: Int, mayBeLeft: Bool) throws(Disk.Failure) {
    var patience = 400
    while violations.isEmpty {
      patience -= 1
      guard patience > 0 else { return violations.append("the upload never comes to its end") }
      process += 1
      guard let run = try nextUpload(of: package) else { continue }
      guard try drive(run, settlesOnly: false) == .done else {
        if mayBeLeft, Int.random(in: 0..<3, using: &random) == 0 { return log("it is left alone") }
        continue
      }
      return try disk.setStage(.finished, of: run.number)
    }
  }

  /// The run to go on with, or a new one; `nil` when a crash comes first.
  private mutating func nextUpload(of package: Int) throws(Disk.Failure) -> LedgerRun? {
    if let open = try disk.runs().last(where: \.isOpen) {
      if open.stage == .planning {
        try disk.discardPlan(of: open.number)
        if try crashes() { return nil }
      } else if try disk.operations(of: open.number).allSatisfy({ belongs($0, to: package) }) {
        return open
      } else {
        guard try settle(open) else { return nil }
      }
    }
    let number = try disk.beginRun(.upload, undoes: nil)
    if try crashes() { return nil }
    guard try plan(package, into: number) else { return nil }
    return try begin(number)
  }

  private func belongs(_ operation: Operation, to package: Int) -> Bool {
    operation.source.map { $0.length == package } ?? true
  }

  private mutating func begin(_ number: Int) throws(Disk.Failure) -> LedgerRun? {
    try disk.setStage(.executing, of: number)
    if try crashes() { return nil }
    return try disk.runs().last { $0.number == number }
  }

  /// Finds out what became of an unfinished run's requests, and gives up the rest of it.
  private mutating func settle(_ run: LedgerRun) throws(Disk.Failure) -> Bool {
    guard try drive(run, settlesOnly: true) == .done else { return false }
    if plant == nil {
      let isOpen = try disk.operations(of: run.number).contains {
        $0.state == .begun || $0.state == .unknown
      }
      if isOpen { violations.append("something is left open after settling") }
    }
    try disk.abandon(run.number)
    return try !crashes()
  }

  private mutating func rollBack() throws(Disk.Failure) {
    var patience = 400
    while violations.isEmpty {
      patience -= 1
      guard patience > 0 else { return violations.append("the rollback never comes to its end") }
      process += 1
      guard let run = try nextRollback() else { continue }
      guard run.number > 0 else { return log("there is nothing to roll back") }
      guard try drive(run, settlesOnly: false) == .done else { continue }
      return try disk.setStage(.finished, of: run.number)
    }
  }

  /// The rollback to go on with, or a new one; number 0 when nothing is left to roll back.
  private mutating func nextRollback() throws(Disk.Failure) -> LedgerRun? {
    if let open = try disk.runs().last(where: \.isOpen) {
      switch (open.kind, open.stage) {
      case (.rollback, .executing): return open
      case (_, .planning):
        try disk.discardPlan(of: open.number)
        if try crashes() { return nil }
      default: guard try settle(open) else { return nil }
      }
    }
    let runs = try disk.runs()
    let undone = Set(runs.filter { $0.kind == .rollback }.compactMap(\.undoes))
    let target = runs.last { $0.kind == .upload && !undone.contains($0.number) }
    guard let target else {
      return LedgerRun(number: 0, kind: .rollback, stage: .finished, undoes: nil)
    }
    let number = try disk.beginRun(.rollback, undoes: target.number)
    if try crashes() { return nil }
    guard try planInverse(of: target.number, into: number) else { return nil }
    return try begin(number)
  }

  // MARK: - Faults

  /// Whether one of the faults that are left strikes now.
  mutating func strikes(oneIn chance: Int) -> Bool {
    guard faultsLeft > 0, Int.random(in: 0..<chance, using: &random) == 0 else { return false }
    faultsLeft -= 1
    return true
  }

  /// Whether the process crashes between two steps of planning; it has to begin anew then.
  mutating func crashes() throws(Disk.Failure) -> Bool {
    guard strikes(oneIn: 25) else { return false }
    try crash(interrupting: nil)
    return true
  }

  mutating func crash(interrupting changes: [OperationChange]?) throws(Disk.Failure) {
    log("crash")
    crashCount += 1
    entries.removeAll { $0.isInProcess }
    try disk.crash(interrupting: changes, random: &random)
  }
}
