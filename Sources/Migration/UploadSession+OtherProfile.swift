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
/// | an upload | a file that it began to send, where the profile sends such files elsewhere, or none | given up, told, and planned anew |
/// | an upload | another file that it began to send, and whose place nobody was told | looked up |
/// | an upload | what was never sent | given up, and planned anew |
/// | a rollback | what the profile has no place for | refused |
/// | a rollback | what would be taken back by other rules, see ``UndoRules`` | refused |
/// | a rollback | anything else | gone on with, in the order of the profile |
///
/// A file is looked up by its content and its key alone, and may be where it was sent although nobody was
/// told: several are answered together. A bucket that the profile named wrongly takes and tells nothing, and
/// would hold the run to it for ever.
///
/// What is refused goes on under the profile that the run was begun with: nothing of it was changed.
extension UploadSession {
  /// What is written down with an upload that is planned now.
  var choice: RunChoice { RunChoice(options: options.plan.text, profile: profile) }

  /// What was written down with a run.
  func choice(of run: RunRecord) throws(MigrationError) -> RunChoice {
    let words = try checkpointing { () throws(CheckpointError) in try checkpoint.choice(of: run) }
    guard let choice = RunChoice(words: words) else {
      let reason = "it does not say with which profile its run \(run.id) was planned"
      throw .checkpoint(.damaged(path: checkpoint.path, reason: reason))
    }
    return choice
  }

