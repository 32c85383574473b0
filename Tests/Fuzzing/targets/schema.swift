// rooms: JSONText Patterns SchemaValidation
// libraries: libpcre2-8
// seeds: ../schema-corpora
import JSONText
import Patterns
import SchemaValidation

nonisolated(unsafe) private let document = JSONDocument()

/// What libFuzzer calls: the input up to its first line end is a schema, the rest a value.
///
/// Either may be refused; a valid value has no faults, and any other has some.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let end = bytes.firstIndex(of: 0x0A) ?? count
  let validator: SchemaValidator
  do throws(SchemaError) {
    let set = try SchemaSet(
      schemas: [("file:///schema", Array(bytes[..<end]))],
      formats: .assert,
      unknownKeywords: .ignore
    )
    validator = SchemaValidator(try set.schema(at: "file:///schema"))
  } catch {
    _ = error.description
    return 0
  }
  do throws(JSONError) {
    try document.parse(copying: Array(bytes[min(end + 1, count)...]))
  } catch {
    return 0
  }
  let isValid = validator.isValid(document, document.root)
  let faults = validator.faults(document, document.root)
  let annotations = validator.annotations(document, document.root)
  precondition(isValid || annotations.isEmpty, "a value with faults has annotations")
  precondition(isValid == faults.isEmpty, "valid is \(isValid), and the faults are \(faults)")
  return 0
}
