import Checkpoint
import Planning
package import StageSupport
package import Verification

extension UploadSession {
  /// Reads every record back and compares its content with the package.
  ///
  /// Where nothing differs, the destination's own mark is remembered, and the next run asks only for
  /// what changed since. Where a record is gone, the next run reads everything.
  ///
  /// The versions that the destination gives to records whose content agrees are remembered, so
  /// that a later run or a rollback can know whether another device changed them since.
  ///
  /// A rollback that was interrupted has to come to its end first: what it removed is not missing.
  ///
  /// What was left to the destination against the store's word counts as the same where it `isAgreed` on.
  package func verify(
    interruption: CancellationToken,
    isAgreed: Bool = true
  ) async throws -> VerificationReport {
    if let open = try checkpoint.unfinishedRun(), open.kind == .rollback, open.stage == .executing {
      throw MigrationError.rollbackUnfinished(open.undoes ?? open.id)
    }
    let package = try package()
    let verifier = Verifier(
      reader: try reader(),
      package: package,
      names: try names(in: package),
      selection: options.plan.selection,
      progress: progress
    )
    return try await verifier.verify(interruption: interruption, isAgreed: isAgreed)
  }
}
