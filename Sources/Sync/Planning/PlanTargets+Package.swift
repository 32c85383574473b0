package import Checkpoint
package import ExportPackage
import Records
import UploadPlanning

extension PlanTargets {
  /// What the operations of a plan that was just made meet at the destination.
  package init(
    of run: RunRecord,
    in checkpoint: CheckpointFile,
    _ package: PackageReader
  ) throws {
    var values = OperationKey.digest(of: [])
    var failure: PackageError?
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
    let places = try checkpoint.placesDigest(of: run)
    if let failure { throw failure }
    self.init(places: places, values: values)
  }
}
