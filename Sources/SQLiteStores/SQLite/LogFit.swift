import Files
import Records
import StoreFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Whether a database and the write-ahead log beside it fit together.
///
/// SQLite knows a log by its name alone. It puts the pages of another database's log into a sound
/// file, and does not see a log that was left under an older name. Here a second connection reads the
/// database without its log, or with the one that no one owns, and says which of the two is sound.
///
/// https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
struct LogFit {
  private let copy: StoreCopy
  private let header: CutFile.Header?
  /// What the database is without its log, as far as it can be read so.
  private let alone: DatabaseFace?

  /// Lone logs of a folder that are looked at.
  private static let mostLogs = 10

  /// Looks at the headers, and at the database without its log.
  ///
  /// - Throws: `StoreError.unfitLog(path:reason:)` for the log of another database.
  init(_ copy: StoreCopy) throws(StoreError) {
    self.copy = copy
    header = try CutFile.header(of: copy.path)
    guard let log = copy.writeAheadLog, log.committedFrameCount > 0, let header else {
      alone = nil
      return
    }
    guard header.pageSize == log.pageSize else {
      throw .unfitLog(
        path: copy.sourcePath,
        reason: "the pages of the log have \(log.pageSize) bytes and those of the database "
          + "\(header.pageSize), so it belongs to another database"
      )
    }
    guard header.isLogged else {
      throw .unfitLog(
        path: copy.sourcePath,
        reason: "the database is not in WAL mode, so it has no log of its own"
      )
    }
    alone = try Self.trial(of: copy, log: nil, isChecked: false)
  }

  private var hasLog: Bool { (copy.writeAheadLog?.committedFrameCount ?? 0) > 0 }

  /// Refuses a log that makes another database of this one.
  func expectSameDatabase(_ database: Database) throws(StoreError) {
    guard let alone, !alone.tables.isEmpty else { return }
    let face = try DatabaseFace(database)
    guard let reason = alone.difference(from: face) else { return }
    throw .unfitLog(path: copy.sourcePath, reason: reason)
  }

  /// Refuses the log where the database is sound without it; no connection may be open to the copy.
  func blameLog() throws(StoreError) {
    guard hasLog, let face = try Self.trial(of: copy, log: nil, isChecked: true),
      !face.tables.isEmpty
    else { return }
    throw .unfitLog(
      path: copy.sourcePath,
      reason: "the database is sound without the log, and damaged with it"
    )
  }

  /// Refuses a database in WAL mode that lacks its log, as far as that can be determined.
  ///
  /// Nearly every database in WAL mode is without a log once its app was closed.
  func expectLog() throws(StoreError) {
    guard copy.writeAheadLog == nil, let header, header.isLogged, header.pageSize >= 512 else {
      return
    }
    let face = try Self.trial(of: copy, log: nil, isChecked: false)
    if let log = try loneLog(header, face) {
      throw .renamedLog(path: copy.sourcePath, log: log)
    }
    let size = try mapping { () throws(FileError) in try InputFile(copy.path).size() }
    let present = size / Int64(header.pageSize)
    guard present >= header.pageCount else {
      throw .missingLog(
        path: copy.sourcePath,
        reason: "its header counts \(header.pageCount) pages, of which the file has \(present)",
        isCut: true
      )
    }
    guard let face, face.isEmpty else { return }
    throw .missingLog(path: copy.sourcePath, reason: "it has no tables", isCut: false)
  }

