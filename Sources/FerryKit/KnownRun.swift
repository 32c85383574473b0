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

/// What the app has to write into its own store about one record after a run.
public struct WriteBackRecord: Hashable, Sendable {
  /// The record's entity.
  public let entity: String
  /// What distinguishes the record in the store.
  public let localID: String
  /// What became of it.
  public let status: Status
  /// Its identity at the destination.
  public let serverID: String?
  /// Its version at the destination.
  public let serverVersion: String?
  /// When it was last known to agree, in whole seconds since 1970.
  public let syncedAt: Int64?
  /// Why it was rejected or is in conflict; what was not carried out yet counts as rejected.
  public let reason: String?

  /// What became of a record.
  public enum Status: String, Hashable, Sendable {
    /// It is there: store identity and version.
    case synced
    /// It is no longer there: forget identity and version.
    case withdrawn
    /// It is gone at both ends: remove the row that was marked as deleted.
    case deleted
    /// It, or its last change, did not get there: keep it as not synced, with its identity if it has one.
    case rejected
    /// Both sides changed it, and no one decided: keep it as not synced, with its identity if it has one.
    case conflicted
  }
}

extension WriteBackRecord {
  init(_ entry: WriteBackEntry) {
    entity = entry.record.entity.text
    localID = entry.record.key
    guard let status = Status(rawValue: entry.status) else {
      preconditionFailure("a checkpoint knows no status \(entry.status)")
    }
    self.status = status
    serverID = entry.serverID
    serverVersion = entry.version.flatMap { $0.isEmpty ? nil : $0 }
    syncedAt = entry.syncedAt
    reason = entry.reason
  }
}
