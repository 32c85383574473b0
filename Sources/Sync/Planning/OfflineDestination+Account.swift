import Checkpoint
package import DestinationModel
package import ExportPackage
package import Profiles
package import StageSupport

extension OfflineDestination {
  /// The content of for a destination that is not asked: the account is the one that earlier runs
  /// were about.
  ///
  /// - Throws: `MigrationError.badChoice` when there were several, and
  ///   `CheckpointError` when none is known and one of this app's checkpoints, which may
  ///   state it, cannot be read.
  package init(
    _ destination: any Destination,
    package: PackageReader,
    _ profile: Profile,
    _ state: StateFolder
  ) throws {
    let found = try state.checkpoints.found()
    let bindings = found.views.map(\.binding).filter {
      $0.store == package.manifest.source.store && $0.profile == profile.app
        && $0.origin == destination.traits.origin
    }
    let accounts = Set(bindings.map(\.account)).sorted()
    guard accounts.count < 2 else {
      throw MigrationError.badChoice(
        reason: "this store was moved to several accounts: \(accounts.joined(separator: ", "))",
        cure: "plan without --offline: then the destination says which account is meant"
      )
    }
    let unread = found.unread.first { state.checkpoints.mayBe($0.path, of: profile.app) }
    if accounts.isEmpty, let unread { throw unread.error }
    self.init(destination, account: accounts.first ?? "(not asked)")
  }
}
