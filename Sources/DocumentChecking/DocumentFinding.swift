import JSONText
import SchemaValidation

/// One thing that is wrong with a document.
package struct DocumentFinding: Hashable, Sendable {
  /// A name of the rule that never changes: `schema.required`, `json.malformed`.
  package let code: String
  /// The JSON Pointer of the value.
  package let pointer: String
  /// The keyword that was broken, or nothing for what is no JSON.
  package let keyword: String?
  /// The JSON Pointer of the keyword, through the references that led there.
  package let keywordLocation: String
  /// The address and pointer of the schema that holds the keyword.
  package let schemaLocation: String
  /// What is the matter, without any value of the document.
  package let cause: String
  /// What was found instead, where that quotes a value.
  package let found: String?
  package let cure: String

  init(_ fault: SchemaFault) {
    code = fault.code
    pointer = fault.instanceLocation
    keyword = fault.keyword
    keywordLocation = fault.keywordLocation
    schemaLocation = fault.schemaLocation
    cause = fault.cause
    found = fault.quotesValue ? fault.found : nil
    cure = fault.cure
  }

  /// The finding for what is no JSON, in a document that begins on `line`.
  init(_ error: JSONError, in line: Int) {
    code = "json.malformed"
    pointer = ""
    keyword = nil
    keywordLocation = ""
    schemaLocation = ""
    let place = line + error.line - 1
    found = nil
    cause =
      "this is not JSON: line \(place), byte \(error.offset) of the document: \(error.message)"
    cure = "correct the text at that place"
  }
}
