import Backends
import Checkpoint
import ExportPackage
import Profiles
import Records
import UploadPlanning

/// Writes down what has to happen to bring a package to a destination, and executes nothing.
///
/// Everything is read first: the destination (whole on a first run, else what changed), then each
/// record of the package in turn. What comes out, operations, adoptions, findings and counts, goes
/// into the checkpoint in steps, under a run that is marked as `planning` until the last step.
struct UploadPlanner: Sendable {
  let profile: Profile
  let package: PackageReader
  let checkpoint: CheckpointFile
  let run: RunRecord
  let desk: OperationDesk
  let snapshot: DestinationSnapshot
  /// The records that are kept aside and not sent, where there are any.
  let aside: KeptAside?
  let options: PlanOptions
  let account: String
  let asked: AskedConflicts
  let clock: RunClock
  let progress: ProgressReporter

  private static let stepSize = 1_000

  /// Plans every entity, parents before children.
  func plan(interruption: Interruption) async throws(MigrationError) {
    progress.report(.stageBegan(.plan))
    let layout = PhaseLayout(profile: profile, takesMedia: desk.destination.traits.takesMedia)
    var so = PlanSoFar()
    for entity in profile.entities {
      try await plan(entity, layout: layout, so: &so, interruption: interruption)
    }
    try planAbsent(layout)
    try checkDeletions()
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.setStage(.executing, of: run, now: clock.wallSeconds())
    }
    progress.report(.stageEnded(.plan))
  }

  private func plan(
    _ entity: EntityProfile,
    layout: PhaseLayout,
    so: inout PlanSoFar,
    interruption: Interruption
  ) async throws(MigrationError) {
    let name = entity.name
    let count = package.manifest.recordCount(of: name)
    if let bucket = entity.bucketWithoutSending(profile.api) {
      return try leaveOut(entity, bucket: bucket, count: count)
    }
    if options.selection.leavesOut(name) {
      so.hasLeft = so.hasLeft || count > 0
      return try leaveOut(name, .notChosen, count: count)
    }
    var pass = EntityPass(
      entity: name,
      layout: layout,
      isWhole: try await readDestination(name, recordCount: count),
      rule: LeaveRule(entity: entity, account: account, selection: options.selection),
      hasLeft: so.hasLeft
    )
    pass.isEmpty = try checkpointing { () throws(CheckpointError) in
      try snapshot.counts(of: name).total == 0
    }
    if !pass.isEmpty { try matchSameContent(name) }
    var planned = so.done
    try package.forEachRecord(of: name) { line, source throws(MigrationError) in
      if interruption.isWished { throw .interrupted }
      try plan(line, source, in: &pass)
      planned += 1
      if pass.step.weight >= Self.stepSize { try flush(&pass.step) }
      if planned.isMultiple(of: 1_000) {
        progress.report(.advanced(.plan, done: planned, total: package.manifest.recordCount))
      }
    }
    so.done = planned
    so.hasLeft = pass.hasLeft
    pass.tellWhatWasLeft()
    for (member, count) in pass.homeless.sorted(by: { $0.key < $1.key }) {
      pass.step.findings.append(
        .homeless(name, without: member, count: count, isAccepted: profile.accepts(name, member))
      )
    }
    for (member, count) in pass.unplaced.sorted(by: { $0.key < $1.key }) {
      pass.step.findings.append(
        .unplaced(name, member: member, count: count, isAccepted: profile.accepts(name, member))
      )
    }
    try flush(&pass.step)
  }

  /// Counts records that the destination has no place for, or that are not the user's own.
  private func leaveOut(
    _ entity: EntityProfile,
    bucket: Bucket,
    count: Int
  ) throws(MigrationError) {
    guard count > 0 else { return }
    let name = entity.name
    var step = PlanStep()
    step.tallies[name, default: [:]][bucket, default: 0] += count
    if bucket == .unplaced {
      step.findings.append(
        .unplaced(name, member: nil, count: count, isAccepted: profile.accepts(name, nil))
      )
    } else {
      step.findings.append(.notSent(name, role: entity.role, count: count))
    }
    try flush(&step)
  }

  func flush(_ step: inout PlanStep) throws(MigrationError) {
    let filled = step
    step = PlanStep()
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.add(filled, to: run, now: clock.wallSeconds())
    }
  }

  // MARK: - The destination

  /// Reads what the account holds; gives whether all of it was read.
  ///
  /// The first run reads everything. A later one asks for what changed since the destination's
  /// own mark; where it cannot tell, for the first thousand records. A package with records that
  /// the checkpoint does not know is a reason to read everything again: they may be there already.
  private func readDestination(
    _ entity: EntityName,
    recordCount: Int
  ) async throws(MigrationError) -> Bool {
    let knownCount = try checkpointing { () throws(CheckpointError) in
      try checkpoint.recordCount(of: entity)
    }
    let mark = try checkpointing { () throws(CheckpointError) in
      try checkpoint.mark(of: entity)
    }
    let isLater = knownCount > 0 && recordCount <= knownCount && !options.refreshes
    let canTell = desk.destination.traits.canTellChangesSince[entity] == true
    let since = isLater && canTell ? mark : nil
    let isWhole = !isLater || (canTell && mark == nil)
    let wire = desk.wires[entity]
    var isReadAgain = false
    let newMark = try await desk.forEachPage(
      of: entity,
      since: since,
      limit: isWhole || since != nil ? .max : 1_000
    ) { page throws(MigrationError) in
      // The mark had expired, and everything comes.
      if page.isFromTheStart { isReadAgain = true }
      try checkpointing { () throws(CheckpointError) in
        try snapshot.add(
          page.records.map { ($0, wire.naturalKey(ofRemote: $0.body)) },
          of: entity
        )
        try snapshot.addGone(page.removed, of: entity)
        try checkpoint.addSeen(page.records.map(\.serverID), of: entity)
      }
    }
    if let newMark {
      try checkpointing { () throws(CheckpointError) in
        try checkpoint.setMark(newMark, of: entity)
      }
    }
    return isWhole || isReadAgain
  }
}

