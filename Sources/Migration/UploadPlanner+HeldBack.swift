import Checkpoint
import Profiles
import Records
import UploadPlanning

extension UploadPlanner {
  /// Why a new record cannot be made: one that its request names is kept aside, or hangs on such a one,
  /// and is not at the destination from an earlier run.
  ///
  /// The upload would refuse it with the same words; so the plan says beforehand what comes of it.
  func refusal(of record: LocalRecord) throws(MigrationError) -> WireRefusal? {
    guard let aside else { return nil }
    let resolver = WireResolver(
      reference: { entity, key in
        isHeldBack(RecordID(entity: entity, key: key), by: aside) ? nil : key
      },
      media: { category, key in "\(category)/\(key)" }
    )
    guard let refusal = record.read.refusalOfCreate(resolver),
      refusal.code == "wire.missing-reference"
    else { return nil }
    try aside.holdBack(record.id)
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
