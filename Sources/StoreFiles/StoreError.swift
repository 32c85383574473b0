package import Files
package import PropertyLists
package import RealmFiles
package import Records
package import XMLAccess

/// Why a store could not be opened, or a row of it not be read.
///
/// ``description`` says which file, where in it, what is the matter; ``cure`` what a person can do.
package enum StoreError: Error, Hashable, Sendable {
  /// The system refused a file.
  case file(FileError)
  /// The source is of a kind that is not read.
  case unsupported(path: String, kind: SourceKind)
  /// The source kept changing while it was copied.
  case unsteady(path: String, attempts: Int)
  /// The disk has no space for a private copy of this many bytes.
  case diskFull(path: String, byteCount: Int64, folder: String, free: Int64)
  /// The file is SQLite, but not a Core Data store: this table is missing.
  case notCoreData(path: String, missingTable: String)
  /// SQLite found the file damaged.
  case damaged(path: String, place: String, details: String)
  /// The database and the write-ahead log beside it do not fit together.
  case unfitLog(path: String, reason: String)
  /// The database is in WAL mode, and what it lacks is in a write-ahead log that is not beside it;
  /// `isCut` where pages of the file are there.
  case missingLog(path: String, reason: String, isCut: Bool)
  /// A log beside it, under the name of no file, has changes of this database.
  case renamedLog(path: String, log: String)
  /// The SQLite here cannot parse how tables are declared.
  case unparsedTables(path: String, tables: [String], version: String)
  /// The store's metadata name several identities.
  case severalIdentities(path: String, identities: [String])
  /// Whether the last transaction was finished is written outside the store, in the file of this name.
  case sharedTransaction(path: String, decider: String)
  /// SQLite refused for another reason; the number is its extended result code.
  ///
  /// https://sqlite.org/rescode.html
  case database(path: String, doing: String, code: Int32, message: String)
  /// The store's metadata (`Z_METADATA`) cannot be read.
  case malformedMetadata(path: String, reason: PropertyListError)
  /// The model has no entity of this name.
  case unknownEntity(path: String, EntityName)
  /// There is more of something than a store of an app has; `what` are things in the plural.
  case tooMany(path: String, what: String, count: Int, limit: Int)
  /// There is nothing in the store that could be a record.
  case noEntities(path: String)
  /// The entity has no such attribute or relationship, or not one that can be asked for this way.
  case unknownField(path: String, entity: EntityName, field: String, reason: String)
  /// The model has the property, and the table lacks its column.
  case missingColumn(path: String, entity: EntityName, field: String, place: String)
  /// The request needs more of SQLite than it gives.
  case tooWide(path: String, entity: EntityName, limit: String)
  /// The file is a Realm database that cannot be read, or a value of it cannot.
  case unreadableRealm(path: String, reason: RealmError)
  /// The file is no property list that can be read.
  case unreadableList(path: String, reason: PropertyListError)
  /// The property list is not the preferences of an app.
  case notPreferences(path: String, found: String)
  /// The file is no Core Data XML store; the error names the source and the line.
  case malformedXML(XMLError)
  /// The folder holds no store that can be read; the findings say what is there.
  case noStore(path: String, findings: [Finding])
  /// Several files of a container are meant by one name.
  case severalFiles(path: String, store: String, pattern: String, files: [String])
  /// A backup holds the files of several apps, and none was named.
  case severalApps(path: String, apps: [String])
  /// The backup is encrypted.
  case encryptedBackup(path: String)
  /// A model that was given cannot be read, or is of a form that is not read.
  case unusableModel(path: String, reason: String, cure: String)
  /// None of the models that were given is the store's.
  case foreignModel(path: String, differences: [String])
  /// A file of rows or objects can be no table.
  case unusableTable(path: String, reason: String, cure: String)
  /// So many rows of a file cannot be read; the first ones are named.
  case unreadableRows(path: String, faults: [RowFault], count: Int)
  /// The backup is of a form that is not read.
  case unreadableBackup(path: String, reason: String)
}

