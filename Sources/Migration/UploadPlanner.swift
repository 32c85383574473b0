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
  let names: AccountNames
  let asked: AskedConflicts
  /// Whether every record that is known was planned and sent with this very profile.
  let isAgreed: Bool
  let clock: RunClock
  let progress: ProgressReporter

  private static let stepSize = 1_000

  /// Plans every entity, parents before children.
  func plan(interruption: Interruption) async throws(MigrationError) {
    progress.report(.stageBegan(.plan))
    let layout = PhaseLayout(profile: profile, takesMedia: desk.destination.traits.takesMedia)
    var outcome = PlanOutcome()
    try await plan(
      profile.entities.filter { $0.queue == nil }[...],
      layout: layout,
      outcome: &outcome,
      interruption: interruption
    )
    try planQueues(met: outcome.queued, layout)
    try planAbsent(layout)
    try checkDeletions()
    if options.tellsChanges { try await tellChanges(layout) }
    let marks = outcome.marks
    let agreed = outcome.isTroubled ? nil : profile.digest.description
    try checkpointing { () throws(CheckpointError) in
      for (entity, mark) in marks { try checkpoint.setMark(mark, of: entity) }
      try checkpoint.setAgreement(agreed, isSettled: false)
      try checkpoint.setStage(.executing, of: run, now: clock.wallSeconds())
    }
    progress.report(.stageEnded(.plan))
  }

  /// What planning all entities came to beside the plan itself.
  private struct PlanOutcome {
    var done = 0
    /// The destination's marks, which count once everything is planned.
    var marks: [EntityName: String] = [:]
    /// Whether a record that is known could not be planned as it is.
    var isTroubled = false
    /// Whether any record is not sent, so that others may hang on it.
    var hasLeft = false
    /// The records of the package that a queued change speaks of, and whether they carry it.
    var queued: [RecordID: Bool] = [:]
  }

  /// Plans one entity after the other; meanwhile, what the destination holds of the next is read.
  ///
  /// `ahead` is what was read of the first one that is sent, if that was.
  private func plan(
    _ entities: ArraySlice<EntityProfile>,
    ahead: DestinationReading? = nil,
    layout: PhaseLayout,
    outcome: inout PlanOutcome,
    interruption: Interruption
  ) async throws(MigrationError) {
    guard let entity = entities.first else { return }
    let rest = entities.dropFirst()
    var next = ahead
    if isSent(entity) {
      // A destination that takes one request at a time is not asked two things at once.
      let isAhead = desk.destination.traits.concurrency > 1
      async let following = readingAhead(isAhead ? rest.first(where: isSent) : nil)
      let reading: DestinationReading
      if let ahead { reading = ahead } else { reading = try await readDestination(entity.name) }
      try await plan(entity, reading, layout: layout, outcome: &outcome, interruption: interruption)
      next = try await following?.get()
    } else {
      try leaveOut(entity, outcome: &outcome)
    }
    try await plan(
      rest,
      ahead: next,
      layout: layout,
      outcome: &outcome,
      interruption: interruption
    )
  }

  /// Whether records of an entity are sent by this run.
  private func isSent(_ entity: EntityProfile) -> Bool {
    entity.bucketWithoutSending(profile.api) == nil && !options.selection.leavesOut(entity.name)
  }

  private func readingAhead(
    _ entity: EntityProfile?
  ) async -> Result<DestinationReading, MigrationError>? {
    guard let entity else { return nil }
    do throws(MigrationError) {
      return .success(try await readDestination(entity.name))
    } catch {
      return .failure(error)
    }
  }

  private func leaveOut(
    _ entity: EntityProfile,
    outcome: inout PlanOutcome
  ) throws(MigrationError) {
    let name = entity.name
    let count = package.manifest.recordCount(of: name)
    if let bucket = entity.bucketWithoutSending(profile.api) {
      return try leaveOut(entity, bucket: bucket, count: count)
    }
    outcome.hasLeft = outcome.hasLeft || count > 0
    for id in desk.wires.queue.changes.keys where id.entity == name { outcome.queued[id] = false }
    try leaveOut(name, .notChosen, count: count)
  }

  private func plan(
    _ entity: EntityProfile,
    _ reading: DestinationReading,
    layout: PhaseLayout,
    outcome: inout PlanOutcome,
    interruption: Interruption
  ) async throws(MigrationError) {
    let name = entity.name
    var hasStrange = reading.hasStrange
    var pass = EntityPass(
      entity: name,
      layout: layout,
      isWhole: reading.isWhole,
      rule: names.rule(for: entity, options.selection),
      hasLeft: outcome.hasLeft
    )
    pass.stage = reading.isWhole ? .all : .known
    try prepare(&pass)
    try plan(&pass, outcome: &outcome, interruption: interruption)
    if pass.deferredCount > 0 {
      // Records that nobody knows may be at the destination already: now all of it has to tell.
      let whole = try await readDestination(name, everything: true)
      hasStrange = hasStrange || whole.hasStrange
      pass.isWhole = true
      pass.stage = .deferred
      try prepare(&pass)
      try plan(&pass, outcome: &outcome, interruption: interruption)
    }
    if hasStrange {
      try match(&pass)
      try seeStrange(name)
    }
    if let mark = reading.mark, !pass.holdsMark { outcome.marks[name] = mark }
    if pass.isTroubled { outcome.isTroubled = true }
    outcome.hasLeft = pass.hasLeft
    outcome.queued.merge(pass.queued) { _, new in new }
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

  private func prepare(_ pass: inout EntityPass) throws(MigrationError) {
    let name = pass.entity
    (pass.isEmpty, pass.hasGone) = try checkpointing { () throws(CheckpointError) in
      (try !snapshot.hasAny(of: name), try snapshot.hasGone(of: name))
    }
    pass.isMatched = pass.isEmpty || pass.stage == .known
  }

  /// Finds out, once, which records of the account are which here, before that is asked of one that no
  /// run knows.
  func match(_ pass: inout EntityPass) throws(MigrationError) {
    guard !pass.isMatched else { return }
    pass.isMatched = true
    try setNaturalKeys(of: pass.entity)
    try matchSameContent(pass.entity)
  }

  /// Works out by what a person tells apart what was read.
  func setNaturalKeys(of entity: EntityName) throws(MigrationError) {
    let wire = desk.wires[entity]
    try checkpointing { () throws(CheckpointError) in
      try snapshot.setNaturalKeys(of: entity) { wire.naturalKey(ofRemote: $0) }
    }
  }

  private func plan(
    _ pass: inout EntityPass,
    outcome: inout PlanOutcome,
    interruption: Interruption
  ) throws(MigrationError) {
    var done = outcome.done
    let turns = desk.wires[pass.entity].turns
    for (number, turn) in turns.enumerated() {
      pass.turn = turns.count > 1 ? turn : nil
      pass.isLaterTurn = number > 0
      let isFirst = pass.stage != .deferred && number == 0
      try desk.wires.forEachRecord(of: pass.entity, in: package) {
        line,
        source throws(MigrationError) in
        if interruption.isWished { throw .interrupted }
        try checkpointing { () throws(CheckpointError) in try checkpoint.holdReading() }
        try plan(line, source, in: &pass)
        if pass.step.weight >= Self.stepSize { try flush(&pass.step) }
        guard isFirst else { return }
        done += 1
        if done.isMultiple(of: 1_000) {
          progress.report(.advanced(.plan, done: done, total: package.manifest.recordCount))
        }
      }
    }
    try checkpointing { () throws(CheckpointError) in try checkpoint.endReading() }
    outcome.done = done
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

  /// Reads what the account holds.
  ///
  /// The first run reads everything. A later one asks for what changed since the destination's
  /// own mark; where it cannot tell, for the first thousand records.
  private func readDestination(
    _ entity: EntityName,
    everything: Bool = false
  ) async throws(MigrationError) -> DestinationReading {
    let (knownCount, mark) = try checkpointing { () throws(CheckpointError) in
      (try checkpoint.recordCount(of: entity), try checkpoint.mark(of: entity))
    }
    if options.isOffline {
      // Nothing is known to have changed there; what no run brought there is taken to be absent.
      return DestinationReading(
        isWhole: knownCount == 0 || everything,
        hasStrange: false,
        mark: nil
      )
    }
    let isLater = knownCount > 0 && !options.refreshes && !everything
    let canTell = desk.destination.traits.canTellChangesSince[entity] == true
    let since = isLater && canTell ? mark : nil
    let isWhole = !isLater || (canTell && mark == nil)
    let strange = UnaccountedRecords(desk: desk, snapshot: snapshot)
    var isReadAgain = false
    var hasStrange = false
    let newMark = try await desk.forEachPage(
      of: entity,
      since: since,
      limit: isWhole || since != nil ? .max : 1_000
    ) { page throws(MigrationError) in
      // The mark had expired, and everything comes.
      if page.isFromTheStart { isReadAgain = true }
      if knownCount > 0, !hasStrange {
        let serverIDs = page.records.map(\.serverID)
        try checkpointing { () throws(CheckpointError) in try checkpoint.holdReading() }
        hasStrange = try !strange.unaccounted(among: serverIDs, of: entity).isEmpty
        try checkpointing { () throws(CheckpointError) in try checkpoint.endReading() }
      }
      try checkpointing { () throws(CheckpointError) in
        // Their natural keys are worked out when they are asked for.
        try snapshot.add(page.records.map { ($0, nil) }, of: entity)
        try snapshot.addGone(page.removed, of: entity)
        // Later, only what is no second copy of ours counts as seen; see ``seeStrange(_:)``.
        if knownCount == 0 {
          try checkpoint.addSeen(page.records.map(\.serverID), of: entity)
        }
      }
    }
    return DestinationReading(
      isWhole: isWhole || isReadAgain,
      hasStrange: hasStrange,
      mark: canTell ? newMark : nil
    )
  }
}

/// What reading one entity at the destination came to.
struct DestinationReading {
  /// Whether all that the account holds was read.
  let isWhole: Bool
  /// Whether a run had brought records there before, and something was read that none of them did and that
  /// was not there before them.
  let hasStrange: Bool
  /// The destination's own mark after the last page.
  let mark: String?
}

/// Runs `body` and wraps what the checkpoint throws.
func checkpointing<Value>(
  _ body: () throws(CheckpointError) -> Value
) throws(MigrationError) -> Value {
  do throws(CheckpointError) { return try body() } catch { throw .checkpoint(error) }
}
