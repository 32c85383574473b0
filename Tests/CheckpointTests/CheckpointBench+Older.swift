import Files
import class Foundation.FileManager
import GRDB

extension CheckpointBench {
  /// Writes the checkpoint anew, as versions without checksums did; with what was last written in
  /// its log, if it was killed.
  func makeOlder(isKilled: Bool = false) throws {
    let older = folder + "/older"
    let queue = try DatabaseQueue(path: older)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "ATTACH DATABASE ? AS new", arguments: [path])
      let made = try Row.fetchAll(
        database,
        sql: "SELECT type, name, sql FROM new.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
      )
      for row in made where !(row["name"] as String).hasPrefix("sqlite_") {
        try database.execute(sql: row["sql"])
        let name: String = row["name"]
        guard row["type"] == "table" else { continue }
        try database.execute(sql: "INSERT INTO main.\(name) SELECT * FROM new.\(name)")
      }
      try database.execute(sql: "DELETE FROM main.sqlite_sequence")
      try database.execute(
        sql: "INSERT INTO main.sqlite_sequence SELECT * FROM new.sqlite_sequence"
      )
      try database.execute(sql: "PRAGMA main.application_id = \(0x4665_7279)")
      try database.execute(sql: "PRAGMA main.user_version = 1")
      try database.execute(sql: "DETACH DATABASE new")
      try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
    if isKilled {
      try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: """
            UPDATE operation SET reason = 'in the log'
            WHERE number = (SELECT max(number) FROM operation)
            """
        )
      }
    }
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: older + ending) {
      try Folder.remove(path + ending)
      try FileManager.default.copyItem(atPath: older + ending, toPath: path + ending)
    }
    try queue.close()
    try FileManager.default.removeItem(atPath: older)
  }
}
