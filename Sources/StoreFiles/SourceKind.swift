/// What Ferry knows of one kind of file: its name, how it is recognised, and what to give instead.
///
/// `StoreReading` lists all kinds and recognises a file by that list. Messages and the page “Which stores are
/// read” are made of it, and a test compares that page with it.
package struct SourceKind: Sendable {
  /// What becomes of a file of this kind.
  package enum Use: Hashable, Sendable {
    /// It is read as a store.
    case store
    /// The same, though files of the kind are seldom stores: a person names one, or its place tells.
    case document
    /// It is, or belongs to, a database that is not read: in a folder it is named and counts as left out.
    case unread
    /// It is no store of an app.
    case other
  }

  /// Bytes at a place of a file.
  package struct Mark: Hashable, Sendable {
    /// The place, counted from zero.
    package let place: Int
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8], at place: Int = 0) {
      self.place = place
      self.bytes = bytes
    }

    package init(_ text: String, at place: Int = 0) {
      self.init(Array(text.utf8), at: place)
    }

    package func matches(_ start: [UInt8]) -> Bool { start.dropFirst(place).starts(with: bytes) }
  }

  /// Its name in the result of `inspect`, which no other kind has.
  package let name: String
  /// The heading of its row in the documentation.
  package let title: String
  /// What it is called in a message: `an SQLite database`.
  package let words: String
  /// How it is recognised, in words.
  package let recognition: String
  /// What of such a store does not come into a package, in words.
  package let loss: String
  /// The bytes it is recognised by, one of them; nothing where more than bytes decides.
  package let marks: [Mark]
  /// Whether a file without a mark is of this kind, by its beginning and its size.
  package let looks: @Sendable (_ start: [UInt8], _ size: Int64) -> Bool
  /// Whether a text of no other kind is of this one by its name.
  package let hasName: @Sendable (_ path: String) -> Bool
  package let use: Use
  /// What a person can do when this kind is refused.
  package let cure: String
  /// Why the file at a path of a container is not read, or `nil` where it is.
  package let refusal: @Sendable (_ path: String) -> String?

  /// Without a `refusal`, stores of the kind are read in a container, and files of any other use are not.
  package init(
    _ name: String,
    _ title: String,
    _ words: String,
    _ use: Use,
    by recognition: String,
    losing loss: String = "nothing",
    marks: [Mark] = [],
    looks: @escaping @Sendable ([UInt8], Int64) -> Bool = { _, _ in false },
    hasName: @escaping @Sendable (String) -> Bool = { _ in false },
    refusal: (@Sendable (String) -> String?)? = nil,
    cure: String
  ) {
    self.name = name
    self.title = title
    self.words = words
    self.recognition = recognition
    self.loss = loss
    self.marks = marks
    self.looks = looks
    self.hasName = hasName
    self.use = use
    self.cure = cure
    self.refusal = refusal ?? { _ in use == .store ? nil : "it is \(words)" }
  }

  /// Whether a file of this kind can be read as a store.
  package var isRead: Bool { use == .store || use == .document }

  /// Whether it is, or belongs to, a database that is not read.
  package var isUnreadDatabase: Bool { use == .unread }
}

