import Backends
import Checkpoint
import Profiles
import Records
import UploadPlanning

/// What becomes of a run that has not come to its end, where the profile may be another by now.
///
/// Phases are numbered in the order in which the profile names its entities. Under another profile the
/// number of an operation may be that of another entity's phase, or of none. What was sent without an
/// answer is not the same any more either: a repeat would be another request under the same key, and a
/// look-up would look for another record.
///
/// | run | what is left of it | under another profile |
/// |---|---|---|
/// | an upload | what the profile has no place for | refused |
/// | an upload | what may have arrived | refused |
/// | an upload | what was never sent | given up, and planned anew |
/// | a rollback | what the profile has no place for | refused |
/// | a rollback | anything else | gone on with, in the order of the profile |
///
/// What is refused goes on under the profile that the run was begun with: nothing of it was changed.
extension UploadSession {
  /// What is written down with a run that is planned now.
  var choice: RunChoice {
    RunChoice(options: options.plan.text, profile: profile.digest.description)
  }

  /// What was written down with a run.
  func choice(of run: RunRecord) throws(MigrationError) -> RunChoice {
    RunChoice(
      words: try checkpointing { () throws(CheckpointError) in try checkpoint.choice(of: run) }
    )
  }

  /// Whether an upload was planned with this profile, so that it can be gone on with.
  ///
  /// - Throws: ``MigrationError/outgrown(run:reason:)`` when it was planned with another one, and can
  ///   neither be gone on with nor be given up.
  func isOfThisProfile(_ run: RunRecord) throws(MigrationError) -> Bool {
    let left = try operationsLeft(of: run)
    let moves = try moves(for: left, of: run)
    if try isPlannedOtherwise(run, moves) {
      try expectAnswers(left, of: run)
      return false
    }
    try move(moves, of: run)
    return true
  }

  /// Holds what an upload that is given up sent without an answer against the profile with which that is
  /// looked up.
  ///
  /// - Throws: ``MigrationError/outgrown(run:reason:)`` when it was sent with another one.
  func expectSettling(_ run: RunRecord) throws(MigrationError) {
    let left = try operationsLeft(of: run).filter { $0.key.isInDoubt }
    let moves = try moves(for: left, of: run)
    if try isPlannedOtherwise(run, moves) { try expectAnswers(left, of: run) }
    try move(moves, of: run)
  }

  /// Brings what is left of a rollback into the order of this profile.
  ///
  /// - Throws: ``MigrationError/outgrown(run:reason:)`` when the profile has no place for it.
  func layOut(_ undo: RunRecord) throws(MigrationError) {
    try move(try moves(for: try operationsLeft(of: undo), of: undo), of: undo)
  }

  /// Holds what a run did against the profile with which it is to be taken back.
  ///
  /// What a change overwrote is put back as far as the profile names it, so that another one may put back
  /// less.
  ///
  /// - Throws: ``MigrationError/outgrown(run:reason:)`` when the profile has no place for it, or is
  ///   another than that of the changes.
  func expectUndoing(_ run: RunRecord) throws(MigrationError) {
    let counts = try checkpointing { () throws(CheckpointError) in try checkpoint.counts(of: run) }
    let planned = try choice(of: run).profile
    let isOther = planned.map { $0 != profile.digest.description } ?? false
    let layout = layout
    var homeless: [EntityName: Int] = [:]
    var changed: [EntityName: Int] = [:]
    for (entity, action, state, count) in counts
    where state == Operation.State.confirmed.rawValue {
      guard let action = Operation.Action(rawValue: action), action.isTakenBack else { continue }
      if layout.phase(of: action, on: entity) == nil { homeless[entity, default: 0] += count }
      if isOther, action == .update { changed[entity, default: 0] += count }
    }
    if !homeless.isEmpty { throw try homelessness(of: homeless, in: run) }
    guard changed.isEmpty else {
      throw try outgrown(
        run,
        "\(Self.list(changed)) changed what stood there, and another profile may put back less"
      )
    }
  }

  // MARK: - What is left

  private var layout: PhaseLayout {
    PhaseLayout(profile: profile, takesMedia: destination.traits.takesMedia)
  }

  private func operationsLeft(
    of run: RunRecord
  ) throws(MigrationError) -> [OperationsLeft: Int] {
    try checkpointing { () throws(CheckpointError) in try checkpoint.operationsLeft(of: run) }
  }

  /// The phases of this profile, for what is in others.
  private func moves(
    for left: [OperationsLeft: Int],
    of run: RunRecord
  ) throws(MigrationError) -> [OperationsLeft: Int] {
    let layout = layout
    var moves: [OperationsLeft: Int] = [:]
    var homeless: [EntityName: Int] = [:]
    for (kind, count) in left {
      guard let phase = layout.phase(of: kind) else {
        homeless[kind.entity, default: 0] += count
        continue
      }
      if phase != kind.phase { moves[kind] = phase }
    }
    if !homeless.isEmpty { throw try homelessness(of: homeless, in: run) }
    return moves
  }

