import Foundation
import JSONText
import Reporting
import Retrying
package import StageSupport
import Subprocess

/// Runs the migrations of a fleet, each in a process of its own: what ends badly ends alone.
package struct FleetRunner: Sendable {
  /// Where reports and results are written.
  package let folder: FleetFolder
  /// Where each store's checkpoint lies; the same, but for a dry run.
  private let states: FleetFolder
  /// The flags of every migration, beside those of its store.
  private let flags: [String]
  private let profile: String?
  private let destination: String?
  private let credentials: [String]
  private let values: [String]
  private let attempts: Int
  private let runsAgain: Bool
  /// Whether nothing is sent, and so nothing done.
  private let isRehearsal: Bool
  private let interruption: CancellationToken

  /// How long another worker's migration of the same store is waited for: two minutes.
  private static let lockPolicy = RetryPolicy(limit: 120, factor: 1)
  /// How much of what a migration said is kept.
  private static let logSize = 64 << 10

  /// Makes the runner of one command.
  ///
  /// - Parameters:
  ///   - folder: Where reports and results are written.
  ///   - states: Where each store's checkpoint lies; the same, but for a dry run.
  ///   - flags: The flags of every migration, beside those of its store.
  ///   - profile: The profile of stores that name none.
  ///   - destination: The destination of stores that name none.
  ///   - credentials: The credentials of stores that name no others.
  ///   - values: The values of variables, `NAME=VALUE`, of stores that give no others.
  ///   - attempts: How often a store is tried that a passing fault stops.
  ///   - runsAgain: Whether what is done is run once more.
  ///   - isRehearsal: Whether nothing is sent, and so nothing done.
  ///   - interruption: A cancellation request.
  package init(
    folder: FleetFolder,
    states: FleetFolder,
    flags: [String],
    profile: String?,
    destination: String?,
    credentials: [String],
    values: [String] = [],
    attempts: Int,
    runsAgain: Bool,
    isRehearsal: Bool,
    interruption: CancellationToken
  ) {
    self.folder = folder
    self.states = states
    self.flags = flags
    self.profile = profile
    self.destination = destination
    self.credentials = credentials
    self.values = values
    self.attempts = attempts
    self.runsAgain = runsAgain
    self.isRehearsal = isRehearsal
    self.interruption = interruption
  }

  /// Runs so many at once; `notify` is given each result with its place.
  package func run(
    _ entries: [FleetEntry],
    jobs: Int,
    notify: (FleetResult, _ place: String) -> Void
  ) async -> [FleetResult] {
    var results = entries.map { FleetResult.waiting($0) }
    await withTaskGroup(of: (Int, FleetResult).self) { group in
      var next = 0
      var done = 0
      while next < min(jobs, entries.count) {
        add(next, entries[next], to: &group)
        next += 1
      }
      while let (index, result) = await group.next() {
        results[index] = result
        done += 1
        notify(result, "\(done)/\(entries.count)")
        if next < entries.count, !interruption.isCancelled {
          add(next, entries[next], to: &group)
          next += 1
        }
      }
    }
    return results
  }

  private func add(
    _ index: Int,
    _ entry: FleetEntry,
    to group: inout TaskGroup<(Int, FleetResult)>
  ) {
    group.addTask { (index, await result(of: entry)) }
  }

  /// Runs one store until it is done, or what stops it will not pass.
  private func result(of entry: FleetEntry) async -> FleetResult {
    if !runsAgain, !isRehearsal, var earlier = folder.result(of: entry), earlier.status == 0 {
      earlier.isEarlier = true
      return earlier
    }
    var attempt = 1
    var faults = RetryCounter(RetryPolicy(limit: attempts - 1))
    var locks = RetryCounter(Self.lockPolicy)
    while true {
      let result = await self.attempt(attempt, entry)
      guard !interruption.isCancelled else { return result }
      let wait: Duration?
      switch result.status.flatMap(ExitStatus.init(rawValue:)) {
      // A killed worker's migration may still be coming to its end.
      case .locked: wait = locks.wait()
      case .passingFault:
        wait = faults.wait()
        attempt += 1
      default: wait = nil
      }
      guard let wait else { return result }
      await Waits.during(.retry, atMost: wait) {
        await interruption.sleep(for: wait, on: .system)
      }
    }
  }

  private func attempt(_ number: Int, _ entry: FleetEntry) async -> FleetResult {
    do {
      try folder.prepare(entry)
      let (status, log) = try await migrate(entry)
      var result: FleetResult
      switch status {
      case .exited(let code):
        let name = ExitStatus(rawValue: code)?.name ?? "failed"
        result = FleetResult(entry, status: code, statusName: name, attempts: number)
      case .signaled(let signal):
        result = FleetResult(
          entry,
          status: ExitStatus.failure.rawValue,
          statusName: ExitStatus.failure.name,
          attempts: number
        )
        result.reason = "its process was ended by signal \(signal)"
      }
      if let report = folder.reportValue(of: entry) { result.take(report: report) }
      if !isRehearsal { try folder.keep(result, of: entry, log: log) }
      return result
    } catch {
      var result = FleetResult(
        entry,
        status: ExitStatus.failure.rawValue,
        statusName: ExitStatus.failure.name,
        attempts: number
      )
      result.reason = "\(error)"
      return result
    }
  }

  private func arguments(for entry: FleetEntry) -> [String] {
    var words = ["migrate", entry.store, "--state-dir", states.state(of: entry).path]
    words += ["--report", folder.report(of: entry)]
    if let profile = entry.profile ?? profile { words += ["--profile", profile] }
    if let destination = entry.destination ?? destination { words += ["--to", destination] }
    // Of two credentials of one name the later holds.
    for credential in credentials + entry.credentials { words += ["--credential", credential] }
    // So it is with two values of one name.
    for value in values + entry.values { words += ["--set", value] }
    if let account = entry.account { words += ["--account", account] }
    return words + flags
  }

  /// Runs `ferry migrate`; gives how it ended, and the last of what it said.
  private func migrate(_ entry: FleetEntry) async throws -> (TerminationStatus, [UInt8]) {
    guard let program = Bundle.main.executablePath else {
      throw FleetError.unstartable(store: entry.name, reason: "this program does not know its path")
    }
    // A group of its own: Ctrl-C reaches this program alone, which asks the others to end.
    var platform = PlatformOptions()
    platform.processGroupID = 0
    let result = try await Subprocess.run(
      .name("env"),
      arguments: Arguments([program] + arguments(for: entry)),
      platformOptions: platform,
      input: .none,
      output: .discarded,
      error: .sequence
    ) { execution in
      try await listen(to: execution.standardError) {
        do {
          try execution.send(signal: .terminate)
        } catch {
          // It came to its end by itself a moment ago.
        }
      }
    }
    return (result.terminationStatus, result.closureResult)
  }

  /// Collects the last of what is said; `end` is called when a person requests cancellation.
  private func listen(
    to said: SubprocessOutputSequence,
    end: @escaping @Sendable () -> Void
  ) async throws -> [UInt8] {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await interruption.wait()
        if interruption.isCancelled { end() }
      }
      var last: [UInt8] = []
      for try await buffer in said {
        last += buffer.withUnsafeBytes { Array($0) }
        if last.count > 2 * Self.logSize { last.removeFirst(last.count - Self.logSize) }
      }
      group.cancelAll()
      return Array(last.suffix(Self.logSize))
    }
  }
}
