import Foundation
import TestSupport

/// What a verb comes to when nothing goes wrong.
struct FaultGoal: Sendable {
  let status: Int32
  let calls: [Call]
  let package: [String: String]?
  let content: ServerContent?
  let names: Set<String>

  init(_ verb: FaultedVerb, on stage: Stage) async throws {
    let scene = try await stage.scene(verb)
    let ran = try await scene.run()
    status = ran.finished.status
    calls = ran.calls
    package = try scene.packageDigests()
    content = verb.needsServer ? try stage.lane.content() : nil
    names = try scene.names()
    guard status == 0, !calls.isEmpty else {
      throw TestSupportError("\(verb.rawValue) without a fault: \(ran.finished.standardError)")
    }
    try scene.removeAll()
  }
}

/// A verb in which something goes wrong once, or once more when it is typed again.
struct FaultTrial: Hashable, Sendable, CustomStringConvertible {
  let verb: FaultedVerb
  let fault: Fault
  /// What goes wrong when the line is typed for the second time.
  var second: Fault?
  /// What else is by chance: where the run was killed that `resume` goes on with, and what a disk
  /// forgets.
  var seed: UInt64 = 1

  /// What goes wrong first, and where.
  var event: [String] { [verb.rawValue, "\(fault)"] }

  var description: String {
    "\(verb.rawValue), \(fault)\(second.map { ", then \($0)" } ?? "")"
      + ", seed \(seed)"
  }

  /// What became of a trial.
  struct Verdict: Sendable {
    /// Whether it did go wrong: the program was killed there, or informed of the error.
    let didHappen: Bool
    /// The status of the run in which it happened.
    let status: Int32
    /// What must not be; empty when all is well.
    let violations: [String]
  }

  /// Statuses with which a run may end that found an error: undone, to be repeated, or refused.
  private static let stated: Set<Int32> = [1, 5, 10, 12]

  func verdict(on stage: Stage, goal: FaultGoal) async throws -> Verdict {
    let untouchable = try stage.untouchable()
    let scene = try await stage.scene(verb, seed: seed)
    var violations: [String] = []
    let ran = try await scene.run(fault: fault, seed: seed)
    let reached = ran.calls.first { $0.number == fault.call }
    violations += try judge(ran.finished, fault, at: reached, scene, goal)
    if let second {
      let ran = try await scene.run(fault: second, seed: seed)
      let reached = ran.calls.first { $0.number == second.call }
      violations += try judge(ran.finished, second, at: reached, scene, goal)
    }
    violations += try await again(scene, goal)
    if try stage.untouchable() != untouchable { violations.append("the source was changed") }
    try scene.removeAll()
    return Verdict(
      didHappen: fault.struck(ran),
      status: ran.finished.status,
      violations: violations
    )
  }

  /// Holds the run in which something went wrong, if it came to that call, against what it may leave and
  /// say.
  private func judge(
    _ finished: Finished,
    _ fault: Fault,
    at call: Call?,
    _ scene: Scene,
    _ goal: FaultGoal
  ) throws -> [String] {
    var violations: [String] = []
    let didHappen = call != nil
    func violated(_ text: String) {
      violations.append("\(text): status \(finished.status), \(finished.standardError)")
    }
    if let package = try scene.packageDigests(), package != goal.package {
      violated("a package that is not whole has its name")
    }
    switch finished.status {
    case goal.status:
      violations += try missing(scene, goal).map { "done, but \($0)" }
      // A system reports once that a disk has lost something, and then no more.
      if let call, call.isOwnSync, call.error ?? 0 != 0, fault.action.isError {
        violated("a failed sync of \(call.path) was believed")
      }
    case -9 where fault.action.kills && didHappen: break
    case ..<0: violated(finished.wasKilled ? "it does not end" : "it crashed")
    default:
      if !didHappen || !fault.action.isError { violated("it failed without a fault") }
      if !Self.stated.contains(finished.status) { violated("an unexpected status") }
      let isSaid = finished.standardError.split(separator: "\n").contains {
        $0.hasPrefix("ferry: ") && !$0.hasSuffix("(exit status \(finished.status))")
      }
      if !isSaid { violated("it does not say why") }
      if !finished.standardError.contains("(exit status \(finished.status))") {
        violated("it does not name its status")
      }
    }
    return violations
  }

  /// Types the same line again, and holds what it comes to against the goal.
  private func again(_ scene: Scene, _ goal: FaultGoal) async throws -> [String] {
    var finished = try await scene.run().finished
    for _ in 0..<2 where finished.status == 5 { finished = try await scene.run().finished }
    guard finished.status == goal.status else {
      return ["again: status \(finished.status), \(finished.standardError)"]
    }
    var violations = try missing(scene, goal).map { "again: \($0)" }
    let names = try scene.names()
    let left = names.subtracting(goal.names).sorted()
    if !left.isEmpty { violations.append("left behind: \(left)") }
    let lacking = goal.names.subtracting(names).sorted()
    if !lacking.isEmpty { violations.append("not there: \(lacking)") }
    return violations
  }

  /// What is not as it is without faults.
  private func missing(_ scene: Scene, _ goal: FaultGoal) throws -> [String] {
    var violations: [String] = []
    if try scene.packageDigests() != goal.package { violations.append("the package differs") }
    if let content = goal.content {
      let differences = try scene.stage.lane.content().differences(from: content)
      violations += differences.map { "at the server: \($0)" }
    }
    return violations
  }
}