  private func move(
    _ moves: [OperationsLeft: Int],
    of run: RunRecord
  ) throws(MigrationError) {
    guard !moves.isEmpty else { return }
    try checkpointing { () throws(CheckpointError) in try checkpoint.move(moves, of: run) }
  }

  /// Whether a run was planned with another profile.
  private func isPlannedOtherwise(
    _ run: RunRecord,
    _ moves: [OperationsLeft: Int]
  ) throws(MigrationError) -> Bool {
    // Where an older program did not write the profile down, another order tells.
    guard let planned = try choice(of: run).profile else { return !moves.isEmpty }
    return planned != profile.digest.description
  }

  private func expectAnswers(
    _ left: [OperationsLeft: Int],
    of run: RunRecord
  ) throws(MigrationError) {
    var waiting: [EntityName: Int] = [:]
    for (kind, count) in left where kind.isInDoubt { waiting[kind.entity, default: 0] += count }
    guard waiting.isEmpty else {
      throw try outgrown(
        run,
        "\(Self.list(waiting)) may have arrived and have no answer, and under another profile neither a "
          + "repeat nor a look-up would be about the same"
      )
    }
  }

  // MARK: - Why not

  private func homelessness(
    of counts: [EntityName: Int],
    in run: RunRecord
  ) throws(MigrationError) -> MigrationError {
    let left = Self.list(counts)
    return try outgrown(run, "\(left) belong to it, and the profile has no place for them any more")
  }

  /// Why nothing can be done about a run under this profile; that the profile was accepted is taken back.
  private func outgrown(
    _ run: RunRecord,
    _ cause: String
  ) throws(MigrationError) -> MigrationError {
    let planned = try choice(of: run).profile
    if let planned, options.acceptsChangedProfile {
      try checkpointing { () throws(CheckpointError) in try checkpoint.setProfileDigest(planned) }
    }
    return .outgrown(run: run.id, reason: cause)
  }

  private static func list(_ counts: [EntityName: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) operation(s) on \($0.key)" }
      .joined(separator: ", ")
  }
}

/// What the plan of a run depends on beside its package, as it is written down with the run.
struct RunChoice: Hashable, Sendable {
  /// What a person chose, in words; empty for nothing.
  let options: String
  /// The digest of the profile; `nil` where an older program planned the run.
  let profile: String?

  private static let mark = "profile "

  init(options: String, profile: String) {
    self.options = options
    self.profile = profile
  }

  init(words: String) {
    let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
    let digest = lines.last.flatMap { line in
      line.hasPrefix(Self.mark) ? String(line.dropFirst(Self.mark.count)) : nil
    }
    guard let digest, Digest(hexadecimal: digest) != nil else {
      (options, profile) = (words, nil)
      return
    }
    (options, profile) = (lines.dropLast().joined(separator: "\n"), digest)
  }

  /// The profile stands in the last line.
  var words: String {
    let digest = profile.map { Self.mark + $0 }
    return [options, digest ?? ""].filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

extension PhaseLayout {
  /// The phase in which what a run has left is carried out; `nil` where there is no place for it.
  fileprivate func phase(of kind: OperationsLeft) -> Int? {
    guard kind.action.isUndo else { return phase(of: kind.action, on: kind.entity) }
    return kind.undoes.flatMap { phase(ofUndoing: $0, on: kind.entity) }
  }

  /// The phase in which a rollback takes back what an upload did; `nil` where there is no place for it.
  func phase(ofUndoing action: Operation.Action, on entity: EntityName) -> Int? {
    phase(of: action, on: entity).map { phases.count - 1 - $0 }
  }

  /// The phase in which an upload carries an action out; `nil` where there is no place for it.
  fileprivate func phase(of action: Operation.Action, on entity: EntityName) -> Int? {
    func isThere(_ kind: RunPhase.Kind) -> Bool {
      phases.contains(RunPhase(entity: entity, kind: kind))
    }
    return switch action {
    case .create: isThere(.send) ? sendPhase(of: entity) : nil
    case .update: isThere(.send) ? updatePhase(of: entity) : nil
    case .complete: isThere(.complete) ? completePhase(of: entity) : nil
    case .delete: isThere(.remove) ? removePhase(of: entity) : nil
    case .upload: mediaPhase(of: entity)
    case .uncreate, .restore, .unupload, .discard: nil
    }
  }
}

extension Operation.Action {
  /// Whether a rollback takes it back; see the table of inverses.
  fileprivate var isTakenBack: Bool {
    switch self {
    case .create, .complete, .update, .upload: true
    case .delete, .uncreate, .restore, .unupload, .discard: false
    }
  }
}
