import Checkpoint
import Records
import StageSupport

/// A run that Ferry remembers.
public struct KnownRun: Hashable, Sendable, Identifiable {
  /// Its name, by which it is rolled back.
  public let id: String
  /// What it was for.
  public let kind: Kind
  /// Whether something of it is still to be done.
  public let isUnfinished: Bool
  /// When it began, in whole seconds since 1970.
  public let startedAt: Int64
  /// Whose data it was about at the destination.
  public let account: String

  /// What a run is for.
  public enum Kind: Hashable, Sendable {
    /// It brings records to the destination.
    case upload
    /// It rolls back what another run did.
    case rollback
  }
}

extension KnownRun {
  init(_ found: FoundRun) {
    id = found.run.id
    kind = found.run.kind == .upload ? .upload : .rollback
    isUnfinished = found.run.stage == .planning || found.run.stage == .executing
    startedAt = found.run.startedAt
    account = found.binding.account
  }
}
