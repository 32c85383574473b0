/// One way in which a value does not obey its schema, in words for people.
package struct SchemaFault: Hashable, Sendable, CustomStringConvertible {
  /// The JSON Pointer of the value.
  package let instanceLocation: String
  /// The JSON Pointer of the keyword, through the references that led there.
  package let keywordLocation: String
  /// The address and pointer of the schema that holds the keyword.
  package let schemaLocation: String
  package let keyword: String
  /// What the schema asks for.
  package let expected: String
  /// What is there instead, shortened.
  package let found: String
  /// Whether ``found`` quotes the value, and not only its kind or a count.
  package let quotesValue: Bool
  /// What a person can do about it.
  package let cure: String

  /// Whether the keyword's pattern was given up, so that it is unknown what it says of the value.
  package let isUndecided: Bool

  /// A name for this kind of fault that never changes: `schema.` and the keyword, or
  /// `schema.pattern-undecided`.
  package var code: String { isUndecided ? Self.undecidedCode : "schema." + keyword }

  static let undecidedCode = "schema.pattern-undecided"

  /// What is the matter, without the value: `expected at least 3 characters`.
  package var cause: String {
    quotesValue ? "expected \(expected)" : "expected \(expected), found \(found)"
  }

  package var description: String {
    "\(instanceLocation.isEmpty ? "the record" : instanceLocation): expected \(expected), found \(found)"
  }
}
