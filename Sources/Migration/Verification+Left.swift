import Checkpoint
import DestinationModel
import JSONText
import Profiles
import Records
import StageSupport
import UploadPlanning

// Records whose place at the destination is not simply what the package says.

extension EntityComparison {
  /// Whether a record names another that is not at the destination.
  func hangsOnNothing(_ read: WireRecord) -> Bool {
    do throws(WireRefusal) {
      _ = try read.form(WireResolver(checkpoint: checkpoint))
      return false
    } catch {
      return error.code == "wire.missing-reference"
    }
  }

  /// Whether a record is as a conflict left it at the destination, which is counted and reported then.
  mutating func isOfConflict(
    _ record: RecordID,
    into report: inout VerificationReport
  ) throws(MigrationError) -> Bool {
    guard let outcome = try outcome(of: record), outcome.keptRemote || outcome.isDecided else {
      return false
    }
    line.conflictedCount += 1
    let isNew = outcome.keptRemote && outcome.isOfLastUpload
    if isNew { report.hasNewConflicts = true }
    report.add(.conflicted(record, isNew: isNew))
    return true
  }

  private func outcome(of record: RecordID) throws(MigrationError) -> ConflictOutcome? {
    try checkpointing { () throws(CheckpointError) in try checkpoint.conflictOutcome(of: record) }
  }

  /// Takes what stands at the destination in the place of a record that no run sent, or is told by the same as
  /// it; gives whether there is such.
  mutating func takeRival(
    of record: RecordID,
    _ read: WireRecord
  ) throws(MigrationError) -> Bool {
    guard let rival = try rival(of: record, read) else { return false }
    try checkpointing { () throws(CheckpointError) in
      try snapshot.take(rival.serverID, of: entity, for: record.key)
    }
    return true
  }

  private mutating func rival(
    of record: RecordID,
    _ read: WireRecord
  ) throws(MigrationError) -> RemoteRecord? {
    var place = read.serverID
    if case .id = desk.destination.traits.replay[entity] {
      place = place ?? desk.wires.clientID(of: record)
    }
    let placed = try checkpointing { () throws(CheckpointError) in
      try place.flatMap { place throws(CheckpointError) in try snapshot.record(place, of: entity) }
    }
    if let placed { return placed }
    let wire = desk.wires[entity]
    let form: WireForm
    do throws(WireRefusal) {
      form = try read.form(WireResolver(checkpoint: checkpoint).leavingOpen)
    } catch {
      // What it names is not known there, so that nothing can be found by that.
      return nil
    }
    guard let natural = wire.naturalKey(of: form.create) else { return nil }
    let isFirst = !hasNaturalKeys
    hasNaturalKeys = true
    return try checkpointing { () throws(CheckpointError) in
      if isFirst {
        try snapshot.setNaturalKeys(of: entity) { wire.naturalKey(ofRemote: $0) }
      }
      // One that is known is that of another record, whose turn may come.
      for candidate in try snapshot.candidates(naturalKey: natural, of: entity) {
        if try !checkpoint.holds(candidate.serverID, of: entity) { return candidate }
      }
      return nil
    }
  }

  /// A record that the user deleted must be gone.
  mutating func compareDeleted(
    _ record: RecordID,
    _ known: KnownRecord?,
    _ claim: SourceClaim,
    into report: inout VerificationReport
  ) throws(MigrationError) {
    let serverID = known == nil ? claim.serverID : known?.serverID
    let isThere = try checkpointing { () throws(CheckpointError) in
      guard let serverID, try snapshot.record(serverID, of: entity) != nil else { return false }
      try snapshot.take(serverID, of: entity, for: record.key)
      return true
    }
    guard isThere else {
      line.leftOutCount += 1
      return
    }
    if let outcome = try outcome(of: record), outcome.isDecided, outcome.isOfLastUpload {
      line.conflictedCount += 1
      report.add(.conflicted(record, isNew: false))
      return
    }
    line.differentCount += 1
    report.add(
      .verification(
        record,
        "verify.kept",
        "it was deleted here and is still at the destination",
        "see who changed it there; `ferry upload` with --on-conflict local deletes it"
      )
    )
  }

  /// The members that were emptied here and never there, as far as anybody knows, although a row of a list,
  /// which lacks them, looks the same.
  func emptied(
    _ record: RecordID,
    _ read: WireRecord,
    _ known: KnownRecord?,
    _ remote: RemoteRecord
  ) throws(WireRefusal) -> [String] {
    guard let known, read.claim.meaning != .synced else { return [] }
    let plain = try read.form(.planning)
    guard known.wire != plain.digest, known.wire != plain.createDigest,
      let image = try desk.base(of: record, known)
    else { return [] }
    let wire = desk.wires[entity]
    return wire.emptyUnseen(plain, in: remote.body).filter { name in
      wire.isAnyFilled([name], in: image.base)
    }
  }

  /// The members in which the destination is neither as it was left nor as the record says.
  func differing(
    _ remote: RemoteRecord,
    _ form: WireForm,
    _ left: JSONObject
  ) throws(WireRefusal) -> [String] {
    let wire = desk.wires[entity]
    let seen = try wire.changes(from: remote.body, to: form.overridden(by: left).whole)
    let names = seen.map(\.name)
    guard !names.isEmpty, !left.isEmpty else { return names }
    // Somebody may have brought there since what the store says.
    let own = try wire.changes(from: remote.body, to: form.whole)
    return names.filter(Set(own.map(\.name)).contains)
  }

  /// The fields in which the destination was given, or keeps, something else than the record says.
  func sent(
    _ record: RecordID,
    _ read: WireRecord,
    _ known: KnownRecord?
  ) throws(WireRefusal) -> JSONObject {
    guard let known else { return JSONObject() }
    let image: RecordImage?
    do throws(CheckpointError) {
      if !takesLeft, try checkpoint.isLeftByLastRun(record) { return JSONObject() }
      image = try checkpoint.image(of: record, wire: known.wire, content: known.content)
    } catch {
      throw WireRefusal(code: "checkpoint.unreadable", reason: error.description)
    }
    guard let image, let sent = image.sent, image.content == known.content,
      try read.form(.planning).digest == known.wire
    else { return JSONObject() }
    return desk.wires[entity].object(try desk.opened(sent)) ?? JSONObject()
  }
}

extension Finding {
  /// A record that is at the destination as a conflict left it.
  fileprivate static func conflicted(_ record: RecordID, isNew: Bool) -> Finding {
    Finding(
      code: "verify.conflicted",
      severity: isNew ? .warning : .note,
      entity: record.entity,
      record: record.key,
      cause: isNew
        ? "it differs, as the last run settled a conflict in favour of the destination"
        : "it differs, as a conflict was settled in favour of the destination before",
      cure: "`ferry upload` with --full and --on-conflict local sends the store's own"
    )
  }
}
