/// Why an XML document could not be read, and where.
package struct XMLError: Error, Hashable, Sendable {
  package let cause: Cause
  /// The file, or `nil` when the document was given as bytes.
  package let path: String?
  /// The line, counted from one; zero when nothing was read yet.
  package let line: Int
  /// The column in bytes, counted from one; zero when it is not known.
  package let column: Int
  /// What is wrong, as a clause.
  package let reason: String

  /// What kind of trouble it is.
  package enum Cause: Hashable, Sendable {
    /// The file could not be opened or read.
    case unreadable
    /// The bytes are no text in the encoding the document has.
    case encoding
    /// The document breaks the rules of XML, or ends before its root does.
    case malformed
    /// The document uses what could reach outside of it or unfold without end.
    case forbidden
    /// A part of the document is larger than it may be.
    case beyondLimit
    /// The document is XML, but not of the kind the reader knows.
    case unexpected
  }

  package init(
    _ cause: Cause,
    path: String? = nil,
    line: Int = 0,
    column: Int = 0,
    reason: String
  ) {
    self.cause = cause
    self.path = path
    self.line = line
    self.column = column
    self.reason = reason
  }
}

extension XMLError: CustomStringConvertible {
  package var description: String {
    var place = path ?? "the XML document"
    if line > 0 { place += ", line \(line)" }
    if column > 0 { place += ", column \(column)" }
    return place + ": " + reason + cure
  }

  private var cure: String {
    switch cause {
    case .unreadable, .unexpected: ""
    case .encoding: "; save it as UTF-8"
    case .malformed: "; take an undamaged copy, or correct this place of a copy"
    case .forbidden: "; remove the declaration from a copy and write out what it represents"
    case .beyondLimit: "; no known program writes a document like this"
    }
  }
}