extension StoreError {
  /// Whether it says what a store is or holds, so that another try would end the same way.
  package var isOfTheStore: Bool {
    switch self {
    case .file(let error): !error.hidesWhatIsThere
    case .diskFull, .unsteady, .database: false
    case .unsupported, .notCoreData, .damaged, .malformedMetadata, .unknownEntity, .unknownField,
      .missingColumn, .tooWide, .unreadableList, .notPreferences, .malformedXML, .noStore,
      .severalFiles, .severalApps, .encryptedBackup, .unusableModel, .foreignModel,
      .unreadableBackup, .unreadableRealm, .sharedTransaction, .noEntities,
      .tooMany, .unusableTable, .unreadableRows, .unfitLog, .missingLog, .renamedLog,
      .unparsedTables, .severalIdentities:
      true
    }
  }
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error):
      error.description
    case .unsupported(let path, let kind):
      "\(path) is \(kind.words)"
    case .unsteady(let path, let attempts):
      "\(path) changed while it was copied, \(attempts) times in a row"
    case .diskFull(let path, let byteCount, let folder, let free):
      "\(path) has \(byteCount) bytes, and for its private copy \(free) are free in \(folder)"
    case .notCoreData(let path, let table):
      "\(path) is an SQLite database without the table \(table), so not a Core Data store"
    case .damaged(let path, let place, let details):
      "\(path) is damaged (\(place)): \(details)"
    case .unfitLog(let path, let reason):
      "\(path) and \(Folder.lastName(of: path))-wal do not fit together: \(reason)"
    case .missingLog(let path, let reason, _):
      "\(path) is in WAL mode and lies here without a -wal file, and \(reason)"
    case .renamedLog(let path, let log):
      "\(path) has no -wal file of its own, and \(log) beside it fits this database and would change it"
    case .unparsedTables(let path, let tables, let version):
      "\(path) has \(tables.count == 1 ? "a table" : "tables") whose declaration SQLite \(version), "
        + "which reads here, cannot parse: " + tables.prefix(10).joined(separator: "; ")
    case .severalIdentities(let path, let identities):
      "\(path) has several identities in its metadata: "
        + identities.prefix(10).joined(separator: ", ")
    case .sharedTransaction(let path, let decider):
      "\(path)-journal is of a transaction over several databases, and whether that was finished is "
        + "written in another file, “\(decider)”, which is not looked for"
    case .database(let path, let doing, let code, let message):
      "\(path): SQLite could not \(doing): \(message) (code \(code))"
    case .malformedMetadata(let path, let reason):
      "\(path): the metadata in Z_METADATA cannot be read: \(reason)"
    case .unknownEntity(let path, let entity):
      "\(path): the store's model has no entity \(entity)"
    case .tooMany(let path, let what, let count, let limit):
      "\(path) has \(count) \(what), and at most \(limit) are read"
    case .noEntities(let path):
      "\(path) has no entities: no table, and no key that holds a record"
    case .unknownField(let path, let entity, let field, let reason):
      "\(path): \(entity).\(field) cannot be read: \(reason)"
    case .missingColumn(let path, let entity, let field, let place):
      "\(path): the column of \(entity).\(field) is missing (\(place))"
    case .unusableModel(let path, let reason, _):
      "the model \(path) cannot be used: \(reason)"
    case .foreignModel(let path, let differences):
      "\(path): no given model is this store's: \(differences.joined(separator: "; "))"
    case .tooWide(let path, let entity, let limit):
      "\(path): too much is asked of \(entity) at once: \(limit)"
    case .unreadableRealm(let path, let reason):
      "\(path): \(reason)"
    case .unreadableList(let path, let reason):
      "\(path): \(reason)"
    case .notPreferences(let path, let found):
      "\(path) is not the preferences of an app: it is \(found)"
    case .malformedXML(let error):
      error.description
    case .noStore(let path, let findings):
      "\(path) holds no store that can be read"
        + (findings.isEmpty ? "" : ": " + findings.prefix(10).map(\.cause).joined(separator: "; "))
    case .severalFiles(let path, let store, let pattern, let files):
      "\(path): several files are “\(pattern)”, the store “\(store)”: "
        + files.prefix(10).joined(separator: ", ")
    case .severalApps(let path, let apps):
      "\(path) is a backup with the files of \(apps.count) apps"
    case .encryptedBackup(let path):
      "\(path) is an encrypted backup"
    case .unreadableBackup(let path, let reason):
      "\(path) is a backup that is not read: \(reason)"
    case .unusableTable(let path, let reason, _):
      "\(path) cannot be read as records: \(reason)"
    case .unreadableRows(let path, let faults, let count):
      "\(count) \(count == 1 ? "row" : "rows") of \(path) cannot be read: "
        + faults.prefix(20).map(\.description).joined(separator: "; ")
        + (count > 20 ? "; and \(count - min(20, faults.count)) more" : "")
    }
  }

  /// What a person can do about it.
  package var cure: String {
    switch self {
    case .file(let error):
      error.isMissing
        ? "check the path" : "check that the file is a plain file which this user may read"
    case .unsupported(_, let kind):
      kind.cure
    case .unsteady:
      "quit the app that uses the store, or give a copy of it with its -wal file"
    case .diskFull:
      "free some space on that disk, or let TMPDIR name a folder on another"
    case .notCoreData:
      "give the store file itself; Core Data stores have tables named Z_PRIMARYKEY and Z_METADATA"
    case .damaged:
      "give another copy of the store, such as one from a backup; with --read-damaged, what can still "
        + "be read is, and what cannot is named"
    case .unfitLog:
      "copy both files again together, while the app is closed; if the -wal file is another "
        + "database's, move it out of the folder, and the database is read without it"
    case .missingLog(let path, _, let isCut):
      "copy \(Folder.lastName(of: path))-wal from where the database was, and put it beside this file"
        + (isCut ? "; without one, --read-damaged reads the pages that the file has" : "")
    case .renamedLog(let path, let log):
      "give \(log) the name \(Folder.lastName(of: path))-wal, in a copy of the folder; if its changes "
        + "are not wanted, move it out of the folder"
    case .unparsedTables:
      "read the store on a machine with the SQLite that made it; with --read-damaged, the other "
        + "tables are read here"
    case .severalIdentities:
      "give another copy of the store, such as one from a backup"
    case .sharedTransaction:
      "open the store once with its app, which finishes the transaction or rolls it back, then give it"
    case .database:
      "see https://sqlite.org/rescode.html for the code"
    case .malformedMetadata:
      "give another copy of the store, such as one from a backup"
    case .unknownEntity:
      "compare the name with “ferry inspect”; letters of either case count"
    case .tooMany:
      "check that this is the right store; no app's has that many"
    case .noEntities:
      "check that this is the right store"
    case .unknownField:
      "compare the name with “ferry inspect”"
    case .missingColumn:
      "give another copy of the store, such as one from a backup: this one was changed outside the app"
    case .unusableModel(_, _, let cure):
      cure
    case .foreignModel:
      "give the model of the app's version that wrote the store last, best the whole .momd; "
        + "without a model the store is read with the names of its columns"
    case .tooWide:
      "ask for fewer relationships at once"
    case .unreadableRealm(_, .encrypted), .unreadableRealm(_, .wrongKey),
      .unreadableRealm(_, .keyLength):
      "give the key of 64 bytes that the app opens this file with: "
        + "--credential realm-key=file:PATH"
    case .unreadableRealm(_, let reason):
      reason.cure
    case .unreadableList:
      "give another copy of the file, such as one from a backup"
    case .notPreferences:
      "give the file in Library/Preferences that is named after the app, or the app's store"
    case .malformedXML:
      "correct the named place in a copy of the file, or give another copy of the store"
    case .noStore(_, let findings) where findings.contains(where: { $0.severity > .note }):
      findings.filter { $0.severity > .note }.prefix(3).map { "\($0.file ?? ""): \($0.cure)" }
        .joined(separator: "; ")
    case .noStore:
      "give the store's file, or the app's container; “ferry inspect FOLDER” lists its stores; of a folder of "
        + "JSON documents, leave all other files out with --ignore PATTERN"
    case .severalFiles:
      "write the path of the one that is meant"
    case .severalApps(_, let apps):
      "name the app by its bundle identifier, one of: " + apps.prefix(20).joined(separator: ", ")
    case .encryptedBackup:
      "make a backup without a password in Finder, or give a copy of the app's container"
    case .unusableTable(_, _, let cure):
      cure
    case .unreadableRows(_, let faults, _):
      (faults.contains(where: \.isOfEncoding) ? "\(RowFault.cureOfEncoding); else " : "")
        + "correct these lines in a copy of the file; with --read-damaged, the other rows are read and "
        + "these are reported"
    case .unreadableBackup:
      "make a new backup of the device, or give a copy of the app's container"
    }
  }
}

/// Runs `body` and wraps what the system refused.
package func mapping<Result>(
  _ body: () throws(FileError) -> Result
) throws(StoreError) -> Result {
  do throws(FileError) { return try body() } catch { throw .file(error) }
}

extension StoreError {
  /// Rows between two records, in a store that cannot be asked for them.
  package static func unjoined(_ join: RowJoin, of entity: EntityName, path: String) -> StoreError {
    .unknownField(
      path: path,
      entity: entity,
      field: join.name,
      reason: "only the tables of one SQLite database that is no Core Data store can be joined"
    )
  }
}
