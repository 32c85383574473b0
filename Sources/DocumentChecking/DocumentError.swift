package import Files
package import SchemaValidation

/// Why documents could not be held against a schema.
package enum DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
  case file(FileError)
  case schema(SchemaError)
  /// A line is longer than a document may be.
  case lineTooLong(file: String, line: Int)
  /// A single document is larger than one may be; JSON Lines may be of any length.
  case tooLarge(file: String, limit: Int)
  /// A document is no JSON, where it has to be.
  case malformed(file: String, line: Int, reason: String)
  /// There is no document at all.
  case empty(file: String)

  package var description: String {
    switch self {
    case .file(let error): error.description
    case .schema(let error): error.description
    case .lineTooLong(let file, let line):
      "line \(line) of \(file) has more than \(DocumentCheck.largestDocument >> 20) MiB"
    case .tooLarge(let file, let limit):
      "\(file) is one document of more than \(limit >> 20) MiB"
    case .malformed(let file, let line, let reason): "\(file):\(line): this is not JSON: \(reason)"
    case .empty(let file): "\(file) holds no document"
    }
  }

  /// What a person can do about it.
  package var cure: String {
    switch self {
    case .file: "check the path, and that this user may read it"
    case .schema(let error) where error.isOfDraft:
      "write the schema in one of these drafts, or map the address with --registry BASE=FOLDER"
    case .schema: "correct the schema, or map the address with --registry BASE=FOLDER"
    case .malformed: "correct the text at that place"
    case .empty: "give at least one document"
    case .lineTooLong, .tooLarge:
      "take it apart: one document a line (JSON Lines), each of at most "
        + "\(DocumentCheck.largestDocument >> 20) MiB"
    }
  }
}
