import Foundation

/// Runs of the program that were written down, one after the other, call by call.
struct WatchedRun: Sendable {
  let start: CrashDisk
  /// All calls, numbered through.
  let all: [Call]
  let data: [UInt8]
  /// The calls that are not about temporary files.
  let calls: [Call]

  var end: Int { calls.last?.number ?? 0 }

  /// Reads what the injector has written down.
  init(start: CrashDisk, log: String) throws {
    var calls = try Injector.log(at: log).calls
    for index in calls.indices { calls[index].number = index + 1 }
    self.start = start
    data = [UInt8](try Data(contentsOf: URL(filePath: log + ".data")))
    all = calls
    self.calls = calls.filter { !CrashDisk.isTemporary($0.path) }
  }

  /// What happened, or would have happened if some calls had done nothing.
  func history(without numbers: Set<Int> = []) -> CrashHistory {
    // A call that is left out still has its bytes, so that those of the others are found.
    let kept = all.map { call in
      guard numbers.contains(call.number) else { return call }
      var copy = call
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

  /// The numbers of the syncs and renames by the places that asked for them.
  func places(in program: String) throws -> [CallPlace: Set<Int>] {
    let own = calls.filter { ($0.isSync || $0.kind == "rename") && $0.error == 0 }
    return try CallPlace.places(of: own, in: program)
      .reduce(into: [:]) { $0[$1.value, default: []].insert($1.key) }
  }

  /// Whether any state that a crash may leave breaks a rule once these calls do nothing.
  func breaks(_ rules: PackageRules, without left: Set<Int>) -> Bool {
    let history = history(without: left)
    let numbers = calls.map(\.number).filter { $0 >= left.min() ?? 0 }
    func breaks(_ states: [CrashDisk], _ number: Int) -> Bool {
      states.contains { rules.violation($0, after: number, package: "p.ferry") != nil }
    }
    return numbers.contains { breaks(history.mainStates(after: $0), $0) }
      || numbers.contains { breaks(states(history, $0), $0) }
  }
}
