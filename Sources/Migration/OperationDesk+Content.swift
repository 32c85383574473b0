import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// What a change expects to find at the destination, and what it leaves there.

extension OperationDesk {
  // MARK: - What is expected

  /// Whether a record is what a change of it, or its deletion, expects to find.
  ///
  /// `brought` are the members that a change brings; `nil` for a deletion, which takes all away.
  func isAsExpected(
    _ operation: Operation,
    _ known: KnownRecord?,
    _ current: RemoteRecord,
    bringing brought: Set<String>?
  ) throws(WireRefusal) -> Bool {
    let version = operation.action == .complete ? known?.version : operation.version
    if let version, ContentMark.isOne(version) {
      guard let mark = ContentMark(version) else { return version == current.version }
      return try isAsSeen(mark, operation, known, current, bringing: brought)
    }
    guard isUnchanged(current, since: version) else { return false }
    guard operation.action != .complete,
      version.map({ !isTold($0, by: current, operation) }) ?? true,
      let given = try lastGiven(operation.record, known)
    else { return true }
    let wire = wires[operation.record.entity]
    return wire.holds(
      given,
      of: try heldMembers(of: operation),
      current.body,
      // What tells no version where one is known is a row of a list, unless one record can be read.
      isWhole: version == nil || wire.program.api.read != nil,
      bringing: brought
    )
  }

  /// Whether a version tells a change of somebody's: by what was read, or at the destination, which takes it
  /// along with the request.
  private func isTold(
    _ version: String,
    by current: RemoteRecord,
    _ operation: Operation
  ) -> Bool {
    if current.version != nil { return true }
    let api = wires[operation.record.entity].program.api
    if operation.action == .update, api.update?.version != nil { return true }
    let isHeader = operation.action == .delete ? api.delete?.ifMatch : api.update?.ifMatch
    return isHeader == true && !version.hasPrefix("W/")
  }

  func isUnchanged(_ current: RemoteRecord, since version: String?) -> Bool {
    guard let version, let now = current.version else { return true }
    return version == now
  }

  /// Whether a record is what the plan saw; what that did not see is not there either, or as it was given.
  private func isAsSeen(
    _ mark: ContentMark,
    _ operation: Operation,
    _ known: KnownRecord?,
    _ current: RemoteRecord,
    bringing brought: Set<String>?
  ) throws(WireRefusal) -> Bool {
    let wire = wires[operation.record.entity]
    guard let there = wire.object(current.body),
      wire.program.contentDigest(of: mark.names, in: there) == mark.digest
    else { return false }
    guard !mark.isAlone, let given = try lastGiven(operation.record, known) else { return true }
    let unseen = try heldMembers(of: operation).filter { name in
      !mark.names.contains(name) && there[name]?.isNull == false
    }
    return wire.holds(given, of: unseen, current.body, isWhole: true, bringing: brought)
  }

  /// What a record was given last, where the destination's content alone tells whether somebody changed it;
  /// `nil` where versions tell that, and where nobody knows.
  func lastGiven(
    _ record: RecordID,
    _ known: KnownRecord?
  ) throws(WireRefusal) -> GivenRecord? {
    wires.tellsVersions(of: record.entity) ? nil : try given(record, known)
  }

  /// What a record was given last; `nil` where nobody knows.
  func given(
    _ record: RecordID,
    _ known: KnownRecord?
  ) throws(WireRefusal) -> GivenRecord? {
    guard let known, known.serverID != nil, let image = try base(of: record, known) else {
      return nil
    }
    do throws(WireFault) {
      return try wires[record.entity].given(image, of: known, resolver)
    } catch {
      throw WireRefusal(error)
    }
  }

  /// What a record said when both sides last agreed, in plain text; `nil` where nothing was kept.
  func base(
    of record: RecordID,
    _ known: KnownRecord
  ) throws(WireRefusal) -> RecordImage? {
    let image = try ask { checkpoint throws(CheckpointError) in
      try checkpoint.image(of: record, wire: known.wire, content: known.content)
    }
    guard let image else { return nil }
    let plain = RecordImage(
      record: record,
      content: image.content,
      wire: image.wire,
      base: try opened(image.base),
      sent: try image.sent.map { sent throws(WireRefusal) in try opened(sent) }
    )
    return wires[record.entity].image(plain, of: known)
  }

  /// Whether a record is what stood there before an operation was begun: by its version where that is known
  /// both times, else by all that an update may bring.
  func isStill(
    _ before: [UInt8],
    _ operation: Operation,
    _ current: RemoteRecord,
    _ form: WireForm
  ) -> Bool {
    if before == current.body { return true }
    if let version = operation.remoteVersion, let now = current.version {
      return version == now
    }
    let wire = wires[operation.record.entity]
    guard let then = wire.object(before), let there = wire.object(current.body) else {
      return false
    }
    let names = form.update.map(\.name)
    return wire.program.contentDigest(of: names, in: then)
      == wire.program.contentDigest(of: names, in: there)
  }

  // MARK: - What is left

  /// The fields in which a change leaves, or brings, something else than its record says; `nil` for none.
  func overrides(of operation: Operation) throws(WireRefusal) -> JSONObject? {
    let image = try ask { checkpoint throws(CheckpointError) in
      try checkpoint.image(of: operation.record, content: operation.content)
    }
    let plain = try image?.sent.map { sent throws(WireRefusal) in try opened(sent) }
    return plain.flatMap { wires[operation.record.entity].object($0) }
  }

  /// The same, with what really stands in those that the plan found empty: a row of a list may lack what the
  /// record has, and nothing is emptied for it.
  func filled(
    _ sent: JSONObject,
    _ operation: Operation,
    over current: [UInt8]?
  ) throws(WireRefusal) -> JSONObject {
    let empty = sent.members.filter(\.value.isNull).map(\.name)
    guard !empty.isEmpty else { return sent }
    let standing: [UInt8]? = if let current { current } else { try before(of: operation) }
    guard let there = standing.flatMap({ wires[operation.record.entity].object($0) }) else {
      return sent
    }
    var filled = sent
    for name in empty { filled[name] = there[name] ?? .null }
    return filled
  }

  /// The members in which somebody's change is told: all that the operation does not leave to the
  /// destination unseen.
  private func heldMembers(of operation: Operation) throws(WireRefusal) -> [String] {
    let updated = wires[operation.record.entity].updated
    guard operation.action == .update, let sent = try overrides(of: operation) else {
      return updated
    }
    return updated.filter { sent[$0]?.isNull != true }
  }
}
