import CheckedDatabases
package import Checkpoint
import Files
import GRDB
package import Records

/// The keys of many records in a scratch file, so that memory does not grow with them.
///
/// Nothing here has to survive a crash: anyone who needs it reads the records again.
package final class ScratchKeys: Sendable {
  private let database: DatabaseQueue
  private let path: String

  /// Makes an empty set; a file that an earlier run left at `path` is replaced.
  package init(path: String) throws(CheckpointError) {
    self.path = path
    do {
      try Folder.remove(path)
      var configuration = Configuration()
      configuration.prepareDatabase { database in
        // No other process opens it.
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        try database.execute(sql: "PRAGMA journal_mode = OFF")
        try database.execute(sql: "PRAGMA synchronous = OFF")
      }
      database = try DatabaseQueue(path: path, configuration: configuration)
      try database.write { database in
        try database.execute(
          sql: """
            CREATE TABLE known (entity TEXT, key TEXT, PRIMARY KEY (entity, key)) WITHOUT ROWID
            """
        )
      }
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  deinit { try? Folder.remove(path) }

  /// Adds keys; gives those that existed already.
  package func add(
    _ keys: [String],
    of entity: EntityName
  ) throws(CheckpointError) -> [String] {
    do {
      return try database.write { database in
        // Bound with its length: GRDB would end a key at its first zero character.
        let statement = try DirectStatement(
          "INSERT OR IGNORE INTO known (entity, key) VALUES (?, ?)",
          in: database
        )
        return try keys.filter { key in
          statement.bind(entity.text, at: 1)
          statement.bind(key, at: 2)
          try statement.run()
          return database.changesCount == 0
        }
      }
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  /// Whether a key was added.
  package func contains(
    _ key: String,
    of entity: EntityName
  ) throws(CheckpointError) -> Bool {
    do {
      return try database.unsafeRead { database in
        let statement = try DirectStatement(
          "SELECT 1 FROM known WHERE entity = ? AND key = ?",
          in: database
        )
        statement.bind(entity.text, at: 1)
        statement.bind(key, at: 2)
        return try statement.step()
      }
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }
}
