import Files

/// What a source is, by its first bytes; the name of the file does not count.
package enum SourceKind: String, Hashable, Sendable {
  case sqlite
  case writeAheadLog, rollbackJournal
  case coreDataXML, coreDataBinary
  case binaryPropertyList, xmlPropertyList, oldStylePropertyList
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
      self.init(start: start, size: size)
    } catch {
      throw .file(error)
    }
  }

  /// Recognises a file of `size` bytes by its first 4,096.
  package init(start: [UInt8], size: Int64) {
    if size == 0 {
      self = .empty
    } else if start.starts(with: Array("SQLite format 3".utf8) + [0]) {
      self = .sqlite
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
        Self.markup(in: start) ?? Self.oldStyle(start)
        ?? (Self.looksEncrypted(start, size) ? .encrypted : .unknown)
    }
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
    case .sqlite, .coreDataXML, .binaryPropertyList, .xmlPropertyList, .oldStylePropertyList: true
    default: false
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
    case .folder: "a folder"
    case .empty: "empty"
    case .encrypted: "without a known beginning and evenly random: it seems to be encrypted"
    case .unknown: "of no kind that is known here"
    }
  }

  /// What a person can do when this kind is refused.
  var cure: String {
    switch self {
    case .sqlite, .coreDataXML: "give a Core Data or SwiftData store"
    case .writeAheadLog, .rollbackJournal:
      "give the database itself and keep this file beside it, under its own name"
    case .coreDataBinary:
      "convert it to an SQLite store on a Mac (migratePersistentStore(_:to:type:))"
    case .binaryPropertyList, .xmlPropertyList, .oldStylePropertyList:
      "give the app's store, or its preferences in Library/Preferences"
    case .folder:
      "give the store file inside; a managed document keeps it as StoreContent/persistentStore"
    case .empty: "give another copy; a store is never empty"
    case .encrypted: "have the app write an unencrypted copy (for SQLCipher, sqlcipher_export)"
    case .unknown: "check that this is the file the app keeps its data in"
    }
  }
}
