import Files
import RealmFiles

/// What a source is, by its first bytes.
///
/// The name counts for files of text that a person named: a table may begin with any letters. It counts for
/// kinds of Android and of Couchbase Lite, too, which have no mark of their own.
package enum SourceKind: String, Hashable, Sendable, CaseIterable {
  case sqlite
  case writeAheadLog, rollbackJournal
  case coreDataXML, coreDataBinary
  case binaryPropertyList, xmlPropertyList, oldStylePropertyList
  /// A Realm database, plain or encrypted.
  case realm
  /// The preferences of an Android app as XML (SharedPreferences).
  case androidPreferences
  /// A table as CSV or TSV, and JSON that may hold objects: known by name only.
  case delimitedText, json
  /// Databases of other kinds, which are not read.
  case lmdb, objectBox, levelDB, berkeleyDB, duckDB, accessDatabase, oldSQLite
  case androidBackup, dataStore
  /// A database of Couchbase Lite's Enterprise Edition with a key.
  case couchbaseEncrypted
  /// What Ferry itself keeps: what it remembers of its runs, and a plan that a person saved.
  case checkpoint, plan
  case folder, empty, encrypted, unknown

  /// What is known of the kind.
  package var format: SourceFormat {
    switch self {
    case .sqlite: .sqlite
    case .writeAheadLog: .writeAheadLog
    case .rollbackJournal: .rollbackJournal
    case .coreDataXML: .coreDataXML
    case .coreDataBinary: .coreDataBinary
    case .binaryPropertyList: .binaryPropertyList
    case .xmlPropertyList: .xmlPropertyList
    case .oldStylePropertyList: .oldStylePropertyList
    case .realm: .realm
    case .androidPreferences: .androidPreferences
    case .delimitedText: .delimitedText
    case .json: .json
    case .lmdb: .lmdb
    case .objectBox: .objectBox
    case .levelDB: .levelDB
    case .berkeleyDB: .berkeleyDB
    case .duckDB: .duckDB
    case .accessDatabase: .accessDatabase
    case .oldSQLite: .oldSQLite
    case .androidBackup: .androidBackup
    case .dataStore: .dataStore
    case .couchbaseEncrypted: .couchbaseEncrypted
    case .checkpoint: .checkpoint
    case .plan: .plan
    case .folder: .folder
    case .empty: .empty
    case .encrypted: .encrypted
    case .unknown: .unknown
    }
  }

  /// What it is called in a message.
  package var words: String { format.words }

  /// What a person can do when this kind is refused.
  package var cure: String { format.cure }

  /// Whether a file of this kind can be read as a store.
  package var isRead: Bool {
    if case .read = format.use { true } else { false }
  }

  /// Whether it is, or belongs to, a database that is not read.
  package var isUnreadDatabase: Bool { format.use == .unread }

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
      let kind = SourceKind(start: start, size: size).named(path)
      self = kind.isOfOpenText ? TableName.kind(of: path) ?? kind : kind
    } catch {
      throw .file(error)
    }
  }

  /// Recognises a file of `size` bytes by its first 4,096.
  package init(start: [UInt8], size: Int64) {
    if size == 0 {
      self = .empty
    } else if let kind = Self.allCases.first(where: { kind in
      kind.format.marks.contains { $0.matches(start) }
    }) {
      self = kind == .sqlite ? Self.sqlite(start, size) : kind
    } else {
      self =
        Self.markup(in: start) ?? Self.oldStyle(start)
        ?? (EncryptedLook.matches(start: start, size: size) ? .realm : nil)
        ?? (Self.looksEncrypted(start[...], size) ? .encrypted : .unknown)
    }
  }

  /// The same kind, or what the file's name and folder make of it.
  ///
  /// ObjectBox keeps an LMDB database in a folder of this name; DataStore writes protocol buffers, which
  /// begin with no mark. Couchbase Lite encrypts `db.sqlite3` in a folder `NAME.cblite2`.
  /// https://developer.android.com/topic/libraries/architecture/datastore
  package func named(_ path: String) -> SourceKind {
    let parts = path.lowercased().split(separator: "/")
    let folder = parts.dropLast().last
    switch self {
    case .lmdb: return folder == "objectbox" ? .objectBox : self
    case .unknown, .encrypted:
      guard let name = parts.last else { return self }
      if self == .encrypted, name == "db.sqlite3", folder?.hasSuffix(".cblite2") == true {
        return .couchbaseEncrypted
      }
      let isDataStore =
        name.hasSuffix(".preferences_pb") || folder == "datastore" && name.hasSuffix(".pb")
      return isDataStore ? .dataStore : self
    default: return self
    }
  }

  /// Whether a text that is a table can begin as this kind does.
  private var isOfOpenText: Bool { [.unknown, .levelDB, .coreDataBinary].contains(self) }

  /// What a file is that begins as an SQLite database: one of an app's or of Ferry's, or one of which only
  /// the first bytes are left plain, as SQLCipher does on iOS.
  ///
  /// https://www.sqlite.org/fileformat.html#application_id
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_plaintext_header_size
  private static func sqlite(_ start: [UInt8], _ size: Int64) -> SourceKind {
    guard start.count >= 72 else { return .sqlite }
    switch String(decoding: start[68..<72], as: UTF8.self) {
    case "Fery": return .checkpoint
    case "FryP": return .plan
    default: return looksEncrypted(start[32...], size) ? .encrypted : .sqlite
    }
  }

  private static func markup(in start: [UInt8]) -> SourceKind? {
    // Wider encodings put zero bytes between the letters.
    let text = String(decoding: start.filter { $0 != 0 && $0 < 0x80 }, as: UTF8.self)
    let trimmed = text.drop { $0.isWhitespace }
    guard trimmed.hasPrefix("<") else { return nil }
    if isMap(trimmed) { return .androidPreferences }
    if text.contains("<!DOCTYPE database") || text.contains("<database") { return .coreDataXML }
    return text.contains("<plist") || text.contains("<!DOCTYPE plist") ? .xmlPropertyList : nil
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
  private static func looksEncrypted(_ start: ArraySlice<UInt8>, _ size: Int64) -> Bool {
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
