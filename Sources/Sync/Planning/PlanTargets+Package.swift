package import Checkpoint
package import ExportPackage
import Records
package import StageSupport
import UploadPlanning

extension PlanTargets {
  /// What the operations of a plan that was just made meet at the destination.
  package init(
    of run: RunRecord,
    in checkpoint: CheckpointFile,
    _ package: PackageReader
  ) throws(MigrationError) {
    var values = OperationKey.digest(of: [])
    var failure: PackageError?
    let places = try checkpointing { () throws(CheckpointError) in
      try checkpoint.forEachSent(of: run) { record, kept in
        guard failure == nil else { return }
        do throws(PackageError) {
          // As it was kept, it may be encrypted, and another each time.
          let sent = try package.opened(kept)
          let name = Array("\(record.entity.text)\n\(record.key)\n".utf8)
          values = OperationKey.digest(of: values.bytes + name + sent)
        } catch {
          failure = error
        }
      }
      return try checkpoint.placesDigest(of: run)
    }
    if let failure { throw .package(failure) }
    self.init(places: places, values: values)
  }
}
