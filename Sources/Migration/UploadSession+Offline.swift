package import Checkpoint
package import DestinationModel
package import ExportPackage
package import Profiles
package import Records
package import StageSupport
import UploadPlanning

/// An operation of a plan, as a person may want to see it.
package struct PlannedOperation: Hashable, Sendable {
  package let record: RecordID
  package let action: String
  /// The fields that an update changes; `nil` where nobody looked.
  package let fields: [String]?
}

extension UploadSession {
  /// What stands in for a destination that is not asked: the account is the one that earlier runs
  /// were about.
  ///
  /// - Throws: `MigrationError.badChoice` when there were several, and
  ///   `MigrationError.checkpoint` when none is known and one of this app's checkpoints, which may
  ///   tell it, cannot be read.
  package static func offline(
    _ destination: any Destination,
    package: PackageReader,
    _ profile: Profile,
    _ state: StateFolder
  ) throws(MigrationError) -> any Destination {
    let found = try checkpointing { () throws(CheckpointError) in try state.checkpoints.found() }
    let bindings = found.views.map(\.binding).filter {
      $0.store == package.manifest.source.store && $0.profile == profile.app
        && $0.origin == destination.traits.origin
    }
    let accounts = Set(bindings.map(\.account)).sorted()
    guard accounts.count < 2 else {
      throw .badChoice(
        reason: "this store was moved to several accounts: \(accounts.joined(separator: ", "))",
        cure: "plan without --offline: then the destination says which account is meant"
      )
    }
    let unread = found.unread.first { state.checkpoints.mayBe($0.path, of: profile.app) }
    if accounts.isEmpty, let unread { throw .checkpoint(unread.error) }
    return OfflineDestination(destination, account: accounts.first ?? "(not asked)")
  }

  /// Hands out every operation of a run, in the order in which they are carried out.
  package func forEachOperation(
    of run: RunRecord,
    _ body: (PlannedOperation) -> Void
  ) throws(MigrationError) {
    var after: Int64 = 0
    while true {
      let place = after
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.settled(of: run, after: place, limit: 1_000)
      }
      guard let last = page.last else { return }
      after = last.operation
      for entry in page {
        let isUpdate = entry.action == Operation.Action.update.rawValue
        let fields = try checkpointing { () throws(CheckpointError) in
          try isUpdate ? checkpoint.change(of: entry.record, in: run) : nil
        }
        body(PlannedOperation(record: entry.record, action: entry.action, fields: fields))
      }
    }
  }
}
