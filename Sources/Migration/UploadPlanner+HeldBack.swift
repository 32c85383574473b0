import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

extension UploadPlanner {
  /// Counts a new record that cannot be made, with its reason; gives whether it is such a one.
  ///
  /// The upload, or the destination, would refuse it; so the plan says beforehand what comes of it.
  func refuses(
    _ record: LocalRecord,
    in pass: inout EntityPass
  ) throws(MigrationError) -> Bool {
    let stale = staleness(of: record)
    let refusal: WireRefusal?
    if let stale { refusal = stale } else { refusal = try hanging(record) }
    guard let refusal else { return false }
    if record.read.queued != nil { pass.queued[record.id] = false }
    pass.refuse(record.id.key, refusal)
    if stale != nil { pass.hasLeft = true }
    return true
  }

  /// Why the destination does not make a record any more, whose moments it takes for some time only.
  private func staleness(of record: LocalRecord) -> WireRefusal? {
    let now = (clock.wallSeconds() - Self.secondsTo2001) * 1_000_000
    let document = record.read.document
    return record.read.program.staleness(of: document.root, in: document, at: now)
      .map { WireRefusal($0) }
  }

  /// From 1970, which clocks count from.
  private static let secondsTo2001: Int64 = 978_307_200

  /// Why a new record cannot be made: one that its request names is kept aside, or hangs on such a one,
  /// and is not at the destination from an earlier run; or another stands in the place of that.
  private func hanging(_ record: LocalRecord) throws(MigrationError) -> WireRefusal? {
    guard aside != nil || !strangers.isEmpty else { return nil }
    let resolver = WireResolver(
      reference: { entity, key in
        let id = RecordID(entity: entity, key: key)
        if strangers.contains(id) { return nil }
        guard let aside else { return key }
        return isHeldBack(id, by: aside) ? nil : key
      },
      media: { category, key in "\(category)/\(key)" }
    )
    guard let refusal = record.read.refusalOfCreate(resolver),
      refusal.code == "wire.missing-reference"
    else { return nil }
    try aside?.holdBack(record.id)
    return refusal
  }

  /// Whether a record will not be at the destination; what cannot be read counts as there, and its turn
  /// to be sent tells.
  private func isHeldBack(_ id: RecordID, by aside: KeptAside) -> Bool {
    do throws(CheckpointError) {
      guard try aside.holdsBack(id) else { return false }
      return try checkpoint.known(id)?.serverID == nil
    } catch {
      return false
    }
  }
}