  /// The name of a log without a database, in the folder of the source, that has changes of this one.
  private func loneLog(
    _ header: CutFile.Header,
    _ face: DatabaseFace?
  ) throws(StoreError) -> String? {
    let (folder, end) = (
      Folder.parentPath(of: copy.sourcePath), SourceFile.Part.writeAheadLog.rawValue
    )
    let own = Folder.lastName(of: copy.sourcePath) + end
    // This user may read the database in a folder that this user may not list.
    let names =
      try Self.unlessOutOfMeans { () throws(FileError) in try Folder.names(in: folder) } ?? []
    let lone = names.filter { name in
      name.hasSuffix(end) && name != own
        && !InputFile.isPresent("\(folder)/\(name.dropLast(end.count))")
    }
    for name in lone.sorted().prefix(Self.mostLogs) {
      guard
        let log = try Self.unlessOutOfMeans({ () throws(FileError) in
          try WriteAheadLog(of: "\(folder)/\(name)")
        }), log.committedFrameCount > 0, log.pageSize == header.pageSize,
        try mapping({ () throws(FileError) in
          try log.changes(copy.path, from: "\(folder)/\(name)")
        }),
        let together = try Self.trial(of: copy, log: "\(folder)/\(name)", isChecked: true),
        !together.tables.isEmpty
      else { continue }
      if let face, !face.tables.isEmpty, face.difference(from: together) != nil { continue }
      return name
    }
    return nil
  }

  /// Reads something that the database does not need; `nil` where the system refuses it.
  ///
  /// - Throws: `StoreError.file(_:)` when no open file or memory is left, which says nothing of the path.
  private static func unlessOutOfMeans<Value>(
    _ body: () throws(FileError) -> Value
  ) throws(StoreError) -> Value? {
    do throws(FileError) {
      return try body()
    } catch {
      guard error.isForWantOfMeans else { return nil }
      throw .file(error)
    }
  }

  /// Opens the database under another name, with this log or none, and says what it is; `nil` where it
  /// cannot be read, or where it is checked and is not sound.
  private static func trial(
    of copy: StoreCopy,
    log: String?,
    isChecked: Bool
  ) throws(StoreError) -> DatabaseFace? {
    let path = copy.path + ".trial"
    let logPath = path + SourceFile.Part.writeAheadLog.rawValue
    try mapping { () throws(FileError) in
      for old in [path, logPath] { try Folder.remove(old) }
      // A link needs no space; some file systems have none.
      if unsafe link(copy.path, path) != 0 {
        try WholeFile.copy(copy.path, to: path, isLasting: false)
      }
      if let log { try WholeFile.copy(log, to: logPath, isLasting: false) }
    }
    defer {
      for old in [path, logPath] { try? Folder.remove(old) }
    }
    do throws(StoreError) {
      let database = try Database(path: path, name: copy.sourcePath)
      if isChecked {
        guard try IntegrityCheck(database, byteCount: copy.byteCount).faults.isEmpty else {
          return nil
        }
      }
      return try DatabaseFace(database)
    } catch {
      guard case .file = error else { return nil }
      throw error
    }
  }
}

/// By what two databases are known to be one or different: their tables, and the identity that Core
/// Data gives a store.
private struct DatabaseFace {
  let tables: Set<String>
  let isEmpty: Bool
  private let identity: String?

  init(_ database: Database) throws(StoreError) {
    let schema = try StoreSchema(database)
    tables = Set(schema.tableNames)
    isEmpty = tables.isEmpty && schema.otherNames.isEmpty && database.unparsed.isEmpty
    guard tables.contains("Z_METADATA") else {
      identity = nil
      return
    }
    identity = try Self.identity(in: database)
  }

  /// The identity in `Z_METADATA`; `nil` where the table has none or is damaged.
  private static func identity(in database: Database) throws(StoreError) -> String? {
    do throws(StoreError) {
      let row = try database.statement(
        "SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1",
        purpose: "read Z_METADATA"
      )
      return try row.step() ? row.string(0) : nil
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }

  /// In what the other is another database; `nil` where it may be the same.
  func difference(from other: DatabaseFace) -> String? {
    if let identity, let others = other.identity {
      return identity == others
        ? nil : "without the log it is the store \(identity), and with it \(others)"
    }
    return tables.isDisjoint(with: other.tables)
      ? "with the log the database has none of its tables" : nil
  }
}
