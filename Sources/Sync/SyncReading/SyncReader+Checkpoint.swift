package import Checkpoint
import DestinationModel
import ExportPackage
package import JSONText
package import Records
package import RequestMapping
package import UploadPlanning

// What the checkpoint remembers of a record, and where the records are that others name.

extension SyncReader {
  /// Asks the checkpoint for what a request, or a reading, depends on; what it does not tell just now, it may
  /// tell later.
  package func ask<Value>(
    _ question: (CheckpointFile) throws(CheckpointError) -> Value
  ) throws(WireRefusal) -> Value {
    do throws(CheckpointError) { return try question(checkpoint) } catch {
      throw WireRefusal(WireFault.unanswered(reason: error.description))
    }
  }

  /// What a record was given last; `nil` where nobody knows.
  package func given(
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
  package func base(
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

  /// What the destination held before an operation, as it was kept for it.
  package func before(of operation: Operation) throws(WireRefusal) -> [UInt8]? {
    guard let before = operation.before else { return nil }
    return try opened(before)
  }

  func opened(_ value: [UInt8]) throws(WireRefusal) -> [UInt8] {
    guard let package else { return value }
    do throws(PackageError) { return try package.opened(value) } catch {
      throw WireRefusal(code: "checkpoint.sealed", reason: error.description)
    }
  }

  /// The fields in which a change leaves, or brings, something else than its record says; `nil` for none.
  package func overrides(of operation: Operation) throws(WireRefusal) -> JSONObject? {
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

  package func isMade(_ record: RecordID, inRunOf number: Int64) throws(WireRefusal) -> Bool {
    try ask { checkpoint throws(CheckpointError) in
      try checkpoint.isCreated(record, inRunOf: number)
    }
  }

  /// What an operation puts back of what stood there before: where its run made the record, that is
  /// taken away next, and only must not name others any more.
  package func restoration(of operation: Operation) throws(WireRefusal) -> EntityWire.Restoration {
    guard let undone = operation.undoes else { return .whole }
    return try isMade(operation.record, inRunOf: undone) ? .links : .whole
  }

  package var resolver: WireResolver {
    namingDeleted(WireResolver(checkpoint: checkpoint, isExecuting: true))
  }

  /// The same answers, and of what was deleted the place that it had, where identities are chosen here: what
  /// names it goes on doing so, as the notes of a notebook that was deleted alone.
  ///
  /// What a run deleted the checkpoint tells. Of all else the destination may have said that it is gone, which
  /// `snapshot` tells where something is only compared: what is still to be made may be among it, and no
  /// request names that before it is there.
  package func namingDeleted(
    _ known: WireResolver,
    _ snapshot: DestinationSnapshot? = nil
  ) -> WireResolver {
    WireResolver(
      reference: { entity, key throws(WireFault) in
        if let serverID = try known.reference(entity, key) { return serverID }
        guard case .id = destination.traits.replay[entity] else { return nil }
        let record = RecordID(entity: entity, key: key)
        do throws(CheckpointError) {
          if let place = try checkpoint.placeOfDeleted(record) { return place }
          let place = wires.clientID(of: record)
          return try snapshot?.isGone(place, of: entity) == true ? place : nil
        } catch {
          throw .unanswered(reason: error.description)
        }
      },
      media: known.media
    )
  }
}