extension SourceKind: Hashable {
  package static func == (one: SourceKind, other: SourceKind) -> Bool { one.name == other.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

// MARK: - Stores that modules below `StoreReading` read

extension SourceKind {
  package static let sqlite = SourceKind(
    "sqlite",
    "SQLite: Core Data, SwiftData, GRDB, Couchbase Lite 2 and 3, `androidx.room`, any other",
    "an SQLite database",
    .store,
    by: "`SQLite format 3` at byte 0",
    losing: "views, triggers, indexes, and Core Data's own tables, such as its history",
    marks: [Mark(Array("SQLite format 3".utf8) + [0])],
    cure: "give a Core Data or SwiftData store"
  )
  package static let binaryPropertyList = SourceKind(
    "binaryPropertyList",
    "Preferences, a binary property list",
    "a binary property list",
    .document,
    by: "`bplist` at byte 0",
    marks: [Mark("bplist")],
    refusal: ContainerRules.listRefusal,
    cure: "give the app's store, or its preferences in Library/Preferences"
  )
  package static let xmlPropertyList = SourceKind(
    "xmlPropertyList",
    "Preferences, an XML property list",
    "an XML property list",
    .document,
    by: "the element `plist`",
    looks: { start, _ in
      markup(start).map { $0.contains("<plist") || $0.contains("<!DOCTYPE plist") } ?? false
    },
    refusal: ContainerRules.listRefusal,
    cure: "give the app's store, or its preferences in Library/Preferences"
  )
  package static let oldStylePropertyList = SourceKind(
    "oldStylePropertyList",
    "Preferences, an old-style property list",
    "an old-style property list",
    .document,
    by: "a brace, a name and an equals sign",
    looks: { start, _ in isOldStyle(start) },
    refusal: ContainerRules.listRefusal,
    cure: "give the app's store, or its preferences in Library/Preferences"
  )
  package static let androidPreferences = SourceKind(
    "androidPreferences",
    "SharedPreferences of Android",
    "preferences of an Android app (SharedPreferences)",
    .document,
    by: "the element `map` without attributes",
    losing: "the order of a set, which has no meaning",
    looks: { start, _ in markup(start).map(isMap) ?? false },
    refusal: ContainerRules.mapRefusal,
    cure: "give the app's store, or its preferences in shared_prefs"
  )
}

// MARK: - Databases that are not read

extension SourceKind {
  /// The kinds of which no file is read, in the order in which they are recognised.
  package static let unread: [SourceKind] = [
    .writeAheadLog, .rollbackJournal, .coreDataBinary, .lmdb, .objectBox, .levelDB, .berkeleyDB,
    .duckDB, .accessDatabase, .oldSQLite, .androidBackup, .dataStore, .couchbaseEncrypted,
    .checkpoint, .plan, .folder, .empty, .encrypted, .unknown,
  ]

  private static let otherDatabase =
    "give the app's other stores, and have the app export this one"

  package static let writeAheadLog = SourceKind(
    "writeAheadLog",
    "SQLite write-ahead log, not the database itself",
    "an SQLite write-ahead log, not the database itself",
    .unread,
    by: "`37 7F 06 82` or `37 7F 06 83` at byte 0",
    marks: [Mark([0x37, 0x7F, 0x06, 0x82]), Mark([0x37, 0x7F, 0x06, 0x83])],
    cure: "give the database itself and keep this file beside it, under its own name"
  )
  package static let rollbackJournal = SourceKind(
    "rollbackJournal",
    "SQLite rollback journal, not the database itself",
    "an SQLite rollback journal, not the database itself",
    .unread,
    by: "`D9 D5 05 F9 20 A1 63 D7` at byte 0",
    marks: [Mark([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])],
    cure: "give the database itself and keep this file beside it, under its own name"
  )
  package static let encrypted = SourceKind(
    "encrypted",
    "SQLCipher and other encrypted SQLite databases",
    "without a known beginning and evenly random: it may be an encrypted SQLite database",
    .unread,
    by: "whole pages of evenly random bytes",
    looks: { start, size in looksEncrypted(start[...], size) },
    cure: "decrypt a copy with sqlcipher (PRAGMA key, ATTACH a new file with an empty key, SELECT "
      + "sqlcipher_export), and give that file"
  )
  package static let couchbaseEncrypted = SourceKind(
    "couchbaseEncrypted",
    "Encrypted database of Couchbase Lite (Enterprise Edition)",
    "an encrypted database of Couchbase Lite",
    .unread,
    by: "whole pages of evenly random bytes in `db.sqlite3` of a folder `.cblite2`",
    cure:
      "have the app remove the encryption (changeEncryptionKey with no key), and give that folder"
  )
  package static let coreDataBinary = SourceKind(
    "coreDataBinary",
    "Core Data binary store",
    "a Core Data binary store",
    .unread,
    by: "`CoreData` at byte 0",
    marks: [Mark("CoreData")],
    cure: "convert it to an SQLite store on a Mac (migratePersistentStore(_:to:type:))"
  )
  package static let objectBox = SourceKind(
    "objectBox",
    "ObjectBox",
    "an ObjectBox database",
    .unread,
    by: "an LMDB database in a folder `objectbox`",
    cure: "have the app write its objects to JSON, and give that file"
  )
  package static let lmdb = SourceKind(
    "lmdb",
    "LMDB",
    "an LMDB database",
    .unread,
    by: "`DE C0 EF BE` at byte 16 or 12",
    marks: [Mark([0xDE, 0xC0, 0xEF, 0xBE], at: 16), Mark([0xDE, 0xC0, 0xEF, 0xBE], at: 12)],
    cure: otherDatabase
  )
  package static let levelDB = SourceKind(
    "levelDB",
    "LevelDB: Firestore's cache and others",
    "the index of a LevelDB database",
    .unread,
    by: "`MANIFEST-` at byte 0 of the file `CURRENT`",
    marks: [Mark("MANIFEST-")],
    cure: "export the data at the server whose cache it is, or have the app export it"
  )
  package static let androidBackup = SourceKind(
    "androidBackup",
    "Android backup (`adb backup`)",
    "a backup of an Android device",
    .unread,
    by: "`ANDROID BACKUP` at byte 0",
    marks: [Mark("ANDROID BACKUP\n")],
    cure:
      "unpack a copy with the Android backup extractor (abe unpack), then tar, and give the app's "
      + "folder"
  )
  package static let dataStore = SourceKind(
    "dataStore",
    "DataStore of Android",
    "preferences of an Android app as protocol buffers (DataStore)",
    .unread,
    by: "the name: `.preferences_pb`, or `.pb` in a folder `datastore`",
    cure: "have the app write these preferences to JSON or SharedPreferences, and give that file"
  )
  package static let berkeleyDB = SourceKind(
    "berkeleyDB",
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
  package static let duckDB = SourceKind(
    "duckDB",
    "DuckDB",
    "a DuckDB database",
    .unread,
    by: "`DUCK` at byte 8",
    marks: [Mark("DUCK", at: 8)],
    cure: otherDatabase
  )
  package static let accessDatabase = SourceKind(
    "accessDatabase",
    "Microsoft Access",
    "a Microsoft Access database",
    .unread,
    by: "`Standard Jet DB` or `Standard ACE DB` at byte 4",
    marks: [Mark("Standard Jet DB", at: 4), Mark("Standard ACE DB", at: 4)],
    cure: otherDatabase
  )
  package static let oldSQLite = SourceKind(
    "oldSQLite",
    "SQLite 2",
    "a database of SQLite 2",
    .unread,
    by: "`** This file contains an SQLite 2` at byte 0",
    marks: [Mark("** This file contains an SQLite 2")],
    cure: otherDatabase
  )
  package static let unknown = SourceKind(
    "unknown",
    "Any other file that is named like a database",
    "of no kind that Ferry knows",
    .unread,
    by: "the name: `.db`, `.store`, `.hive`, `.isar` and others",
    refusal: { _ in "it is named like a database, and of no kind that Ferry knows" },
    cure:
      "check that this is the file the app keeps its data in, and name a table .csv, .tsv, .jsonl or "
      + ".json"
  )
}

// MARK: - What is no store of an app

extension SourceKind {
  package static let checkpoint = SourceKind(
    "checkpoint",
    "A checkpoint of Ferry",
    "a checkpoint of Ferry, where it remembers its runs",
    .other,
    by: "the application ID of SQLite: `Fery`",
    cure: "give the app's store"
  )
  package static let plan = SourceKind(
    "plan",
    "A plan of Ferry",
    "a plan that Ferry saved",
    .other,
    by: "the application ID of SQLite: `FryP`",
    cure: "give the app's store"
  )
  package static let folder = SourceKind(
    "folder",
    "A folder",
    "a folder",
    .other,
    by: "the file system",
    cure: "give the store file inside; a managed document keeps it as StoreContent/persistentStore"
  )
  package static let empty = SourceKind(
    "empty",
    "An empty file",
    "empty",
    .other,
    by: "its size",
    cure: "give another copy; a store is never empty"
  )
}

// MARK: - Looks

extension SourceKind {
  /// The letters of a text that begins with an element, or `nil` for any other.
  package static func markup(_ start: [UInt8]) -> Substring? {
    // Wider encodings put zero bytes between the letters.
    let text = String(decoding: start.filter { $0 != 0 && $0 < 0x80 }, as: UTF8.self)
    let trimmed = text.drop { $0.isWhitespace }
    return trimmed.hasPrefix("<") ? trimmed : nil
  }

  /// Whether the root is `map` and has no attributes, as `XmlUtils` of Android writes it.
  private static func isMap(_ text: Substring) -> Bool {
    var rest = text
    if rest.hasPrefix("<?"), let end = rest.firstIndex(of: ">") {
      rest = rest[rest.index(after: end)...].drop { $0.isWhitespace }
    }
    guard rest.hasPrefix("<map") else { return false }
    let end = rest.dropFirst(4).drop { $0.isWhitespace || $0 == "/" }
    return end.first == ">"
  }

  /// A dictionary as NeXT wrote it: a brace, a name, and an equals sign where JSON has a colon.
  private static func isOldStyle(_ start: [UInt8]) -> Bool {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    // Wider encodings put zero bytes between the letters, and a mark before them.
    var rest = start.filter { $0 != 0 }.drop { isSpace($0) || $0 >= 0x80 }
    guard rest.popFirst() == UInt8(ascii: "{") else { return false }
    rest = rest.drop(while: isSpace)
    if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      var isEscaped = false
      rest = rest.dropFirst().drop { byte in
        defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
        return byte != quote || isEscaped
      }.dropFirst()
    } else {
      // Random bytes may have such signs among them: a name, and a comment before it, is a text.
      let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ":") }
      let isText = name.allSatisfy { $0 >= 0x20 || isSpace($0) }
      guard isText, String(validating: name, as: UTF8.self) != nil else { return false }
      rest = rest.dropFirst(name.count)
    }
    return rest.drop(while: isSpace).first == UInt8(ascii: "=")
  }

  /// Ciphertext has whole pages, and its bytes are spread evenly.
  package static func looksEncrypted(_ start: ArraySlice<UInt8>, _ size: Int64) -> Bool {
    guard size >= 1024, size % 512 == 0 else { return false }
    var counts = Array(repeating: 0, count: 256)
    for byte in start { counts[Int(byte)] += 1 }
    let expected = Double(start.count) / 256
    let spread = counts.reduce(0.0) { sum, count in
      let distance = Double(count) - expected
      return sum + distance * distance / expected
    }
    // Chi-square with 255 degrees of freedom: 400 is beyond chance, and text is far beyond it.
    return spread < 400
  }
}
