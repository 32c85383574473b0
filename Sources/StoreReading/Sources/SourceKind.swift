import Files
import RealmFiles

/// What a source is, by its first bytes.
///
/// The name counts for files of text that a person named: a table may begin with any letters.
package enum SourceKind: String, Hashable, Sendable {
  case sqlite
  case writeAheadLog, rollbackJournal
  case coreDataXML, coreDataBinary
  case binaryPropertyList, xmlPropertyList, oldStylePropertyList
  /// A Realm database, plain or encrypted.
  case realm
  /// A table as CSV or TSV, and JSON that may hold objects: known by name only.
  case delimitedText, json
  /// Databases of other kinds, which are not read.
  case lmdb, levelDB, berkeleyDB, duckDB, accessDatabase, oldSQLite
  /// What Ferry itself keeps: what it remembers of its runs, and a plan that a person saved.
  case checkpoint, plan
  case folder, empty, encrypted, unknown

  /// Looks at the file's beginning.
  ///
  /// - Throws: ``StoreError/file(_:)`` when it cannot be read or is a symbolic link.
  package init(of path: String) throws(StoreError) {
    if Folder.exists(path) {
      self = .folder
      return
    }
    do throws(FileError) {
      let file = try InputFile(path, followsLinks: false)
      let size = try file.size()
      let start = try file.bytes(at: 0, count: Int(min(size, 4096)))
      let kind = SourceKind(start: start, size: size)
      self = kind.isOfOpenText ? TableName.kind(of: path) ?? kind : kind
    } catch {
      throw .file(error)
    }
  }

  /// Recognises a file of `size` bytes by its first 4,096.
  package init(start: [UInt8], size: Int64) {
    if size == 0 {
      self = .empty
    } else if start.starts(with: Array("SQLite format 3".utf8) + [0]) {
      self = Self.ofFerry(start) ?? .sqlite
    } else if start.starts(with: [0x37, 0x7F, 0x06]), start.count > 3, start[3] & 0xFE == 0x82 {
      self = .writeAheadLog
    } else if start.starts(with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) {
      self = .rollbackJournal
    } else if start.starts(with: "CoreData".utf8) {
      self = .coreDataBinary
    } else if start.starts(with: "bplist".utf8) {
      self = .binaryPropertyList
    } else {
      self =
        Self.otherDatabase(start) ?? Self.markup(in: start) ?? Self.oldStyle(start)
        ?? (EncryptedLook.matches(start: start, size: size) ? .realm : nil)
        ?? (Self.looksEncrypted(start, size) ? .encrypted : .unknown)
    }
  }

  /// Whether a text that is a table can begin as this kind does.
  private var isOfOpenText: Bool { [.unknown, .levelDB, .coreDataBinary].contains(self) }

  /// What of Ferry's own a database says that it is.
  ///
  /// https://www.sqlite.org/fileformat.html#application_id
  private static func ofFerry(_ start: [UInt8]) -> SourceKind? {
    guard start.count >= 72 else { return nil }
    return switch String(decoding: start[68..<72], as: UTF8.self) {
    case "Fery": .checkpoint
    case "FryP": .plan
    default: nil
    }
  }

  /// The marks of other databases, and where they are in the file.
  private static let marks: [(place: Int, bytes: [UInt8], kind: SourceKind)] = [
    (16, Array("T-DB".utf8), .realm),
    (16, [0xDE, 0xC0, 0xEF, 0xBE], .lmdb), (12, [0xDE, 0xC0, 0xEF, 0xBE], .lmdb),
    (0, Array("MANIFEST-".utf8), .levelDB),
    (12, [0x62, 0x31, 0x05, 0x00], .berkeleyDB), (12, [0x00, 0x05, 0x31, 0x62], .berkeleyDB),
    (12, [0x61, 0x15, 0x06, 0x00], .berkeleyDB), (12, [0x00, 0x06, 0x15, 0x61], .berkeleyDB),
    (8, Array("DUCK".utf8), .duckDB),
    (4, Array("Standard Jet DB".utf8), .accessDatabase),
    (4, Array("Standard ACE DB".utf8), .accessDatabase),
    (0, Array("** This file contains an SQLite 2".utf8), .oldSQLite),
  ]

  private static func otherDatabase(_ start: [UInt8]) -> SourceKind? {
    marks.first { start.dropFirst($0.place).starts(with: $0.bytes) }?.kind
  }

  private static func markup(in start: [UInt8]) -> SourceKind? {
    // Wider encodings put zero bytes between the letters.
    let text = String(decoding: start.filter { $0 != 0 && $0 < 0x80 }, as: UTF8.self)
    let trimmed = text.drop { $0.isWhitespace }
    guard trimmed.hasPrefix("<") else { return nil }
    if text.contains("<!DOCTYPE database") || text.contains("<database") { return .coreDataXML }
    return text.contains("<plist") || text.contains("<!DOCTYPE plist") ? .xmlPropertyList : nil
  }

  /// A dictionary as NeXT wrote it: a brace, a name, and an equals sign where JSON has a colon.
  private static func oldStyle(_ start: [UInt8]) -> SourceKind? {
    let letters = start.filter { $0 > 0x20 && $0 < 0x7F }
    guard letters.first == UInt8(ascii: "{") else { return nil }
    var rest = letters.dropFirst()
    if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      var isEscaped = false
      rest = rest.dropFirst().drop { byte in
        defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
        return byte != quote || isEscaped
      }.dropFirst()
    } else {
      rest = rest.drop { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ":") }
    }
    return rest.first == UInt8(ascii: "=") ? .oldStylePropertyList : nil
  }

  /// Ciphertext has whole pages, and its bytes are spread evenly.
  private static func looksEncrypted(_ start: [UInt8], _ size: Int64) -> Bool {
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

  /// Whether a file of this kind can be read as a store.
  package var isRead: Bool {
    switch self {
    case .sqlite, .coreDataXML, .realm, .binaryPropertyList, .xmlPropertyList,
      .oldStylePropertyList, .delimitedText, .json:
      true
    default: false
    }
  }

  /// Whether it is, or belongs to, a database that is not read.
  var isUnreadDatabase: Bool {
    switch self {
    case .writeAheadLog, .rollbackJournal, .coreDataBinary, .lmdb, .levelDB, .berkeleyDB, .duckDB,
      .accessDatabase, .oldSQLite, .encrypted, .unknown:
      true
    case .sqlite, .coreDataXML, .realm, .binaryPropertyList, .xmlPropertyList,
      .oldStylePropertyList, .delimitedText, .json, .checkpoint, .plan, .folder, .empty:
      false
    }
  }

  /// What it is called in a message.
  package var words: String {
    switch self {
    case .sqlite: "an SQLite database"
    case .writeAheadLog: "an SQLite write-ahead log without its database"
    case .rollbackJournal: "an SQLite rollback journal without its database"
    case .coreDataXML: "a Core Data XML store"
    case .coreDataBinary: "a Core Data binary store, which is not read"
    case .binaryPropertyList: "a binary property list"
    case .xmlPropertyList: "an XML property list"
    case .oldStylePropertyList: "an old-style property list"
    case .realm: "a Realm database"
    case .delimitedText: "a table of delimited text"
    case .json: "a JSON file"
    case .lmdb: "an LMDB database"
    case .levelDB: "the index of a LevelDB database"
    case .berkeleyDB: "a Berkeley DB database"
    case .duckDB: "a DuckDB database"
    case .accessDatabase: "a Microsoft Access database"
    case .oldSQLite: "a database of SQLite 2"
    case .checkpoint: "a checkpoint of Ferry, where it remembers its runs"
    case .plan: "a plan that Ferry saved"
    case .folder: "a folder"
    case .empty: "empty"
    case .encrypted: "without a known beginning and evenly random: it seems to be encrypted"
    case .unknown: "of no kind that Ferry knows"
    }
  }

  /// What a person can do when this kind is refused.
  var cure: String {
    switch self {
    case .sqlite, .coreDataXML: "give a Core Data or SwiftData store"
    case .realm: "give the database with which the app works"
    case .delimitedText, .json: "give a file of rows or objects by itself"
    case .writeAheadLog, .rollbackJournal:
      "give the database itself and keep this file beside it, under its own name"
    case .coreDataBinary:
      "convert it to an SQLite store on a Mac (migratePersistentStore(_:to:type:))"
    case .binaryPropertyList, .xmlPropertyList, .oldStylePropertyList:
      "give the app's store, or its preferences in Library/Preferences"
    case .lmdb, .levelDB, .berkeleyDB, .duckDB, .accessDatabase, .oldSQLite:
      "ferry reads no such database: give the app's other stores, and have the app export this one"
    case .checkpoint, .plan: "give the app's store"
    case .folder:
      "give the store file inside; a managed document keeps it as StoreContent/persistentStore"
    case .empty: "give another copy; a store is never empty"
    case .encrypted: "have the app write an unencrypted copy (for SQLCipher, sqlcipher_export)"
    case .unknown:
      "check that this is the file the app keeps its data in; the name of a table ends in .csv, .tsv, "
        + ".jsonl or .json"
    }
  }
}