/// What planning came to so far, over all entities.
struct PlanSoFar {
  var done = 0
  /// Whether any record is not sent, so that others may hang on it.
  var hasLeft = false
}

/// One entity, while it is being planned.
struct EntityPass {
  let entity: EntityName
  let layout: PhaseLayout
  /// Whether all that the account holds was read, and whether it is nothing.
  let isWhole: Bool
  var isEmpty = false
  var step = PlanStep()
  /// How many records hold something in a member that has no place at the destination.
  var unplaced: [String: Int] = [:]
  /// How many records the destination has no place for, by the member they lack.
  var homeless: [String: Int] = [:]
  let rule: LeaveRule
  /// How many records are not sent, by the reason.
  var left: [LeaveReason: Int] = [:]
  /// How many records the destination has a newer state of, which stays.
  var trailing = 0
  /// How many records have a state that the profile does not list, by the state.
  var unlisted: [String: Int] = [:]
  /// Whether any record of the package so far is not sent.
  var hasLeft: Bool

  init(
    entity: EntityName,
    layout: PhaseLayout,
    isWhole: Bool,
    rule: LeaveRule,
    hasLeft: Bool
  ) {
    self.entity = entity
    self.layout = layout
    self.isWhole = isWhole
    self.rule = rule
    self.hasLeft = hasLeft
  }

  /// Counts a record that lacks what the destination needs.
  mutating func leaveOut(_ missing: [String]) {
    step.tallies[entity, default: [:]][.unplaced, default: 0] += 1
    for member in missing { homeless[member, default: 0] += 1 }
  }
}

/// Runs `body` and wraps what the checkpoint throws.
func checkpointing<Value>(
  _ body: () throws(CheckpointError) -> Value
) throws(MigrationError) -> Value {
  do throws(CheckpointError) { return try body() } catch { throw .checkpoint(error) }
}
