package import Files
package import Records

/// Why records could not be quarantined, or what was kept could not be read.
package enum QuarantineError: Error, Hashable, Sendable, CustomStringConvertible {
  case file(FileError)
  /// A file there is not what this program writes.
  case damaged(path: String, reason: String)
  /// The folder has a newer major format than this program reads.
  case tooNew(path: String, format: String)
  /// The same package was quarantined before, with other findings, and its records were edited since.
  case edited(path: String)
  /// Nothing of this name, or more than one, is quarantined.
  case unknown(name: String, found: [String])
  /// The package is not the one that the records were quarantined of.
  case foreign(package: String, of: Digest, path: String)

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
    case .tooNew(let path, let format):
      "\(path) has format \(format) and this program reads \(QuarantineFolder.format)"
    case .edited(let path):
      "\(path) holds records that were edited, and the same package now has other findings"
    case .unknown(let name, let found) where found.isEmpty:
      "nothing is quarantined under “\(name)”"
    case .unknown(let name, let found):
      "“\(name)” may be \(found.joined(separator: " or "))"
    case .foreign(let package, let digest, let path):
      "\(package) is the package \(digest.description.prefix(12)), of which \(path) holds nothing"
    }
  }

  /// What a person can do about it; `nil` where the message says it already.
  package var cure: String? {
    switch self {
    case .file: nil
    case .damaged: "move the folder away and validate the package again"
    case .tooNew: "use a newer ferry"
    case .edited: "replay it with “ferry quarantine replay”, or move the folder away"
    case .unknown: "“ferry quarantine list” names what there is"
    case .foreign: "name the package that was validated when the records were quarantined"
    }
  }
}

/// Calls into `Files`, with the module's own error.
func files<Answer: ~Copyable>(
  _ body: () throws(FileError) -> Answer
) throws(QuarantineError) -> Answer {
  do throws(FileError) { return try body() } catch { throw .file(error) }
}

/// The same for one expression.
func files<Answer: ~Copyable>(
  _ value: @autoclosure () throws(FileError) -> Answer
) throws(QuarantineError) -> Answer {
  do throws(FileError) { return try value() } catch { throw .file(error) }
}
