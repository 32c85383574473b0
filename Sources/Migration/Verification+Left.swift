import Checkpoint
import JSONText
import Profiles
import Records
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
