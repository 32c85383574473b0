package import Checkpoint
import DestinationModel
import ExportPackage
package import JSONText
package import Records
package import RequestMapping
package import UploadPlanning
package import ScratchFiles

// What the checkpoint remembers of a record, and where the records are that others name.

extension SyncReader {
  /// Asks the checkpoint for what a request, or a reading, depends on; what it does not state just
  /// now, it may state later.
  package func ask<Value>(
    _ question: (CheckpointFile) throws(CheckpointError) -> Value
  ) throws(MappingError) -> Value {
    do throws(CheckpointError) { return try question(checkpoint) } catch {
      throw MappingError(MappingFault.unanswered(reason: error.description))
    }
  }

  /// What a record was given last; `nil` if it is unknown.
  package func given(
    _ record: RecordID,
    _ known: SyncState?
  ) throws(MappingError) -> GivenRecord? {
    guard let known, known.serverID != nil, let image = try base(of: record, known) else {
      return nil
    }
    do throws(MappingFault) {
      return try mappings[record.entity].given(image, of: known, resolver)
    } catch {
      throw MappingError(error)
    }
  }

  /// What a record said when both sides last agreed, in plain text; `nil` where nothing was kept.
  package func base(
    of record: RecordID,
    _ known: SyncState
  ) throws(MappingError) -> RecordImage? {
    let image = try ask { checkpoint throws(CheckpointError) in
      try checkpoint.image(of: record, requestDigest: known.requestDigest, content: known.content)
    }
    guard let image else { return nil }
    let plain = RecordImage(
      record: record,
      content: image.content,
      requestDigest: image.requestDigest,
      base: try opened(image.base),
      sent: try image.sent.map { sent throws(MappingError) in try opened(sent) }
    )
    return mappings[record.entity].image(plain, of: known)
  }

  /// What the destination held before an operation, as it was kept for it.
  package func before(of operation: Operation) throws(MappingError) -> [UInt8]? {
    guard let before = operation.before else { return nil }
    return try opened(before)
  }

  func opened(_ kept: [UInt8]) throws(MappingError) -> [UInt8] {
    do throws(PackageError) { return try values.opened(kept) } catch {
      throw MappingError(code: "checkpoint.sealed", reason: error.description)
    }
  }

  /// A value as the checkpoint keeps it; its long texts are kept before this returns.
  package func kept(_ value: [UInt8]) throws(MappingError) -> [UInt8] {
    do throws(KeepingFault) { return try values.kept(value) } catch {
      throw MappingError(MappingFault.unanswered(reason: error.description))
    }
  }

  package var values: CheckpointValues {
    CheckpointValues(checkpoint: checkpoint, package: package, texts: texts)
  }

  /// The fields in which a change leaves, or brings, something else than its record says; `nil` for none.
  package func overrides(of operation: Operation) throws(MappingError) -> JSONObject? {
    let image = try ask { checkpoint throws(CheckpointError) in
      try checkpoint.image(of: operation.record, content: operation.content)
    }
    let plain = try image?.sent.map { sent throws(MappingError) in try opened(sent) }
    return plain.flatMap { mappings[operation.record.entity].object($0) }
  }

  /// The same, with what really is in those that the plan found empty: a row of a list may lack what the
  /// record has, and nothing is cleared for it.
  func filled(
    _ sent: JSONObject,
    _ operation: Operation,
    over current: [UInt8]?
  ) throws(MappingError) -> JSONObject {
    let empty = sent.members.filter(\.value.isNull).map(\.name)
    guard !empty.isEmpty else { return sent }
    let existing: [UInt8]? = if let current { current } else { try before(of: operation) }
    guard let there = existing.flatMap({ mappings[operation.record.entity].object($0) }) else {
      return sent
    }
    var filled = sent
    for name in empty { filled[name] = there[name] ?? .null }
    return filled
  }

  package func isMade(_ record: RecordID, inRunOf number: Int64) throws(MappingError) -> Bool {
    try ask { checkpoint throws(CheckpointError) in
      try checkpoint.isCreated(record, inRunOf: number)
    }
  }

  /// What an operation puts back of the content there before: where its run made the record, that is
  /// removed next, and only must not name others any more.
  package func restoration(of operation: Operation) throws(MappingError)
    -> EntityMapping.Restoration
  {
    guard let undone = operation.undoes else { return .whole }
    return try isMade(operation.record, inRunOf: undone) ? .links : .whole
  }

  package var resolver: ReferenceResolver {
    namingDeleted(ReferenceResolver(checkpoint: checkpoint, isExecuting: true))
  }

  /// The same answers, and of what a run removed the place that it had: an undo compares what a run sent, and sends
  /// none of it.
  func namingRemoved(_ known: ReferenceResolver) -> ReferenceResolver {
    ReferenceResolver(
      reference: { entity, key throws(MappingFault) in
        if let serverID = try known.reference(entity, key) { return serverID }
        do throws(CheckpointError) {
          return try checkpoint.placeOfRemoved(RecordID(entity: entity, key: key))
        } catch {
          throw .unanswered(reason: error.description)
        }
      },
      media: known.media
    )
  }

  /// The same answers, and of what was deleted the place that it had, where identities are chosen here: what
  /// names it goes on doing so, as the notes of a notebook that was deleted alone.
  ///
  /// The checkpoint has what a run deleted. Of all else the destination may have said that it is
  /// gone, which `snapshot` says where something is only compared: what is still to be made may be
  /// among it, and no request names that before it is there.
  package func namingDeleted(
    _ known: ReferenceResolver,
    _ snapshot: DestinationSnapshot? = nil
  ) -> ReferenceResolver {
    ReferenceResolver(
      reference: { entity, key throws(MappingFault) in
        if let serverID = try known.reference(entity, key) { return serverID }
        guard case .id = traits.replay[entity] else { return nil }
        let record = RecordID(entity: entity, key: key)
        do throws(CheckpointError) {
          if let place = try checkpoint.placeOfDeleted(record) { return place }
          let place = mappings.clientID(of: record)
          return try snapshot?.isGone(place, of: entity) == true ? place : nil
        } catch {
          throw .unanswered(reason: error.description)
        }
      },
      media: known.media
    )
  }
}
