import Checkpoint
import ExportPackage
import Planning
import StageSupport
import SyncReading

extension UploadSession {
  /// Refuses a package that is hardly one of the store that was sent before, unless a person says that it is.
  func checkSource(_ package: PackageReader) throws {
    let check = SourceCheck(
      profile: profile,
      checkpoint: checkpoint,
      options: options.plan,
      checkpointPath: state.checkpoints.file(for: checkpoint.binding),
      mappings: { try reader().mappings }
    )
    try check.checkNames(in: package)
    try checkSourceAccount(package)
    if !options.acceptsChangedStore { try check.checkStore(of: package) }
    try check.checkSize(of: package)
  }

  /// Binds the checkpoint to the path of the store, where that has no identity of its own.
  func keepStorePath(of package: PackageReader) throws {
    guard let path = package.manifest.source.path else { return }
    try checkpoint.setStorePath(path)
  }
}
