import Checkpoint
import DestinationModel
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

// Records that no run sent.

extension EntityComparison {
  /// What is at the destination in the place of a record that no run sent.
  enum Rival {
    case none
    case other
    /// A record of which it is not known that it says anything else.
    case unjudged
  }

  /// Counts a record that no run sent, unless another one that was left out keeps it from being sent.
  mutating func compareUnsent(
    _ id: RecordID,
    _ read: MappedRecord,
    into report: inout VerificationReport
  ) throws {
    if leavesParents, read.isBlocked(ReferenceResolver(checkpoint: reader.checkpoint)) {
      line.leftOutCount += 1
      return
    }
    line.unsentCount += 1
    report.add(.unsent(id, try takeRival(of: id, read)))
  }

  /// Takes what is at the destination in the place of a record that no run sent, or has its natural key.
  private mutating func takeRival(
    of id: RecordID,
    _ read: MappedRecord
  ) throws -> Rival {
    let form: RequestFieldSet?
    do throws(MappingError) {
      form = try read.form(ReferenceResolver(checkpoint: reader.checkpoint).leavingOpen())
    } catch {
      // What it names is not known there, so that nothing can be found by that.
      form = nil
    }
    guard let rival = try rival(of: id, read, form) else { return .none }
    try snapshot.take(rival.serverID, of: entity, for: id.key)
    guard let form else { return .unjudged }
    let triple = RecordTriple(
      base: nil,
      wanted: .record(wantedCopy(form, form, naming: [])),
      remote: remoteCopy(rival, isReadAlone: false)
    )
    switch triple.decide(.verify, rules, []) {
    case .conflict(.replaced): return .other
    case .conflict(.withoutBase(let names)): return names.isEmpty ? .unjudged : .other
    case .conflict, .create, .adopt, .unchanged, .update, .delete, .readFirst, .remoteNewer,
      .keptRemote, .skip, .ask:
      return .unjudged
    }
  }

  private mutating func rival(
    of record: RecordID,
    _ read: MappedRecord,
    _ form: RequestFieldSet?
  ) throws -> RemoteRecord? {
    var place = read.serverID
    if case .id = reader.traits.replay[entity] {
      place = place ?? reader.mappings.clientID(of: record)
    }
    let placed = try place.flatMap { place throws(CheckpointError) in
      try snapshot.record(place, of: entity)
    }
    if let placed { return placed }
    let mapping = reader.mappings[entity]
    guard let form, let natural = mapping.naturalKey(of: form.create) else { return nil }
    let isFirst = !hasNaturalKeys
    hasNaturalKeys = true
    if isFirst {
      try snapshot.setNaturalKeys(of: entity) { mapping.naturalKey(ofRemote: $0) }
    }
    // One that is known is that of another record, whose turn may come.
    for candidate in try snapshot.candidates(naturalKey: natural, of: entity) {
      if try !reader.checkpoint.holds(candidate.serverID, of: entity) { return candidate }
    }
    return nil
  }
}
