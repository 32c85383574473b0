import Checkpoint
import ExportPackage
import JSONText
import Profiles
import Records
import TextCodecs
import UploadPlanning

/// What becomes of a decision once both sides were looked at.
struct SettledDecision {
  var decision: PlanDecision
  /// The fields in which the destination gets, or has, something else than the record says.
  var sent = JSONObject()
  var findings: [Finding] = []

  /// Whether a person decided a conflict for the destination's side.
  var isDecided: Bool { findings.contains { $0.code == Finding.decidedCode } }
}

/// Both sides of a record, as a merge needs them.
private struct BothSides {
  /// What both began with, as the package has it and as the destination does.
  let base: JSONObject
  let baseThere: JSONObject
  let here: WireStatement
  let remote: RemoteRecord?
  let there: JSONObject
}

extension UploadPlanner {
  /// Settles what the plain decision left open: who wins a conflict, and what is merged.
  func settle(
    _ decision: PlanDecision,
    _ record: LocalRecord,
    _ policy: ConflictPolicy
  ) throws(MigrationError) -> SettledDecision {
    switch decision {
    case .contested(let serverID, let version, let reason):
      let place = Contest(serverID: serverID, version: version, reason: reason)
      switch policy {
      case .newest: return try settleByDate(place, record)
      case .merge: return try settleByMerge(place, record, answer: nil)
      case .ask: return try settleByAsking(place, record)
      case .fail, .server, .local: return SettledDecision(decision: decision)
      }
    case .update where options.conflictPolicy == .local: return SettledDecision(decision: decision)
    case .unchanged where options.conflictPolicy == .local: return try takeBackYield(record)
    case .update(let serverID, let version):
      let hasMoved = try hasMoved(serverID, record)
      let place = Contest(
        serverID: serverID,
        // The version that was known last is that of something else.
        version: hasMoved ? nil : version,
        reason: "it was changed here and at the destination"
      )
      guard policy == .local || !hasMoved else {
        return try settle(place.contested(policy), record, policy)
      }
      var settled = try mergeOnto(place, record, else: decision, isUnmoved: true, answer: nil)
      if policy == .local { try leaveUnseen(of: record, &settled) }
      return settled
    case .delete(let serverID, let version) where policy != .local:
      let place = Contest(
        serverID: serverID,
        version: version,
        reason: Contest.deletedHere
      )
      guard try hasMoved(serverID, record) else { return SettledDecision(decision: decision) }
      return try settle(place.contested(policy), record, policy)
    case .trail(let serverID, _), .yield(let serverID, _, _):
      var settled = SettledDecision(decision: decision)
      settled.sent = try whatStands(serverID, record)
      return settled
    case .create, .adopt, .unchanged, .conflict, .delete, .leave:
      return SettledDecision(decision: decision)
    }
  }

  /// The base of a record, for the next run: what both sides say once this one has ended, whatever its policy.
  func image(
    of settled: SettledDecision,
    _ record: LocalRecord
  ) throws(MigrationError) -> RecordImage? {
    switch settled.decision {
    case .create, .adopt, .update, .trail: break
    case .yield:
      if record.claim.isDeleted { return nil }
    case .unchanged, .conflict, .contested, .delete, .leave: return nil
    }
    return RecordImage(
      record: record.id,
      content: record.content,
      wire: record.plain.digest,
      base: package.kept(JSONValue.object(try base(of: settled, record)).canonicalBytes),
      sent: settled.sent.isEmpty
        ? nil : package.kept(JSONValue.object(settled.sent).canonicalBytes)
    )
  }

  /// What a record says, and of what never changes what it said when it was made: no change brings that.
  private func base(
    of settled: SettledDecision,
    _ record: LocalRecord
  ) throws(MigrationError) -> JSONObject {
    let wire = desk.wires[record.id.entity]
    var said = wire.program.image(of: record.plain.whole)
    guard case .update = settled.decision, wire.hasLastingKey, let last = try base(of: record),
      let made = wire.object(last.base)
    else { return said }
    for name in wire.program.lastingKey { said[name] = made[name] ?? said[name] }
    return said
  }

  /// Sends after all what an earlier run left to the destination, where a person asks for it.
  ///
  /// What was merged was not left, and what the app calls synced is not its own change.
  private func takeBackYield(_ record: LocalRecord) throws(MigrationError) -> SettledDecision {
    let isMerged = desk.wires[record.id.entity].conflictPolicy == .merge
    guard !isMerged, record.claim.meaning != .synced, let serverID = record.known?.serverID,
      try base(of: record)?.sent != nil, let remote = try remote(serverID, of: record)
    else { return SettledDecision(decision: .unchanged) }
    return SettledDecision(decision: .update(serverID: serverID, version: remote.version))
  }

  // MARK: - By date

  func settleByDate(
    _ place: Contest,
    _ record: LocalRecord
  ) throws(MigrationError) -> SettledDecision {
    let wire = desk.wires[record.id.entity]
    if record.known?.serverID == nil, record.claim.isNeverSynced {
      return try yielding(place, record, "and the store says that it was never synced")
    }
    guard let dates = wire.program.api.conflict.newest,
      let remote = try remote(place.serverID, of: record),
      let here = record.read.text(of: dates.here).flatMap({ Timestamp.microseconds($0) }),
      let there = wire.object(remote.body)?.value(along: dates.there)?.text
        .flatMap({ Timestamp.microseconds($0) })
    else {
      return try yielding(place, record, "and nothing says which is newer")
    }
    if here >= there { return SettledDecision(decision: place.local(record.claim.isDeleted)) }
    return try yielding(place, record, "and the destination's is newer")
  }

