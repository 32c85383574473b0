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
  let options: PlanOptions
  let clock: RunClock
  let progress: ProgressReporter

  private static let stepSize = 1_000

  /// Plans every entity, parents before children.
  func plan(interruption: Interruption) async throws(MigrationError) {
    progress.report(.stageBegan(.plan))
    let layout = PhaseLayout(profile: profile, takesMedia: desk.destination.traits.takesMedia)
    var done = 0
    for entity in profile.entities {
      try await plan(entity, layout: layout, done: &done, interruption: interruption)
    }
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.setStage(.executing, of: run, now: clock.wallSeconds())
    }
    progress.report(.stageEnded(.plan))
  }

  private func plan(
    _ entity: EntityProfile, layout: PhaseLayout, done: inout Int, interruption: Interruption
  ) async throws(MigrationError) {
    let name = entity.name
    let count = package.manifest.recordCount(of: name)
    if let bucket = entity.bucketWithoutSending(profile.api) {
      return try leaveOut(name, bucket: bucket, count: count)
    }
    var pass = EntityPass(
      entity: name, layout: layout,
      isWhole: try await readDestination(name, recordCount: count))
    pass.isEmpty = try checkpointing { () throws(CheckpointError) in
      try snapshot.counts(of: name).total == 0
    }
    if !pass.isEmpty { try matchSameContent(name) }
    var planned = done
    try package.forEachRecord(of: name) { line, source throws(MigrationError) in
      if interruption.isWished { throw .interrupted }
      try plan(line, source, in: &pass)
      planned += 1
      if pass.step.weight >= Self.stepSize { try flush(&pass.step) }
      if planned.isMultiple(of: 1_000) {
        progress.report(.advanced(.plan, done: planned, total: package.manifest.recordCount))
      }
    }
    done = planned
    for (member, count) in pass.homeless.sorted(by: { $0.key < $1.key }) {
      pass.step.findings.append(
        .homeless(name, without: member, count: count, isAccepted: profile.accepts(name, member)))
    }
    for (member, count) in pass.unplaced.sorted(by: { $0.key < $1.key }) {
      pass.step.findings.append(
        .unplaced(name, member: member, count: count, isAccepted: profile.accepts(name, member)))
    }
    try flush(&pass.step)
  }

  /// Counts records that the destination has no place for, or that are not the user's own.
  private func leaveOut(
    _ entity: EntityName, bucket: Bucket, count: Int
  ) throws(MigrationError) {
    guard count > 0 else { return }
    var step = PlanStep()
    step.tallies[entity, default: [:]][bucket, default: 0] += count
    if bucket == .unplaced {
      step.findings.append(
        .unplaced(entity, member: nil, count: count, isAccepted: profile.accepts(entity, nil)))
    }
    try flush(&step)
  }

  private func flush(_ step: inout PlanStep) throws(MigrationError) {
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
    _ entity: EntityName, recordCount: Int
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
    let newMark = try await desk.forEachPage(
      of: entity, since: since, limit: isWhole || since != nil ? .max : 1_000
    ) { records throws(MigrationError) in
      try checkpointing { () throws(CheckpointError) in
        try snapshot.add(
          records.map { ($0, wire.naturalKey(ofRemote: $0.body)) }, of: entity)
        try checkpoint.addSeen(records.map(\.serverID), of: entity)
      }
    }
    if let newMark {
      try checkpointing { () throws(CheckpointError) in
        try checkpoint.setMark(newMark, of: entity)
      }
    }
    return isWhole
  }

  /// Gives each record that is at the account with the very same content to its record here, so
  /// that a record of the same key and other content cannot take it.
  private func matchSameContent(_ entity: EntityName) throws(MigrationError) {
    let wire = desk.wires[entity]
    try package.forEachRecord(of: entity) { line, _ throws(MigrationError) in
      guard let key = wire.key(of: line) else { return }
      let same: String?
      if let serverID = try knownRecord(RecordID(entity: entity, key: key))?.serverID {
        same = serverID
      } else {
        same = try sameContent(as: line, key: key, of: entity)
      }
      guard let same else { return }
      try checkpointing { () throws(CheckpointError) in
        try snapshot.take(same, of: entity, for: key)
      }
    }
  }

  private func sameContent(
    as line: [UInt8], key: String, of entity: EntityName
  ) throws(MigrationError) -> String? {
    let wire = desk.wires[entity]
    let form: WireForm
    do throws(WireRefusal) {
      form = try wire.form(of: line, resolver: resolver)
    } catch {
      // It is refused, with its reason, when its own turn comes.
      return nil
    }
    return try candidates(for: form, line: line, key: key, of: entity)
      .first { wire.isSame(form.whole, asRemote: $0.body) }?.serverID
  }

  private func candidates(
    for form: WireForm, line: [UInt8], key: String, of entity: EntityName
  ) throws(MigrationError) -> [RemoteRecord] {
    if let serverID = desk.wires[entity].serverID(in: line) {
      // The app itself had kept where the record is.
      let record = try checkpointing { () throws(CheckpointError) in
        try snapshot.record(serverID, of: entity)
      }
      if let record { return [record] }
    }
    if case .id = desk.destination.traits.replay[entity] {
      let clientID = desk.wires.clientID(of: RecordID(entity: entity, key: key))
      let record = try checkpointing { () throws(CheckpointError) in
        try snapshot.record(clientID, of: entity)
      }
      return record.map { [$0] } ?? []
    }
    guard let natural = desk.wires[entity].naturalKey(of: form.create) else { return [] }
    return try checkpointing { () throws(CheckpointError) in
      try snapshot.candidates(naturalKey: natural, of: entity)
    }
  }

  private var resolver: WireResolver { WireResolver(checkpoint: checkpoint) }

  // MARK: - One record

  private func plan(
    _ line: [UInt8], _ source: RecordSource, in pass: inout EntityPass
  ) throws(MigrationError) {
    let wire = desk.wires[pass.entity]
    guard let key = wire.key(of: line) else {
      return pass.step.reject(
        pass.entity, key: nil, code: "record.key", reason: "it has no key")
    }
    let record = RecordID(entity: pass.entity, key: key)
    let plain: WireForm
    do throws(WireRefusal) {
      plain = try wire.form(of: line, resolver: .planning)
    } catch {
      return pass.step.reject(pass.entity, key: key, code: error.code, reason: error.reason)
    }
    let missing = wire.missingNeeds(in: line)
    guard missing.isEmpty else { return pass.leaveOut(missing) }
    for member in wire.unplaced(in: line) { pass.unplaced[member, default: 0] += 1 }
    let known = try knownRecord(record)
    let counterpart = try counterpart(of: record, line: line, known: known, in: pass)
    let decision = PlanDecision(
      known: known, wire: plain.digest, counterpart: counterpart,
      policy: options.conflictPolicy ?? wire.conflictPolicy)
    let drafts = DraftMaker(
      record: record, content: OperationKey.digest(of: line), form: plain, source: source,
      layout: pass.layout, generation: known?.generation ?? 0,
      origin: desk.destination.traits.origin)
    pass.step.add(drafts.make(decision), for: record)
    try addMedia(of: line, source: source, entity: pass.entity, in: &pass)
  }

  /// What the destination holds for a record, as far as it was read.
  private func counterpart(
    of record: RecordID, line: [UInt8], known: KnownRecord?, in pass: EntityPass
  ) throws(MigrationError) -> Counterpart {
    let absence: Counterpart = pass.isWhole || known?.serverID == nil ? .absent : .notAsked
    if pass.isEmpty { return absence }
    let wire = desk.wires[record.entity]
    let form: WireForm
    do throws(WireRefusal) {
      form = try wire.form(of: line, resolver: resolver)
    } catch {
      // A parent that is not at the destination yet: neither can the record be.
      return known?.serverID == nil ? .absent : .notAsked
    }
    guard let remote = try remote(for: record, form: form, line: line, known: known) else {
      return absence
    }
    return wire.isSame(form.whole, asRemote: remote.body)
      ? .same(serverID: remote.serverID, version: remote.version)
      : .different(serverID: remote.serverID, version: remote.version)
  }

  private func remote(
    for record: RecordID, form: WireForm, line: [UInt8], known: KnownRecord?
  ) throws(MigrationError) -> RemoteRecord? {
    if let serverID = known?.serverID {
      return try checkpointing { () throws(CheckpointError) in
        try snapshot.record(serverID, of: record.entity)
      }
    }
    let matched = try checkpointing { () throws(CheckpointError) in
      try snapshot.taken(by: record.key, of: record.entity)
    }
    if let matched { return matched }
    let remote = try candidates(for: form, line: line, key: record.key, of: record.entity).first
    if let remote {
      try checkpointing { () throws(CheckpointError) in
        try snapshot.take(remote.serverID, of: record.entity, for: record.key)
      }
    }
    return remote
  }

  private func addMedia(
    of line: [UInt8], source: RecordSource, entity: EntityName, in pass: inout EntityPass
  ) throws(MigrationError) {
    guard desk.destination.traits.takesMedia else { return }
    for file in desk.wires[entity].media(in: line) {
      let media = RecordID(entity: .media(file.rule.category), key: file.digest.description)
      let known = try knownRecord(media)
      guard known?.serverID == nil, let phase = pass.layout.mediaPhase(of: media.entity),
        !pass.step.operations.contains(where: { $0.record == media })
      else { continue }
      let isPlanned = try checkpointing { () throws(CheckpointError) in
        try checkpoint.hasOperation(on: media, in: run)
      }
      guard !isPlanned else { continue }
      pass.step.operations.append(
        OperationDraft(
          phase: phase, record: media, action: .upload, content: file.digest, wire: file.digest,
          key: OperationKey.key(
            destination: desk.destination.traits.origin, record: media, action: .upload,
            content: file.digest, generation: known?.generation ?? 0),
          source: source))
    }
  }

  private func knownRecord(_ record: RecordID) throws(MigrationError) -> KnownRecord? {
    try checkpointing { () throws(CheckpointError) in try checkpoint.known(record) }
  }
}

/// One entity, while it is being planned.
private struct EntityPass {
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

  init(entity: EntityName, layout: PhaseLayout, isWhole: Bool) {
    self.entity = entity
    self.layout = layout
    self.isWhole = isWhole
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
