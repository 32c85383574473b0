import CheckedDatabases
package import Checkpoint
import Files
import GRDB
package import Records

/// Mends what can be mended of a damaged checkpoint without guessing, and refuses the rest.
///
/// | damage | what is done |
/// |---|---|
/// | an index that does not agree with its table, pages that nothing uses | every table is copied into a new file, which makes its indexes anew |
/// | more runs than one are unfinished | plans of which nothing was sent are dropped; what is settled is finished |
/// | a finished run has open operations | what was never sent is dropped; what was begun is opened again, to be looked up |
/// | operations of no run | those that were never sent are dropped |
/// | a record whose digest is torn | it gets that of its last confirmed operation |
///
/// All of it happens in a copy. That is checked as a whole, and put in the old file's place in one
/// step; the old file is kept beside it.
package struct CheckpointRepair: Sendable {
  /// How a repair ended.
  package enum Outcome: Hashable, Sendable {
    /// There was nothing to mend.
    case sound
    /// What was done, and where the old file is kept.
    case mended(done: [String], kept: String)
    /// What cannot be mended without guessing; nothing was changed.
    case refused([Finding])
  }

  private let path: String
  private let folder: PrivateFolder

  /// Mends the checkpoint at `path`, or leaves every byte of it as it was.
  ///
  /// - Throws: `CheckpointError` when a run holds it, or it cannot be opened at all.
  package static func run(_ path: String) throws(CheckpointError) -> Outcome {
    do {
      try LinkCheck.run(path)
      try CheckedPages.expectOurs(at: path)
      guard let lock = try LockFile(taking: path + ".lock") else {
        throw CheckpointError.locked(path: path, holder: LockFile.holder(of: path + ".lock"))
      }
      defer { _ = lock.path }
      return try CheckpointRepair(path: path, folder: PrivateFolder()).mend()
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  private func mend() throws -> Outcome {
    try LogCheck.run(path)
    let copy = folder.path + "/damaged.sqlite"
    for ending in ["", "-wal"] where InputFile.isPresent(path + ending) {
      try WholeFile.copy(path + ending, to: copy + ending, isLasting: false)
    }
    // The copy is opened for writing, as a run would: its log is taken in.
    let database = try CheckedPages.open(copy, Self.configuration)
    guard try database.read({ try !CheckpointSchema.isMissing(in: $0) }) else { return .sound }
    try database.read { database in try CheckpointSchema.expectOurs(in: database, at: path) }
    let before = try Self.faults(of: copy, calledAs: path)
    guard !before.isEmpty else { return .sound }
    // The content there before them no one knows.
    let lost = before.filter { CheckpointView.lossCodes.contains($0.code) }
    guard lost.isEmpty else { return .refused(lost.map { Self.refusal($0.cause) }) }
    let beyond = try database.read { try CheckpointDamage.beyondRepair(in: $0) }
    guard beyond.isEmpty else { return .refused(beyond.map(Self.refusal)) }
    var done = try database.writeWithoutTransaction { database in
      try CheckpointDamage.mendRows(in: database)
    }
    try database.close()
    let draft = path + ".repair"
    let rebuilt = try rebuild(copy, as: draft)
    if before.contains(where: { $0.code == "checkpoint.damaged" }) { done.append(rebuilt) }
    let left = try Self.faults(of: draft, calledAs: path)
    guard left.isEmpty else {
      try Folder.remove(draft)
      return .refused(left)
    }
    return .mended(done: done, kept: try place(draft))
  }

  /// As a run opens a checkpoint.
  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    return configuration
  }

  private static func faults(of file: String, calledAs path: String) throws -> [Finding] {
    do throws(CheckpointError) {
      guard let view = try CheckpointView(file) else {
        throw .damaged(path: path, reason: "it is empty")
      }
      return try view.faults()
    } catch {
      throw error.about(path)
    }
  }

  private static func refusal(_ reason: String) -> Finding {
    Finding(
      code: "checkpoint.beyond-repair",
      severity: .error,
      cause: reason,
      cure: "keep a copy, move the checkpoint away and run again: what is at the account is adopted"
    )
  }

  // MARK: - A new file

  /// Copies every table into a new file with the indexes of this version; gives what was done.
  private func rebuild(_ copy: String, as draft: String) throws -> String {
    try Folder.remove(draft)
    _ = try OutputFile(creating: draft).finishUnsynced()
    let database = try CheckedPages.open(draft, Self.configuration)
    let count = try database.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
      try database.execute(sql: "ATTACH DATABASE ? AS old", arguments: [copy])
      var count = 0
      // An immediate one would be one of both files, with a file that decides over them.
      try database.inTransaction(.deferred) {
        try database.execute(sql: CheckpointSchema.statements)
        for table in try CheckpointDamage.tables(in: database, schema: "old") {
          let columns = try String.fetchAll(
            database,
            sql: "SELECT name FROM pragma_table_info(?, 'old')",
            arguments: [table]
          ).joined(separator: ", ")
          // The condition keeps SQLite from taking over the old indexes page by page.
          try database.execute(
            sql:
              "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM old.\(table) NOT INDEXED "
              + "WHERE 1"
          )
          count += database.changesCount
        }
        // Numbers of operations that are gone are never given again.
        try database.execute(sql: "DELETE FROM main.sqlite_sequence")
        try database.execute(
          sql: "INSERT INTO main.sqlite_sequence SELECT * FROM old.sqlite_sequence"
        )
        try database.execute(sql: "PRAGMA main.application_id = \(CheckpointSchema.applicationID)")
        try database.execute(sql: "PRAGMA main.user_version = \(CheckpointSchema.format)")
        return .commit
      }
      return count
    }
    try database.close()
    return "\(count) rows were copied into a new file, and its indexes made from them"
  }

  /// Puts the mended file in the place of the old one; gives where that is kept.
  private func place(_ draft: String) throws -> String {
    // A log belongs to the old file: SQLite takes it in, as the next run would have done, so that
    // nothing of it can ever be taken for the new file's.
    if InputFile.isPresent(path + "-wal") {
      let database = try CheckedPages.open(path)
      _ = try database.writeWithoutTransaction { database in
        try DatabaseRow.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try database.close()
    }
    var kept = path + ".damaged"
    var number = 1
    while InputFile.isPresent(kept) {
      number += 1
      kept = "\(path).damaged-\(number)"
    }
    try WholeFile.copy(path, to: kept)
    try WholeFile.place(draft, at: path)
    return kept
  }
}
