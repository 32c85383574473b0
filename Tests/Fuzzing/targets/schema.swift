// seeds: ../schema-corpora
import JSONText
import Patterns
import SchemaValidation

nonisolated(unsafe) private let document = JSONDocument()
nonisolated(unsafe) private let trial = JSONDocument()

extension FuzzTarget {
  /// The input up to its first line end is a schema, the rest a value.
  ///
  /// Either may be refused; a valid value has no faults, and any other has some. A schema that looks at
  /// elements alone says the same of an array when it sees them one at a time.
  static let schema = FuzzTarget("schema") { input, report in
    let end = input.firstIndex(of: 0x0A) ?? input.count
    let validator: SchemaValidator
    do throws(SchemaError) {
      let set = try SchemaSet(
        schemas: [("file:///schema", Array(input[..<end]))],
        formats: .assert,
        unknownKeywords: .ignore
      )
      validator = SchemaValidator(try set.schema(at: "file:///schema"))
    } catch {
      return report.expectReason(error.description)
    }
    do throws(JSONError) {
      try document.parse(copying: Array(input[min(end + 1, input.count)...]))
    } catch {
      return report.expectReason(error.description)
    }
    let isValid = validator.isValid(document, document.root)
    if validator.looksAtElementsAlone, document.kind(of: document.root) == .array {
      let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(input)[(end + 1)...])
      do throws(JSONError) {
        let areValid = try validator.areElementsValid(trial, bytes)
        report.expect(areValid == isValid, "valid is \(isValid), one at a time \(areValid)")
      } catch {
        report.complain("one at a time it is not JSON: \(error)")
      }
    }
    let faults = validator.faults(document, document.root)
    let annotations = validator.annotations(document, document.root)
    report.expect(isValid || annotations.isEmpty, "a value with faults has annotations")
    report.expect(isValid == faults.isEmpty, "valid is \(isValid), and the faults are \(faults)")
  }
}
