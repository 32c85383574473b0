import Checkpoint
import DestinationModel
import JSONText
import Records
import RequestMapping
import Retrying
import SyncReading
import UploadPlanning

extension UploadPlanner {
  /// Counts a record that cannot be made or changed, with its reason; gives whether it is one of these.
  ///
  /// The upload, or the destination, would refuse it; so the plan says beforehand what comes of it.
  func refuses(
    _ record: LocalRecord,
    _ decision: PlanDecision,
    in pass: inout EntityPass
  ) throws -> Bool {
    let stage: RequestStage
    switch decision {
    case .create: stage = .create
    case .update: stage = .update
    default: return false
    }
    let stale = stage == .create ? staleness(of: record) : nil
    let refusal: MappingError?
    if let stale {
      refusal = stale
    } else if let untaken = untaken(record) {
      refusal = untaken
    } else {
      refusal = try blocked(record, at: stage)
    }
    guard let refusal else { return false }
    if record.read.queued != nil { pass.queued[record.id] = .missed(.unsent) }
    pass.refuse(record.id.key, refusal)
    if stale != nil { pass.hasLeft = true }
    if stage == .create { unsent.insert(record.id) } else { pass.isTroubled = true }
    return true
  }

  /// Counts a record that cannot be sent, and whose like cannot be named by others unless a run placed it.
  func reject(
    _ key: String?,
    _ refusal: MappingError,
    isPlaced: Bool = false,
    in pass: inout EntityPass
  ) {
    if let key, !isPlaced { unsent.insert(RecordID(entity: pass.entity, key: key)) }
    pass.reject(key, refusal)
  }

  /// Why the destination does not take a record at all.
  private func untaken(_ record: LocalRecord) -> MappingError? {
    let program = record.read.program
    let reason = reader.destination.refusal(of: record.id.entity) {
      program.body(of: record.plain.whole)
    }
    return reason.map { MappingError(code: "record.large", reason: $0) }
  }

  /// Why the destination does not make a record any more, whose moments it takes for some time only.
  private func staleness(of record: LocalRecord) -> MappingError? {
    let now = (clock.wallSeconds() - Self.secondsTo2001) * 1_000_000
    let document = record.read.document
    return record.read.program.staleness(of: document.root, in: document, at: now)
      .map { MappingError($0) }
  }

  /// From 1970, which clocks count from.
  private static let secondsTo2001: Int64 = 978_307_200

  /// Why a record cannot be made or changed: one that its request names is quarantined, in conflict
  /// or refused, or depends on one of these, and is not at the destination from an earlier run; or
  /// another is in the place of that.
  private func blocked(
    _ record: LocalRecord,
    at stage: RequestStage
  ) throws -> MappingError? {
    guard quarantined != nil || !unsent.isEmpty else { return nil }
    let resolver = ReferenceResolver(
      reference: { entity, key in
        let id = RecordID(entity: entity, key: key)
        if unsent.contains(id) { return nil }
        guard let quarantined else { return key }
        return isBlocked(id, by: quarantined) ? nil : key
      },
      media: { category, key in "\(category)/\(key)" }
    )
    guard let refusal = record.read.refusal(at: stage, resolver),
      refusal.code == "request.missing-reference"
    else { return nil }
    try quarantined?.block(record.id)
    return refusal
  }

  /// Whether a record will not be at the destination; what cannot be read counts as there, and its turn
  /// to be sent shows that.
  private func isBlocked(_ id: RecordID, by quarantined: QuarantinedRecords) -> Bool {
    do throws(CheckpointError) {
      guard try quarantined.blocks(id) else { return false }
      return try checkpoint.known(id)?.serverID == nil
    } catch {
      return false
    }
  }
}
