/// What Ferry knows of one kind of file: its name, how it is recognised, and what to give instead.
///
/// The list of kinds is in one place. ``SourceKind`` recognises by it, messages and the page “Which stores
/// are read” are made of it, and a test compares that page with it.
package struct SourceFormat: Hashable, Sendable {
  /// What becomes of a file of this kind.
  package enum Use: Hashable, Sendable {
    /// It is read as a store.
    case read(Reader)
    /// It is, or belongs to, a database that is not read: in a folder it is named and counts as left out.
    case unread
    /// It is no store of an app.
    case other
  }

  /// What reads the files of a kind.
  package enum Reader: Hashable, Sendable {
    case sqlite, coreDataXML, realm, propertyList, sharedPreferences, files
  }

  /// Bytes at a place of a file.
  package struct Mark: Hashable, Sendable {
    /// The place, counted from zero.
    package let place: Int
    package let bytes: [UInt8]

    init(_ bytes: [UInt8], at place: Int = 0) {
      self.place = place
      self.bytes = bytes
    }

    init(_ text: String, at place: Int = 0) {
      self.init(Array(text.utf8), at: place)
    }

    package func matches(_ start: [UInt8]) -> Bool { start.dropFirst(place).starts(with: bytes) }
  }

  /// The heading of its row in the documentation.
  package let title: String
  /// What it is called in a message: `an SQLite database`.
  package let words: String
  /// How it is recognised, in words.
  package let recognition: String
  /// The bytes it is recognised by, one of them; nothing where more than bytes decides.
  package let marks: [Mark]
  package let use: Use
  /// What a person can do when this kind is refused.
  package let cure: String

  init(
    _ title: String,
    _ words: String,
    _ use: Use,
    by recognition: String,
    marks: [Mark] = [],
    cure: String
  ) {
    self.title = title
    self.words = words
    self.recognition = recognition
    self.marks = marks
    self.use = use
    self.cure = cure
  }
}

// MARK: - Stores that are read

extension SourceFormat {
  package static let sqlite = SourceFormat(
    "SQLite: Core Data, SwiftData, GRDB, Couchbase Lite 2 and 3, `androidx.room`, any other",
    "an SQLite database",
    .read(.sqlite),
    by: "`SQLite format 3` at byte 0",
    marks: [Mark(Array("SQLite format 3".utf8) + [0])],
    cure: "give a Core Data or SwiftData store"
  )
  package static let coreDataXML = SourceFormat(
    "Core Data XML store",
    "a Core Data XML store",
    .read(.coreDataXML),
    by: "the element `database` or its document type",
    cure: "give a Core Data or SwiftData store"
  )
  package static let realm = SourceFormat(
    "Realm, file formats 2 to 24",
    "a Realm database",
    .read(.realm),
    by: "`T-DB` at byte 16, or the shape of encrypted pages",
    marks: [Mark("T-DB", at: 16)],
    cure: "give the database with which the app works"
  )
  package static let binaryPropertyList = SourceFormat(
    "Preferences, a binary property list",
    "a binary property list",
    .read(.propertyList),
    by: "`bplist` at byte 0",
    marks: [Mark("bplist")],
    cure: "give the app's store, or its preferences in Library/Preferences"
  )
  package static let xmlPropertyList = SourceFormat(
    "Preferences, an XML property list",
    "an XML property list",
    .read(.propertyList),
    by: "the element `plist`",
    cure: "give the app's store, or its preferences in Library/Preferences"
  )
  package static let oldStylePropertyList = SourceFormat(
    "Preferences, an old-style property list",
    "an old-style property list",
    .read(.propertyList),
    by: "a brace, a name and an equals sign",
    cure: "give the app's store, or its preferences in Library/Preferences"
  )
  package static let androidPreferences = SourceFormat(
    "SharedPreferences of Android",
    "preferences of an Android app (SharedPreferences)",
    .read(.sharedPreferences),
    by: "the element `map` without attributes",
    cure: "give the app's store, or its preferences in shared_prefs"
  )
  package static let delimitedText = SourceFormat(
    "CSV, TSV",
    "a table of delimited text",
    .read(.files),
    by: "the name: `.csv`, `.tsv`, `.tab`",
    cure: "give a file of rows or objects by itself"
  )
  package static let json = SourceFormat(
    "JSON, JSON Lines",
    "a JSON file",
    .read(.files),
    by: "the name: `.json`, `.jsonl`, `.ndjson`",
    cure: "give a file of rows or objects by itself"
  )
}

// MARK: - Databases that are not read

extension SourceFormat {
  private static let otherDatabase =
    "give the app's other stores, and have the app export this one"

