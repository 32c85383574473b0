package import Checkpoint
package import StageSupport
import UploadPlanning

/// A run of a checkpoint, with what it came to.
package struct ListedRun: Hashable, Sendable {
  /// Where its checkpoint lies.
  package let state: StateFolder
  package let binding: CheckpointBinding
  package let facts: RunFacts
  package let end: RunEnd
  /// The path of the store that it sent; `nil` where a package was named.
  package let storePath: String?
  /// Whether a process is at work on its checkpoint, which lets no other command take it.
  let isHeld: Bool

  package var run: RunRecord { facts.run }

  /// Whether there is anything at the destination that a rollback of it would reverse, now.
  package var canBeRolledBack: Bool { !isHeld && hasAnythingToReverse }

  /// The same, once no process is at work on its checkpoint.
  var hasAnythingToReverse: Bool {
    if case .rolledBack = end { return false }
    return run.kind == .upload && mayHaveSent
  }

  /// Whether it confirmed an operation, or sent one whose answer is unknown.
  private var mayHaveSent: Bool {
    let sent: [Int?] = [.confirmed, .begun, .unknown].map { facts.operations[$0] }
    return sent.contains { ($0 ?? 0) > 0 }
  }

  package var canBeResumed: Bool { end == .interrupted }

  /// Every run of every checkpoint that can be read, the oldest first, and why the others cannot.
  ///
  /// - Parameter states: The state folders that the checkpoints lie in.
  /// - Returns: The runs, and the checkpoints that cannot be read.
  /// - Throws: `CheckpointError` for what is not about one checkpoint alone, as a full disk.
  package static func all(
    in states: [StateFolder]
  ) throws -> (runs: [ListedRun], unread: [UnreadCheckpoint]) {
    var found: [ListedRun] = []
    var unread: [UnreadCheckpoint] = []
    for state in states {
      let (views, leftOut) = try state.checkpoints.found()
      unread += leftOut
      for view in views {
        do throws(CheckpointError) {
          found += try runs(in: view, of: state)
        } catch {
          guard error.isOfOneFile else { throw error }
          unread.append(UnreadCheckpoint(path: view.path, error: error))
        }
      }
    }
    found.sort { ($0.run.startedAt, $0.run.number) < ($1.run.startedAt, $1.run.number) }
    return (found, unread)
  }

  /// The same of a state folder and the stores of its fleet.
  package static func all(
    inAndBelow state: StateFolder
  ) throws -> (runs: [ListedRun], unread: [UnreadCheckpoint]) {
    try all(in: [state] + state.ofFleet())
  }

  /// How a run ended, or that it has not.
  package static func end(of found: FoundRun) throws(CheckpointError) -> RunEnd {
    let runs = try runs(in: found.checkpoint, of: found.state)
    return runs.first { $0.run.id == found.run.id }?.end
      ?? RunEnd(found.run, rollback: nil, isHeld: found.checkpoint.isHeld)
  }

  /// The runs of one checkpoint, the oldest first.
  package static func runs(
    in view: CheckpointView,
    of state: StateFolder
  ) throws(CheckpointError) -> [ListedRun] {
    let all = try view.facts().runs
    let undone = Dictionary(
      all.map(\.run).filter { $0.kind == .rollback && $0.stage != .abandoned }
        .compactMap { run in run.undoes.map { ($0, run) } },
      uniquingKeysWith: { _, later in later }
    )
    let isHeld = !all.isEmpty && view.isHeld
    var listed: [ListedRun] = []
    for facts in all {
      let flags = try view.flags(of: facts.run)
      listed.append(
        ListedRun(
          state: state,
          binding: view.binding,
          facts: facts,
          end: RunEnd(facts.run, rollback: undone[facts.run.id], isHeld: isHeld),
          storePath: flags.last { $0.name == RunFlag.store }?.value,
          isHeld: isHeld
        )
      )
    }
    return listed
  }
}

extension RunRecord.Stage {
  /// Whether the run has not come to its end.
  var isOpen: Bool { self == .planning || self == .executing }
}
