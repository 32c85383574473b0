import Checkpoint
import DestinationModel
import ExportPackage
import JSONText
import Profiles
import Records
import UploadPlanning

// Members that were emptied here, or changed, where no record can be read alone: the row of a list, which lacks
// them, is all that there is.

extension OperationDesk {
  /// The members that a change empties although the row that it was made on lacks them, as what was given
  /// last held something there.
  ///
  /// Where nothing was kept of that, each may have held something, unless a queued change does not speak of
  /// it. What is left as it stands is not emptied.
  func emptiedUnseen(
    _ operation: Operation,
    _ form: WireForm,
    in row: [UInt8]
  ) throws(WireRefusal) -> Set<String> {
    let wire = wires[operation.record.entity]
    guard isUpdatedByRow(operation) else { return [] }
    let empty = wire.emptyUnseen(form, in: row)
    guard !empty.isEmpty, let known = try lastKnown(operation.record) else { return [] }
    let left = try overrides(of: operation) ?? JSONObject()
    let emptied = empty.filter { left[$0] == nil }
    guard let image = try base(of: operation.record, known) else {
      let unqueued = try record(of: operation).get().unqueuedMembers
      return Set(emptied).subtracting(unqueued)
    }
    return Set(emptied.filter { wire.isAnyFilled([$0], in: image.base) })
  }

  /// Whether a change still has to empty what the row lacks, which looks as it is wanted already.
  ///
  /// Whether one that may have been sent has emptied it, no row shows. On a record that is as it stood before
  /// it is sent again, which an answer ends; another one is taken for what it made.
  func isToEmpty(
    _ operation: Operation,
    _ form: WireForm,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Bool {
    guard try !emptiedUnseen(operation, form, in: current.body).isEmpty else { return false }
    guard let before = try before(of: operation) else { return true }
    return isStill(before, operation, current, form)
  }

  // MARK: - What was there

  /// The reading of a record that stands as a change expects it, where the row is kept with what it lacks of
  /// that; `nil` where it is kept alone.
  func keepingUnseen(
    _ operation: Operation,
    _ form: WireForm,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Reading? {
    let unseen = try unseen(operation, form, current)
    guard !unseen.isEmpty else { return nil }
    return .ready(
      before: kept(unseen.kept(with: current.body)),
      version: operation.expecting(current.version)
    )
  }

  func kept(_ value: [UInt8]) -> [UInt8] { package.map { $0.kept(value) } ?? value }

  /// What a change changes although the row that it is made on lacks it.
  ///
  /// Where the row has another version than was left there, what it lacks may be another one too.
  private func unseen(
    _ operation: Operation,
    _ form: WireForm,
    _ row: RemoteRecord
  ) throws(WireRefusal) -> UnseenMembers {
    var unseen = UnseenMembers()
    let brought = try broughtUnseen(operation, form, in: row.body)
    guard !brought.isEmpty else { return unseen }
    let known = try lastKnown(operation.record)
    guard row.version == nil || row.version == known?.version,
      let given = try given(operation.record, known)
    else {
      for name in brought { unseen.note(nil, of: name) }
      return unseen
    }
    let last = JSONValue.object(given.members).canonicalBytes
    let changed = Set(
      try wires[operation.record.entity].changes(from: last, to: form.update).map(\.name)
    )
    for name in brought {
      let value = try told(name, of: operation.record, by: given)
      if value == nil || changed.contains(name) { unseen.note(value, of: name) }
    }
    return unseen
  }

  /// What a member that a row lacks was given last; `nil` where nobody knows.
  ///
  /// Of a record that was found at the destination, what is empty was only taken to be so.
  private func told(
    _ name: String,
    of record: RecordID,
    by given: GivenRecord
  ) throws(WireRefusal) -> JSONValue? {
    guard !given.unknown.contains(name), given.emptied[name] == nil,
      let value = given.members[name]
    else { return nil }
    let isEmpty = wires[record.entity].program.api.agree(value, .null, of: name)
    if isEmpty, try !isMadeByRun(record) { return nil }
    return value
  }

  private func isMadeByRun(_ record: RecordID) throws(WireRefusal) -> Bool {
    try ask { checkpoint throws(CheckpointError) in try checkpoint.isMadeByRun(record) }
  }

  /// The members that a change brings although the row that it is made on lacks them.
  private func broughtUnseen(
    _ operation: Operation,
    _ form: WireForm,
    in row: [UInt8]
  ) throws(WireRefusal) -> [String] {
    let wire = wires[operation.record.entity]
    guard isUpdatedByRow(operation), let there = wire.object(row) else { return [] }
    let changed = try wire.changes(from: row, to: form.update).map(\.name)
    let brought = Set(changed).union(try emptiedUnseen(operation, form, in: row))
    return brought.filter { there[$0] == nil }.sorted()
  }

  /// Whether an operation changes a record of which nothing but the row of a list is shown.
  private func isUpdatedByRow(_ operation: Operation) -> Bool {
    operation.action == .update && !destination.traits.batchesChanges
      && wires[operation.record.entity].program.api.read == nil
  }

  /// Why nobody can tell whether a change arrived whose answer was lost: the row has no version, and lacks all
  /// that the change brings; `nil` where it tells.
  func reasonForDoubt(
    _ operation: Operation,
    _ form: WireForm,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> String? {
    guard current.version == nil || operation.remoteVersion == nil else { return nil }
    let unseen = try broughtUnseen(operation, form, in: current.body)
    let wire = wires[operation.record.entity]
    let changed = try wire.changes(from: current.body, to: form.update).map(\.name)
    guard !unseen.isEmpty, changed.allSatisfy({ unseen.contains($0) }) else { return nil }
    return doubt(leavingOut: unseen)
  }

  func doubt(leavingOut names: [String]) -> String {
    "nobody can tell whether it arrived, as the destination's list leaves out "
      + names.joined(separator: ", ")
  }

  // MARK: - What is put back

  /// What an operation puts back in members that the row of its record lacks.
  func unseen(
    of operation: Operation,
    in row: [UInt8]
  ) throws(WireRefusal) -> UnseenMembers {
    let wire = wires[operation.record.entity]
    guard let before = operation.before, let there = wire.object(row),
      try restoration(of: operation) == .whole
    else { return UnseenMembers() }
    return UnseenMembers(keptWith: try opened(before), wire).lacking(in: there)
  }

  /// Why members that a row lacks are not put back; `nil` where they can be, or there are none.
  func reasonToLeave(
    _ unseen: UnseenMembers,
    _ known: KnownRecord?,
    _ current: RemoteRecord
  ) -> String? {
    guard !unseen.isEmpty else { return nil }
    let isKnown = unseen.unknown.isEmpty
    guard !isKnown || known?.version == nil || current.version == nil else { return nil }
    let names = (isKnown ? unseen.names : unseen.unknown).joined(separator: ", ")
    return (isKnown ? "nobody can tell whether it was changed since" : "nobody knows what it was")
      + ", as the destination's list leaves out \(names)"
  }

  /// What is known of a record that a run brought there.
  private func lastKnown(_ record: RecordID) throws(WireRefusal) -> KnownRecord? {
    let known = try ask { checkpoint throws(CheckpointError) in try checkpoint.known(record) }
    return known?.serverID == nil ? nil : known
  }
}
