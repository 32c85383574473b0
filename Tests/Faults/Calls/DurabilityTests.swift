import Foundation
import TestSupport
import Testing

extension Faults {
  /// What a power cut leaves, told from the calls of the real program.
  @Suite(
    .serialized,
    .enabled(if: Injector.isAvailable, "skipped: no C compiler, or not Linux")
  )
  struct Durability {}
}

extension Faults.Durability {
  @Test func `no crash at any call of an export leaves a package that is not whole`() async throws {
    let record = try await Self.export()
    let history = record.history()
    let rules = record.rules(history)
    var states = 0
    var violations: [String] = []
    for number in 0...record.end {
      for state in record.states(history, number) {
        states += 1
        if let violation = rules.violation(state, after: number, package: "p.ferry") {
          violations.append("after call \(number), \(record.name(number)): \(violation)")
        }
      }
    }
    print("crash states of an export: \(states), seed \(Faults.Kills.seed)")
    #expect(states > 1_000)
    #expect(violations.isEmpty)
  }

  @Test func `without any one sync or rename of its own, an export would lose something`()
    async throws
  {
    let record = try await Self.export()
    let rules = record.rules(record.history())
    let own = record.calls.filter { ["sync", "rename"].contains($0.kind) && $0.error == 0 }
    var survivors: [String] = []
    for call in own where !record.isCaught(without: call, rules) {
      survivors.append("\(call.number) \(call.kind) \(call.path)")
    }
    print("durability mutants of an export: \(own.count), survivors \(survivors)")
    #expect(own.count > 20)
    #expect(survivors.isEmpty)
  }

  @Test func `what a killed export has named is on the disk once the next says that it is there`()
    async throws
  {
    let once = try await Self.export()
    let named = try #require(
      once.calls.first { $0.kind == "rename" && $0.other.hasSuffix("/p.ferry") }
    )
    let waiting = try #require(
      once.calls.first { $0.kind == "sync" && $0.number > named.number }
    )
    let fault = Fault(action: .killBefore, call: waiting.number)
    let twice = try await Self.export([fault, nil])
    let history = twice.history()
    let goal = history.whole(after: twice.end).tree().filter { $0.key.hasPrefix("p.ferry/") }
    #expect(goal.count > 10)
    for state in history.mainStates(after: twice.end) {
      #expect(state.tree().filter { $0.key.hasPrefix("p.ferry/") } == goal)
    }
  }

  /// The calls of an export, with the bytes it wrote; of several, one after the other, of which the
  /// last comes to its end.
  ///
  /// It writes no report: that waits for the folder too, and would cover up what the package lacks.
  private static func export(_ faults: [Fault?] = [nil]) async throws -> Record {
    try await Stage.with { stage in
      let scene = try await stage.scene(.export)
      let start = try CrashDisk(of: scene.folder)
      let log = "\(stage.logs)/export"
      for (place, fault) in faults.enumerated() {
        let finished = try await stage.lane.program.run(
          Array(scene.line.dropLast(2)),
          environment: stage.injector.environment(
            watching: scene.folder,
            log: log,
            data: log + ".data",
            fault: fault
          ),
          state: scene.state
        )
        let isLast = place == faults.count - 1
        #expect(isLast ? finished.status == 0 : finished.wasKilled, "\(finished.standardError)")
      }
      var calls = try Injector.calls(in: log)
      for index in calls.indices { calls[index].number = index + 1 }
      let bytes = try Data(contentsOf: URL(filePath: log + ".data"))
      return Record(start: start, calls: calls, data: [UInt8](bytes))
    }
  }
}

/// A run that was written down.
private struct Record: Sendable {
  let start: CrashDisk
  let all: [Call]
  let data: [UInt8]
  /// The calls that are not about temporary files.
  let calls: [Call]

  var end: Int { calls.last?.number ?? 0 }

  init(start: CrashDisk, calls: [Call], data: [UInt8]) {
    self.start = start
    self.data = data
    all = calls
    self.calls = calls.filter { !CrashDisk.isTemporary($0.path) }
  }

  func history(without call: Call? = nil) -> CrashHistory {
    // A call that is left out still has its bytes, so that those of the others are found.
    let kept = all.map { other in
      guard other.number == call?.number else { return other }
      var copy = other
      copy.error = -1
      return copy
    }
    return CrashHistory(start, calls: kept, data: data)
  }

  func rules(_ history: CrashHistory) -> PackageRules {
    PackageRules(history, calls: calls, place: start.place, package: "p.ferry")
  }

  func states(_ history: CrashHistory, _ number: Int) -> [CrashDisk] {
    [history.whole(after: number)] + history.mainStates(after: number)
      + history.moreStates(after: number, chance: 4, seed: Faults.Kills.seed)
  }

  func name(_ number: Int) -> String {
    all.first { $0.number == number }.map { "\($0.kind) \($0.path)" } ?? "the start"
  }

  /// Whether any state that a crash may leave breaks a rule once this call does nothing.
  func isCaught(without call: Call, _ rules: PackageRules) -> Bool {
    let history = history(without: call)
    let numbers = calls.map(\.number).filter { $0 >= call.number }
    func breaks(_ states: [CrashDisk], _ number: Int) -> Bool {
      states.contains { rules.violation($0, after: number, package: "p.ferry") != nil }
    }
    return numbers.contains { breaks(history.mainStates(after: $0), $0) }
      || numbers.contains { breaks(states(history, $0), $0) }
  }
}
