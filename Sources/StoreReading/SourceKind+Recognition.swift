import Files
package import StoreFiles

extension SourceKind {
  /// Every kind, in the order in which they are recognised.
  package static let all: [SourceKind] = StoreReader.all.map(\.kind) + unread

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
      self = kind.isOfOpenText ? Self.all.first { $0.hasName(path) } ?? kind : kind
    } catch {
      throw .file(error)
    }
  }

  /// Recognises a file of `size` bytes by its first 4,096.
  ///
  /// The name counts for files of text that a person named: a table may begin with any letters.
  package init(start: [UInt8], size: Int64) {
    if size == 0 {
      self = .empty
    } else if let kind = Self.all.first(where: { $0.marks.contains { $0.matches(start) } }) {
      self = kind == .sqlite ? Self.sqlite(start, size) : kind
    } else {
      self = Self.all.first { $0.looks(start, size) } ?? .unknown
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
}

extension StoreCopy {
  /// Copies the store at `sourcePath` into `folder` as what it is.
  package init(of sourcePath: String, into folder: String) throws(StoreError) {
    try self.init(of: sourcePath, as: SourceKind(of: sourcePath), into: folder)
  }
}
