package import Checkpoint
package import Records
import StageSupport
import Synchronization

/// The other checkpoints of the state folder, as far as they say something of a run's store or account.
package final class Neighbours: Sendable {
  /// Those of other stores at the same account.
  package let siblings: [CheckpointView]
  /// Those of the same store at another account of the destination.
  package let others: [CheckpointView]
  /// Those that cannot be read: whose they are, and what they hold, no one knows.
  package let unread: [UnreadCheckpoint]
  private let isReported = Mutex(false)

  /// Looks at all but that of the run itself.
  ///
  /// - Throws: `CheckpointError` for what is not about one of them alone, as a full disk.
  package init(of binding: CheckpointBinding, in folder: CheckpointFolder) throws(CheckpointError) {
    let found = try folder.found(butNotOf: binding) { other in
      // A copy of each that says nothing of the store or the account would take its time.
      other.origin == binding.origin
        && (other.account == binding.account || other.store == binding.store)
    }
    let sameOrigin = found.views.filter { $0.binding.origin == binding.origin }
    others = sameOrigin.filter {
      $0.binding.account != binding.account && $0.binding.store == binding.store
        && $0.binding.profile == binding.profile
    }
    var siblings: [CheckpointView] = []
    var unread = found.unread
    for view in sameOrigin
    where view.binding.account == binding.account && view.binding.store != binding.store {
      // They are asked in the middle of a run, which a damaged page must not stop.
      do throws(CheckpointError) {
        try view.expectWhole()
        siblings.append(view)
      } catch {
        guard error.isOfOneFile else { throw error }
        unread.append(UnreadCheckpoint(path: view.path, error: error))
      }
    }
    self.siblings = siblings
    self.unread = unread
  }

  /// Why one cannot be read that its name makes one of this app's: it may state that the store went to
  /// another account.
  package func doubt(about profile: String, in folder: CheckpointFolder) -> CheckpointError? {
    unread.first { folder.mayBe($0.path, of: profile) }?.error
  }

  /// A warning of each that cannot be read; none when they were reported before.
  package func unreported() -> [Finding] {
    let wasReported = isReported.withLock { isReported in
      defer { isReported = true }
      return isReported
    }
    return wasReported ? [] : unread.map { Finding.neighbourUnread($0.error) }
  }
}

extension Finding {
  fileprivate static func neighbourUnread(_ error: CheckpointError) -> Finding {
    // Without it no one knows any more what its store has as well.
    let after =
      "where it is moved away, migrate the store that it is of once more before "
      + "anything is rolled back or deleted"
    let cure = Failure(error).cure.map { "\($0); \(after)" } ?? after
    return Finding(
      code: "checkpoint.neighbour-unread",
      severity: .warning,
      cause: "\(error); it may be of another store at this account, or of this one at another: "
        + "nothing is removed that it may hold, and a deletion by its rollbacks counts as one by "
        + "another device",
      cure: cure
    )
  }
}