  /// Whether an upload was planned with this profile, so that it can be gone on with.
  ///
  /// - Throws: ``MigrationError/outgrown(run:reason:)`` when it was planned with another one, and can
  ///   neither be gone on with nor be given up.
  func isOfThisProfile(_ run: RunRecord) throws(MigrationError) -> Bool {
    let left = try operationsLeft(of: run)
    let moves = try moves(for: left, of: run)
    if try isPlannedOtherwise(run) {
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
  func expectSettling(
    _ run: RunRecord,
    _ findings: FindingCollector
  ) throws(MigrationError) {
    let inDoubt = try operationsLeft(of: run).filter { $0.key.isInDoubt }
    let left = inDoubt.merging(try begunFiles(of: run)) { $0 + $1 }
    let moves = try moves(for: left, of: run)
    if try isPlannedOtherwise(run) {
      try expectAnswers(left, of: run)
      try expectRemoving(of: run)
      try giveUpFiles(of: run, findings)
    }
    try move(moves, of: run)
  }

  /// Gives up the files that an upload of another profile began to send, and that this one would look for
  /// elsewhere, and tells of them; brings the others to where they are looked up.
  ///
  /// Where that was done before and came to no end, the same is told again.
  func giveUpFiles(
    of run: RunRecord,
    _ findings: FindingCollector
  ) throws(MigrationError) {
    let begun = try choice(of: run)
    let now = choice
    let layout = layout
    var givenUp: Set<EntityName> = []
    var moves: [OperationsLeft: Int] = [:]
    for kind in try begunFiles(of: run).keys {
      if let number = phase(ofLookingUp: kind, of: begun, in: layout) {
        if number != kind.phase { moves[kind] = number }
      } else {
        givenUp.insert(kind.entity)
      }
    }
    try move(moves, of: run)
    // The place that a ticket gives is known before the file is sent.
    let isByTicket = if case .tickets = profile.api?.media?.way { !isFolder } else { false }
    let told = try checkpointing { () throws(CheckpointError) in
      try checkpoint.giveUpFiles(of: run, in: givenUp) { file in
        isByTicket && begun.isSamePlace(of: file.entity, in: now) ? nil : Finding.stray(file)
      }
      return try checkpoint.findings(of: run, limit: .max)
    }
    for finding in told where finding.isStray { findings.add(finding) }
  }

  /// The phase in which a file that a run began to send is looked up where it was sent; `nil` where this
  /// profile would not find it.
  private func phase(
    ofLookingUp kind: OperationsLeft,
    of begun: RunChoice,
    in layout: PhaseLayout
  ) -> Int? {
    guard isFolder || begun.isSamePlace(of: kind.entity, in: choice) else { return nil }
    return layout.phase(of: kind)
  }

  /// Whether the destination is a folder, in which a profile does not say where files lie.
  private var isFolder: Bool { FolderDestination.takes(destination.traits.origin) }

  private func begunFiles(of run: RunRecord) throws(MigrationError) -> [OperationsLeft: Int] {
    try checkpointing { () throws(CheckpointError) in try checkpoint.begunFiles(of: run) }
  }

  /// Refuses to look up files that would then be taken back by other rules.
  private func expectRemoving(of run: RunRecord) throws(MigrationError) {
    let begun = try choice(of: run)
    let now = choice
    let layout = layout
    var changed: [EntityName: Int] = [:]
    for (kind, count) in try begunFiles(of: run)
    where begun.isOutgrown(in: now, .upload, on: kind.entity)
      && phase(ofLookingUp: kind, of: begun, in: layout) != nil
    {
      changed[kind.entity, default: 0] += count
    }
    try expectSameRules(for: changed, of: run)
  }

  /// Brings what is left of a rollback into the order of this profile.
  ///
  /// - Throws: ``MigrationError/outgrown(run:reason:)`` when the profile has no place for it, or other
  ///   rules for it.
  func layOut(_ undo: RunRecord) throws(MigrationError) {
    let left = try operationsLeft(of: undo)
    let moves = try moves(for: left, of: undo)
    let begun = try choice(of: undo)
    let now = choice
    var changed: [EntityName: Int] = [:]
    for (kind, count) in left where begun.isOutgrown(in: now, kind.action, on: kind.entity) {
      changed[kind.entity, default: 0] += count
    }
    try expectSameRules(for: changed, of: undo)
    try move(moves, of: undo)
  }

  /// Holds what a run did, and no rollback has taken back yet, against the profile with which that is to
  /// be done.
  ///
  /// - Throws: ``MigrationError/outgrown(run:reason:)`` when the profile has no place for it, or other
  ///   rules for it.
  func expectUndoing(_ run: RunRecord) throws(MigrationError) {
    let begun = try choice(of: run)
    let now = choice
    guard begun.profile != now.profile else { return }
    let done = try checkpointing { () throws(CheckpointError) in try checkpoint.notUndone(of: run) }
    let layout = layout
    var homeless: [EntityName: Int] = [:]
    var changed: [EntityName: Int] = [:]
    for (entity, action, count) in done {
      if layout.phase(of: action, on: entity) == nil { homeless[entity, default: 0] += count }
      if begun.isOutgrown(in: now, action, on: entity) { changed[entity, default: 0] += count }
    }
    if !homeless.isEmpty { throw try homelessness(of: homeless, in: run) }
    try expectSameRules(for: changed, of: run)
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
  ///
  /// A file that has no place at the destination yet needs no phase where its run is of another profile,
  /// and it is given up.
  private func moves(
    for left: [OperationsLeft: Int],
    of run: RunRecord
  ) throws(MigrationError) -> [OperationsLeft: Int] {
    let layout = layout
    let isOther = try isPlannedOtherwise(run)
    var moves: [OperationsLeft: Int] = [:]
    var homeless: [EntityName: Int] = [:]
    for (kind, count) in left {
      guard let phase = layout.phase(of: kind) else {
        let isGivenUp = isOther && kind.action == .upload && !kind.isInDoubt
        if !isGivenUp { homeless[kind.entity, default: 0] += count }
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
  private func isPlannedOtherwise(_ run: RunRecord) throws(MigrationError) -> Bool {
    try choice(of: run).profile != profile.digest.description
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

  /// Refuses to take a run back where that would be done by other rules, for what is `changed`.
  private func expectSameRules(
    for changed: [EntityName: Int],
    of run: RunRecord
  ) throws(MigrationError) {
    guard changed.isEmpty else {
      throw try outgrown(
        run,
        "\(Self.list(changed)) would be taken back by other rules, and another profile may put back less, "
          + "or remove what somebody else changed or names"
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
    if options.acceptsChangedProfile {
      try checkpointing { () throws(CheckpointError) in try checkpoint.setProfileDigest(planned) }
    }
    return .outgrown(run: run.id, reason: cause)
  }

  private static func list(_ counts: [EntityName: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) operation(s) on \($0.key)" }
      .joined(separator: ", ")
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
