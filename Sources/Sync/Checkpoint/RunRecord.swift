package import Records

/// What a checkpoint remembers of a run.
package struct RunRecord: Hashable, Sendable {
  /// What a run is for.
  ///
  /// The raw values are written into checkpoints and never change.
  package enum Kind: String, Sendable {
    case upload, rollback
  }

  /// How far a run is.
  ///
  /// The raw values are written into checkpoints and never change.
  package enum Stage: String, Sendable {
    /// Its operations are being written down; none may be executed yet.
    case planning
    /// Its operations are complete and are being executed.
    case executing
    /// Every operation is settled.
    case finished
    /// Given up in favour of a newer plan; what it had confirmed stays in force.
    case abandoned
  }

  package let id: String
  /// The run's place in the checkpoint, counted from one.
  package let number: Int64
  package let kind: Kind
  package var stage: Stage
  /// The digest of the package, or of nothing for a rollback.
  package let package: String
  /// Where the package lies, for the next command to type.
  package let packagePath: String
  /// The run that this one rolls back.
  package let undoes: String?
  /// The digest of the profile that it began with.
  package let profile: String
  /// When it began, in whole seconds since 1970; only for people.
  package let startedAt: Int64
  package var finishedAt: Int64?

  package init(
    id: String,
    number: Int64,
    kind: Kind,
    stage: Stage,
    package: String,
    packagePath: String,
    undoes: String?,
    profile: String,
    startedAt: Int64,
    finishedAt: Int64?
  ) {
    self.id = id
    self.number = number
    self.kind = kind
    self.stage = stage
    self.package = package
    self.packagePath = packagePath
    self.undoes = undoes
    self.profile = profile
    self.startedAt = startedAt
    self.finishedAt = finishedAt
  }
}

/// A flag of the command that began a run, for later commands about that run.
///
/// A credential is the place where it lies, never its value.
package struct RunFlag: Hashable, Sendable {
  /// The long name, without hyphens.
  package let name: String
  /// The value; `true` for a switch.
  package let value: String

  /// The name under which the path of the store is kept; a run that has it is that of a migration.
  package static let store = "store"
  /// The name under which the path of the profile's file is kept.
  package static let profile = "profile"
  /// Both.
  package static let places = [store, profile]

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension [RunRecord] {
  /// The uploads that were not rolled back to the end.
  package var standing: [RunRecord] {
    let undone = Set(filter { $0.kind == .rollback && $0.stage == .finished }.compactMap(\.undoes))
    return filter { $0.kind == .upload && !undone.contains($0.id) }
  }

  /// Whether there were uploads, and each of them was rolled back to the end.
  ///
  /// One that only found what existed has its own rollback too: what it found is relied on until then.
  package var areRolledBack: Bool {
    contains { $0.kind == .upload } && standing.isEmpty
  }
}

/// How many records of an entity ended, or will end, in each bucket of a plan.
package struct PlanTally: Hashable, Sendable {
  package let entity: EntityName
  package let bucket: String
  package let count: Int

  package init(entity: EntityName, bucket: String, count: Int) {
    self.entity = entity
    self.bucket = bucket
    self.count = count
  }
}

/// A settled operation, as a report or a write-back needs it.
package struct SettledRecord: Hashable, Sendable {
  package let operation: Int64
  package let record: RecordID
  package let action: String
  package let state: String
  package let serverID: String?
  package let version: String?
  package let reason: String?
  package let settledAt: Int64?
}

/// Where a record is at the destination.
package struct SyncedRecord: Hashable, Sendable {
  package let record: RecordID
  /// The server's identity, or `nil` after an undo took the record away.
  package let serverID: String?
  package let version: String?
  /// Whether this checkpoint's runs made it there, rather than found it there.
  package let isCreated: Bool
  /// When it was last known to agree, in whole seconds since 1970.
  package let syncedAt: Int64?

  package init(
    record: RecordID,
    serverID: String?,
    version: String?,
    isCreated: Bool,
    syncedAt: Int64?
  ) {
    self.record = record
    self.serverID = serverID
    self.version = version
    self.isCreated = isCreated
    self.syncedAt = syncedAt
  }

  /// The same record, seen with another version.
  package func seen(at version: String?) -> SyncedRecord {
    SyncedRecord(
      record: record,
      serverID: serverID,
      version: version,
      isCreated: isCreated,
      syncedAt: syncedAt
    )
  }
}
