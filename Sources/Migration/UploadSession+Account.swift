import ExportPackage
import Planning
import StageSupport
import SyncReading

extension UploadSession {
  /// Refuses a package whose store says that it belongs to another person than is signed in.
  ///
  /// - Throws: `MigrationError.foreignSource`
  func checkSourceAccount(_ package: PackageReader) throws {
    guard !options.acceptsChangedAccount, !options.plan.isOffline else { return }
    let found = try AccountNames.named(by: package, accountNames, of: profile)
    if let first = found.first, found.keys.isEmpty {
      throw MigrationError.foreignSource(named: first, now: account)
    }
  }

  /// Under which names the package's records may speak of the account.
  func names(in package: PackageReader) throws -> AccountNames {
    try AccountNames(accountNames, of: profile, in: package)
  }
}
