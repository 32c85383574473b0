import Backends
import Checkpoint
import ExportPackage
import Records
import UploadPlanning

extension UploadSession {
  func unfinishedRun() throws(MigrationError) -> RunRecord? {
    try checkpointing { () throws(CheckpointError) in try checkpoint.unfinishedRun() }
  }

  /// Goes on with an unfinished run, or clears it out of the way and gives `nil`.
  ///
  /// | unfinished run | package | what is done |
  /// |---|---|---|
  /// | still being planned | any | its plan is dropped |
  /// | an upload | the same, and the same choices | it is gone on with |
  /// | an upload | another, or other choices | it is given up |
  /// | an upload | any, and somebody else has made what it was still to make | it is given up |
  /// | a rollback | any | refused: it has to come to its end first |
  ///
  /// Of a run that is given up, what it sent without an answer is looked up first, and what it
  /// confirmed stands.
  func continued(
    _ run: RunRecord,
    _ package: PackageReader,
    _ findings: FindingCollector,
    _ interruption: Interruption
  ) async throws(MigrationError) -> RunRecord? {
    if run.stage == .planning {
      try checkpointing { () throws(CheckpointError) in try checkpoint.discardPlan(of: run) }
      return nil
    }
    guard run.kind == .upload else { throw .rollbackUnfinished(run.undoes ?? run.id) }
    let choice = try checkpointing { () throws(CheckpointError) in try checkpoint.choice(of: run) }
    if run.package == package.digest.description, choice == options.plan.text {
      guard try await isOvertaken(run) else { return run }
      findings.add(.overtaken(run.id))
    }
    try await settle(run, interruption: interruption)
    return nil
  }

  /// Finds out what became of requests without an answer, and gives up what was only planned.
  func settle(_ run: RunRecord, interruption: Interruption) async throws(MigrationError) {
    let isUnsettled = try checkpointing { () throws(CheckpointError) in
      try checkpoint.doubtFiles(of: run)
      return try checkpoint.hasUnsettled(run)
    }
    if isUnsettled {
      let conclusion = try await drive(run, settlesOnly: true, interruption: interruption)
      guard conclusion == .done else { throw .unsettled(run.id, conclusion) }
    }
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.abandon(run, now: clock.wallSeconds())
    }
  }

  // MARK: - What another device brought in between

  /// Whether the destination has records that a run is still to make, and that are not its own.
  ///
  /// Where the destination gives each record an identity of its own and refuses none, they would be
  /// made twice. Another device of the same person brings such records while a run is interrupted.
  private func isOvertaken(_ run: RunRecord) async throws(MigrationError) -> Bool {
    guard !options.plan.isOffline else { return false }
    let desk = try desk(findings: FindingCollector())
    let snapshot = try snapshot()
    let layout = PhaseLayout(profile: profile, takesMedia: destination.traits.takesMedia)
    for (number, phase) in layout.phases.enumerated() where phase.kind == .send {
      // A record that names its own place cannot be made twice.
      if case .id = destination.traits.replay[phase.entity] { continue }
      guard desk.wires[phase.entity].hasNaturalKey, try hasCreates(run, phase: number) else {
        continue
      }
      guard try await readUnaccounted(of: phase.entity, desk: desk, into: snapshot) else {
        continue
      }
      // What was sent without an answer has the first claim to what is there.
      for isPlanned in [false, true] {
        if try isOvertaken(run, phase: number, isPlanned: isPlanned, desk: desk, by: snapshot) {
          return true
        }
      }
    }
    return false
  }

  private func hasCreates(_ run: RunRecord, phase: Int) throws(MigrationError) -> Bool {
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.hasUnsettled(.create, of: run, phase: phase)
    }
  }

  /// Reads what came to the account since the run was planned; gives whether any of it is neither the
  /// run's own nor was there before.
  private func readUnaccounted(
    of entity: EntityName,
    desk: OperationDesk,
    into snapshot: DestinationSnapshot
  ) async throws(MigrationError) -> Bool {
    let wire = desk.wires[entity]
    let canTell = destination.traits.canTellChangesSince[entity] == true
    let mark = try checkpointing { () throws(CheckpointError) in try checkpoint.mark(of: entity) }
    var isAny = false
    try await desk.forEachPage(of: entity, since: canTell ? mark : nil) {
      page throws(MigrationError) in
      try checkpointing { () throws(CheckpointError) in
        var strange: [RemoteRecord] = []
        for record in page.records
        where try !checkpoint.isAccountedFor(record.serverID, of: entity) {
          strange.append(record)
        }
        isAny = isAny || !strange.isEmpty
        try snapshot.add(strange.map { ($0, wire.naturalKey(ofRemote: $0.body)) }, of: entity)
      }
    }
    return isAny
  }

  /// Holds the records that a run is still to make, or those that it sent without an answer, against
  /// what came to the account.
  private func isOvertaken(
    _ run: RunRecord,
    phase: Int,
    isPlanned: Bool,
    desk: OperationDesk,
    by snapshot: DestinationSnapshot
  ) throws(MigrationError) -> Bool {
    var last: Int64 = 0
    while true {
      let after = last
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.operations(of: run, phase: phase, after: after, limit: 1_000)
      }
      guard let end = page.last else { return false }
      last = end.number
      for operation in page
      where operation.action == .create && (operation.state == .planned) == isPlanned {
        if try isOvertaken(operation, desk: desk, by: snapshot) { return true }
      }
    }
  }

  private func isOvertaken(
    _ operation: Operation,
    desk: OperationDesk,
    by snapshot: DestinationSnapshot
  ) throws(MigrationError) -> Bool {
    let entity = operation.record.entity
    let wire = desk.wires[entity]
    let form: WireForm
    do throws(WireRefusal) {
      form = try desk.form(of: operation)
    } catch {
      // Its parent is not at the destination as far as anybody knows, so neither is it.
      return false
    }
    guard let key = wire.naturalKey(of: form.create) else { return false }
    let found = try checkpointing { () throws(CheckpointError) in
      try snapshot.candidates(naturalKey: key, of: entity)
    }
    guard operation.state != .planned else { return !found.isEmpty }
    guard let own = found.first(where: { wire.isSame(form.create, asRemote: $0.body) }) else {
      return !found.isEmpty
    }
    try checkpointing { () throws(CheckpointError) in
      try snapshot.take(own.serverID, of: entity, for: operation.record.key)
    }
    return false
  }
}

extension Finding {
  /// A run that was interrupted, and that somebody else got ahead of.
  fileprivate static func overtaken(_ run: String) -> Finding {
    Finding(
      code: "plan.overtaken",
      severity: .note,
      cause:
        "after run \(run) was interrupted, somebody else made records that it was still to make",
      cure:
        "nothing has to be done: what was left of it is planned anew, in this run; to take all of "
        + "it back, roll this run back, and then \(run)"
    )
  }
}