  package static let writeAheadLog = SourceFormat(
    "SQLite write-ahead log without its database",
    "an SQLite write-ahead log without its database",
    .unread,
    by: "`37 7F 06 82` or `37 7F 06 83` at byte 0",
    marks: [Mark([0x37, 0x7F, 0x06, 0x82]), Mark([0x37, 0x7F, 0x06, 0x83])],
    cure: "give the database itself and keep this file beside it, under its own name"
  )
  package static let rollbackJournal = SourceFormat(
    "SQLite rollback journal without its database",
    "an SQLite rollback journal without its database",
    .unread,
    by: "`D9 D5 05 F9 20 A1 63 D7` at byte 0",
    marks: [Mark([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])],
    cure: "give the database itself and keep this file beside it, under its own name"
  )
  package static let encrypted = SourceFormat(
    "SQLCipher and other encrypted SQLite databases",
    "without a known beginning and evenly random: it may be an encrypted SQLite database",
    .unread,
    by: "whole pages of evenly random bytes",
    cure: "decrypt a copy with sqlcipher (PRAGMA key, ATTACH a new file with an empty key, SELECT "
      + "sqlcipher_export), and give that file"
  )
  static let couchbaseEncrypted = SourceFormat(
    "Encrypted database of Couchbase Lite (Enterprise Edition)",
    "an encrypted database of Couchbase Lite",
    .unread,
    by: "whole pages of evenly random bytes in `db.sqlite3` of a folder `.cblite2`",
    cure:
      "have the app remove the encryption (changeEncryptionKey with no key), and give that folder"
  )
  package static let coreDataBinary = SourceFormat(
    "Core Data binary store",
    "a Core Data binary store, which is not read",
    .unread,
    by: "`CoreData` at byte 0",
    marks: [Mark("CoreData")],
    cure: "convert it to an SQLite store on a Mac (migratePersistentStore(_:to:type:))"
  )
  static let objectBox = SourceFormat(
    "ObjectBox",
    "an ObjectBox database",
    .unread,
    by: "an LMDB database in a folder `objectbox`",
    cure: "have the app write its objects to JSON, and give that file"
  )
  static let lmdb = SourceFormat(
    "LMDB",
    "an LMDB database",
    .unread,
    by: "`DE C0 EF BE` at byte 16 or 12",
    marks: [Mark([0xDE, 0xC0, 0xEF, 0xBE], at: 16), Mark([0xDE, 0xC0, 0xEF, 0xBE], at: 12)],
    cure: otherDatabase
  )
  static let levelDB = SourceFormat(
    "LevelDB: Firestore's cache and others",
    "the index of a LevelDB database",
    .unread,
    by: "`MANIFEST-` at byte 0 of the file `CURRENT`",
    marks: [Mark("MANIFEST-")],
    cure: "export the data at the server whose cache it is, or have the app export it"
  )
  static let androidBackup = SourceFormat(
    "Android backup (`adb backup`)",
    "a backup of an Android device",
    .unread,
    by: "`ANDROID BACKUP` at byte 0",
    marks: [Mark("ANDROID BACKUP\n")],
    cure:
      "unpack a copy with the Android backup extractor (abe unpack), then tar, and give the app's "
      + "folder"
  )
  static let dataStore = SourceFormat(
    "DataStore of Android",
    "preferences of an Android app as protocol buffers (DataStore), which are not read",
    .unread,
    by: "the name: `.preferences_pb`, or `.pb` in a folder `datastore`",
    cure: "have the app write these preferences to JSON or SharedPreferences, and give that file"
  )
  static let berkeleyDB = SourceFormat(
    "Berkeley DB",
    "a Berkeley DB database",
    .unread,
    by: "`00 05 31 62` or `00 06 15 61` at byte 12, in either order",
    marks: [
      Mark([0x62, 0x31, 0x05, 0x00], at: 12), Mark([0x00, 0x05, 0x31, 0x62], at: 12),
      Mark([0x61, 0x15, 0x06, 0x00], at: 12), Mark([0x00, 0x06, 0x15, 0x61], at: 12),
    ],
    cure: otherDatabase
  )
  static let duckDB = SourceFormat(
    "DuckDB",
    "a DuckDB database",
    .unread,
    by: "`DUCK` at byte 8",
    marks: [Mark("DUCK", at: 8)],
    cure: otherDatabase
  )
  static let accessDatabase = SourceFormat(
    "Microsoft Access",
    "a Microsoft Access database",
    .unread,
    by: "`Standard Jet DB` or `Standard ACE DB` at byte 4",
    marks: [Mark("Standard Jet DB", at: 4), Mark("Standard ACE DB", at: 4)],
    cure: otherDatabase
  )
  static let oldSQLite = SourceFormat(
    "SQLite 2",
    "a database of SQLite 2",
    .unread,
    by: "`** This file contains an SQLite 2` at byte 0",
    marks: [Mark("** This file contains an SQLite 2")],
    cure: otherDatabase
  )
  package static let unknown = SourceFormat(
    "Any other file that is named like a database",
    "of no kind that Ferry knows",
    .unread,
    by: "the name: `.db`, `.store`, `.hive`, `.isar` and others",
    cure:
      "check that this is the file the app keeps its data in, and name a table .csv, .tsv, .jsonl or "
      + ".json"
  )
}

// MARK: - What is no store of an app

extension SourceFormat {
  static let checkpoint = SourceFormat(
    "A checkpoint of Ferry",
    "a checkpoint of Ferry, where it remembers its runs",
    .other,
    by: "the application ID of SQLite: `Fery`",
    cure: "give the app's store"
  )
  package static let plan = SourceFormat(
    "A plan of Ferry",
    "a plan that Ferry saved",
    .other,
    by: "the application ID of SQLite: `FryP`",
    cure: "give the app's store"
  )
  package static let folder = SourceFormat(
    "A folder",
    "a folder",
    .other,
    by: "the file system",
    cure: "give the store file inside; a managed document keeps it as StoreContent/persistentStore"
  )
  package static let empty = SourceFormat(
    "An empty file",
    "empty",
    .other,
    by: "its size",
    cure: "give another copy; a store is never empty"
  )
}
