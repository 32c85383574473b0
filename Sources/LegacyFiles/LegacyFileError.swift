package import Files
package import PropertyLists
package import XMLAccess

/// Why a legacy file could not be read, and where.
package enum LegacyFileError: Error, Hashable, Sendable {
  case file(FileError)
  case xml(XMLError)
  case list(file: String, PropertyListError)
  /// The file breaks the rules of its form at this place.
  case malformed(file: String, place: String, reason: String)
  /// A line of a chat is neither read as the beginning of a message nor belongs to the one before.
  case unreadHead(file: String, line: Int, reason: String)
  /// A part of the file, or the file, is larger than it may be.
  case beyondLimit(file: String, place: String, limit: String)
  /// The bytes are of no form that is read.
  case unknownForm(file: String, reason: String, cure: String)
}

extension LegacyFileError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .xml(let error): "\(error)"
    case .list(let file, let error): "\(file): \(error)"
    case .malformed(let file, let place, let reason): "\(file), \(place): \(reason)"
    case .unreadHead(let file, let line, let reason): "\(file), line \(line): \(reason)"
    case .beyondLimit(let file, let place, let limit): "\(file), \(place): \(limit)"
    case .unknownForm(let file, let reason, _): "\(file): \(reason)"
    }
  }

  /// What a person can do about it; `nil` where the message says it already.
  package var cure: String? {
    switch self {
    case .file, .xml, .list: nil
    case .malformed: "take an undamaged copy, or give the form with --as"
    case .unreadHead:
      "write it as the heads that are read, “[2024-03-05, 10:11:12] Ada: ”, in a copy of the file"
    case .beyondLimit: "cut it into parts"
    case .unknownForm(_, _, let cure): cure
    }
  }
}
