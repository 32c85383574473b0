import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// What a change expects to find at the destination, and what it leaves there.

extension OperationDesk {
  // MARK: - What is expected

  func isUnchanged(_ current: RemoteRecord, since version: String?) -> Bool {
    guard let version, let now = current.version else { return true }
    return version == now
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
}
