package import Files
package import ProfileSettings
package import StoreFiles

/// Why a write-back was not applied; no new store is left behind.
package enum StoreWritingError: Error, Sendable {
  case store(StoreError)
  case file(FileError)
  case profile(ProfileError)
  /// The file is no write-back of a known format.
  case unreadableFile(path: String, reason: String)
  /// The write-back was made from another store.
  case otherStore(path: String, expected: String, found: String)
  /// The store is neither a Core Data store in SQLite nor a plain SQLite database.
  case unsupportedStore(path: String)
  /// SQLite refused a change of the copy.
  case refused(record: String, reason: String)
  /// The copy does not read back as the write-back says.
  case notAsWritten(records: [String])
}

extension StoreWritingError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .store(let error): "\(error)"
    case .file(let error): "\(error)"
    case .profile(let error): "\(error)"
    case .unreadableFile(let path, let reason): "\(path) is no write-back file: \(reason)"
    case .otherStore(let path, let expected, let found):
      "\(path) is of the store \(expected), and the store given is \(found)"
    case .unsupportedStore(let path):
      "\(path) is neither a Core Data store nor a plain SQLite database"
    case .refused(let record, let reason): "\(record) cannot be written: \(reason)"
    case .notAsWritten(let records):
      "the copy does not read back as written: \(records.joined(separator: ", "))"
    }
  }
}
