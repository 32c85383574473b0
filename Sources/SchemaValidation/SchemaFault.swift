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
  /// What a person can do about it.
  package let cure: String

  /// A name for this kind of fault that never changes: `schema.` and the keyword.
  package var code: String { "schema." + keyword }

  package var description: String {
    "\(instanceLocation.isEmpty ? "the record" : instanceLocation): expected \(expected), found \(found)"
  }
}
