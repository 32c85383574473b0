import Crypto
import Files
import Records
import Schemas
import StoreReading

/// One digest for all that was read of a store.
enum SourceDigest {
  /// The digest of the main file, the write-ahead log and the rollback journal; the shared memory
  /// is SQLite's own business and says nothing about the data.
  ///
  /// How many files lie beside the store for large values, and how large they are together, is part of it:
  /// a store that gets them back is another source.
  static func digest(of source: Source) throws(MigrationError) -> Records.Digest {
    var hash = SHA256()
    for file in source.files where file.part != .sharedMemory {
      hash.update(data: Array("\(file.part.rawValue):\(file.digest)\n".utf8))
    }
    let folders = try storing { () throws(StoreError) in try source.externalFolders() }
    for folder in folders where folder.fileCount > 0 {
      hash.update(data: Array("external:\(folder.fileCount):\(folder.byteCount)\n".utf8))
    }
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }
}

extension StoreIdentity.Kind {
  /// The name of the kind in a manifest, which never changes.
  var packageName: String {
    switch self {
    case .swiftData: "swiftdata"
    case .coreData: "coredata-sqlite"
    case .coreDataXML: "coredata-xml"
    case .sqlite: "sqlite"
    case .preferences: "preferences"
    case .container: "container"
    }
  }
}

/// Where the schemas of records come from.
enum SchemaSource {
  /// The published schema of this name, or the file beside the profile.
  static func bytes(of name: String, profilePath: String) throws(MigrationError) -> [UInt8] {
    if let bytes = PublishedSchemas.bytes(named: name) { return bytes }
    let path = "\(Folder.parentPath(of: profilePath))/\(name)"
    return try filing { () throws(FileError) in try InputFile.contents(of: path, limit: 16 << 20) }
  }
}
