import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// What both sides last agreed on about a record, and what a change leaves there.

extension OperationDesk {
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