  // MARK: - By merging

  func settleByMerge(
    _ place: Contest,
    _ record: LocalRecord,
    answer: ConflictRules.FieldRule?
  ) throws(MigrationError) -> SettledDecision {
    if record.claim.isDeleted {
      return try yielding(place, record, "and a deletion cannot be merged with a change")
    }
    guard try base(of: record) != nil else {
      return try yielding(place, record, "and nobody knows what both began with")
    }
    let fallback = place.yield(place.reason)
    return try mergeOnto(place, record, else: fallback, isUnmoved: false, answer: answer)
  }

  /// Brings a record together with what stands at the destination, where a base is known.
  private func mergeOnto(
    _ place: Contest,
    _ record: LocalRecord,
    else fallback: PlanDecision,
    isUnmoved: Bool,
    answer: ConflictRules.FieldRule?
  ) throws(MigrationError) -> SettledDecision {
    guard let sides = try bothSides(place.serverID, record) else {
      return SettledDecision(decision: fallback)
    }
    let wire = desk.wires[record.id.entity]
    let merge = wire.program.merge(
      MergeInput(
        base: sides.base,
        baseThere: sides.baseThere,
        plain: record.plain.update,
        here: sides.here.update,
        open: sides.here.open,
        there: sides.there,
        isUnmoved: isUnmoved,
        answer: answer
      )
    )
    if !merge.asked.isEmpty {
      let words = "\(place.reason), in \(merge.asked.joined(separator: ", "))"
      return try asking(place.with(reason: words), record, isField: true)
    }
    if !merge.waiting.isEmpty {
      let words = "and \(merge.waiting.joined(separator: ", ")) names what is only now made"
      return SettledDecision(decision: .conflict(reason: "\(place.reason), \(words)"))
    }
    var settled = SettledDecision(decision: place.local(false))
    settled.sent = merge.overrides
    settled.findings = merge.losses.map { .merged(record.id, $0) }
    if let remote = sides.remote,
      wire.isSame(sides.here.update.overridden(by: merge.overrides), asRemote: remote.body),
      try !isEmptiedUnseen(record, remote)
    {
      // Nothing of the record's is left to be sent.
      settled.decision = .adopt(serverID: place.serverID, version: place.version)
    }
    return settled
  }

  private func bothSides(
    _ serverID: String,
    _ record: LocalRecord
  ) throws(MigrationError) -> BothSides? {
    let wire = desk.wires[record.id.entity]
    guard let image = try base(of: record), let plain = wire.object(image.base) else { return nil }
    let (began, given) = try lookingUp { () throws(WireFault) in
      (try wire.began(image, resolver), try wire.given(image, of: record.known, resolver))
    }
    let remote = try remote(serverID, of: record)
    // Where the destination reported no change, it has what it was given last.
    var there = given.members
    if let remote {
      guard let row = wire.object(remote.body) else { return nil }
      // Where nobody changed the record, what a row of a list lacks is as it was given.
      if hasMoved(remote, from: image, record) { there = JSONObject() }
      for member in row.members { there[member.name] = member.value }
    }
    return BothSides(
      base: plain,
      baseThere: wire.begun(began, image, of: record.known, over: there),
      here: try statement(of: record),
      remote: remote,
      there: there
    )
  }

  private func base(of record: LocalRecord) throws(MigrationError) -> RecordImage? {
    try base(of: record.id, record.known)
  }

  func base(
    of record: RecordID,
    _ known: KnownRecord?
  ) throws(MigrationError) -> RecordImage? {
    guard let known, known.serverID != nil else { return nil }
    let image = try checkpointing { () throws(CheckpointError) in
      try checkpoint.image(of: record, wire: known.wire, content: known.content)
    }
    let plain = try packaging { () throws(PackageError) in try image?.opened(by: package) }
    return plain.map { desk.wires[record.entity].image($0, of: known) }
  }

  func yielding(
    _ place: Contest,
    _ record: LocalRecord,
    _ words: String
  ) throws(MigrationError) -> SettledDecision {
    var settled = SettledDecision(decision: place.yield("\(place.reason), \(words)"))
    settled.sent = try whatStands(place.serverID, record)
    return settled
  }
}

extension JSONValue {
  /// The value at the end of a path of members.
  fileprivate func value(along path: String) -> JSONValue? {
    var value: JSONValue? = self
    for name in path.split(separator: ".") { value = value?[String(name)] }
    return value
  }
}

extension JSONObject {
  fileprivate func value(along path: String) -> JSONValue? {
    JSONValue.object(self).value(along: path)
  }
}

extension Finding {
  /// A value that both sides had changed and that did not stand.
  fileprivate static func merged(_ record: RecordID, _ loss: WireMerge.Loss) -> Finding {
    Finding(
      code: "plan.merged",
      severity: .warning,
      entity: record.entity,
      record: record.key,
      cause: "both sides changed \(loss.member), and "
        + (loss.isHere
          ? "the destination's stands, as the profile says"
          : "the store's stands, as the profile says"),
      cure: loss.isHere
        ? "the store's value is kept in the package"
        : "the destination's value is kept in the checkpoint; `ferry rollback` puts it back"
    )
  }
}

extension RecordImage {
  /// The image in plain text, as a plan for this package may have kept it encrypted.
  func opened(by package: PackageReader) throws(PackageError) -> RecordImage {
    RecordImage(
      record: record,
      content: content,
      wire: wire,
      base: try package.opened(base),
      sent: try sent.map { value throws(PackageError) in try package.opened(value) }
    )
  }
}
