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
  package let cause: String
  package let cure: String

  init(_ fault: SchemaFault) {
    code = fault.code
    pointer = fault.instanceLocation
    keyword = fault.keyword
    keywordLocation = fault.keywordLocation
    schemaLocation = fault.schemaLocation
    cause = "expected \(fault.expected), found \(fault.found)"
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
    cause = "this is no JSON: line \(place), byte \(error.offset) of the document: \(error.message)"
    cure = "mend the text at that place"
  }
}
