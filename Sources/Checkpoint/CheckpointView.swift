import Files
import GRDB
package import Records

/// A checkpoint that is read without being taken: nothing of it is locked, changed or added to.
///
/// SQLite leaves files beside a database in WAL mode that it only reads. A checkpoint that is at
/// rest, which has no log, is therefore read as a private copy; one that a run has open, or that
/// a killed run left with its log, is read where it is, for those files are there already.
package final class CheckpointView: Sendable {
  package let path: String
  package let binding: CheckpointBinding
  private let database: DatabaseQueue
  /// Holds the private copy for as long as the view lives.
  private let folder: PrivateFolder?

  /// Opens a checkpoint for reading; gives `nil` for one that holds nothing yet, because the run
  /// that was making it was killed, or is not done with that.
  package init?(_ path: String) throws(CheckpointError) {
    self.path = path
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(5)
      let hasLog = InputFile.isPresent(path + "-wal")
      folder = hasLog ? nil : try PrivateFolder()
      var place = path
      if let folder {
        place = folder.path + "/checkpoint.sqlite"
        try WholeFile.copy(path, to: place, isLasting: false)
      }
      database = try DatabaseQueue(path: place, configuration: configuration)
      let found = try database.read { database -> CheckpointBinding? in
        guard try !CheckpointSchema.isMissing(in: database) else { return nil }
        return CheckpointBinding(
          store: try CheckpointFile.fact("store", in: database),
          origin: try CheckpointFile.fact("origin", in: database),
          account: try CheckpointFile.fact("account", in: database),
          profile: try CheckpointFile.fact("profile", in: database),
          profileDigest: try CheckpointFile.fact("profile-digest", in: database)
        )
      }
      guard let found else { return nil }
      binding = found
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  /// Whether its records hold an identity of the destination.
  package func holds(
    _ serverID: String,
    of entity: EntityName
  ) throws(CheckpointError) -> Bool {
    try read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM record WHERE entity = ? AND server_id = ?)"
      )
      return try Bool.fetchOne(statement, arguments: [entity.text, serverID]) ?? false
    }
  }

  /// The runs, oldest first.
  package func runs() throws(CheckpointError) -> [RunRecord] {
    try read { database in
      try DatabaseRow.fetchAll(database, sql: "SELECT * FROM run ORDER BY number")
        .map(RunRecord.init(row:))
    }
  }

  /// Writes the whole checkpoint to another file, as it stands now.
  package func copy(to target: String) throws(CheckpointError) {
    do {
      try database.backup(to: try DatabaseQueue(path: target))
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(CheckpointError) -> Value {
    do {
      return try database.unsafeRead(body)
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }
}
