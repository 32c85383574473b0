import Checkpoint
import Execution
import Profiles
import Records

/// Whether all records that the checkpoint knows were last planned and sent with one profile, so that
/// a record whose line is the same needs no second thought.
///
/// The agreement is withdrawn when a plan or a rollback begins, and is again once an upload has
/// come to its end with every operation confirmed.
extension UploadSession {
  /// Withdraws the agreement for the time of a run; gives whether it was, for this profile.
  func beginAgreement() throws -> Bool {
    let earlier = try checkpoint.agreement()
    try checkpoint.setAgreement(nil, isSettled: false)
    return earlier == profile.digest.description
  }

  /// Lets what a run had planned count as agreed, where all of it was confirmed.
  func settleAgreement(of run: RunRecord, _ summary: RunSummary) throws {
    guard run.kind == .upload, summary.isWhole else { return }
    guard try checkpoint.plannedAgreement() == profile.digest.description else { return }
    try checkpoint.setAgreement(profile.digest.description, isSettled: true)
  }
}
