import JSONText
import SchemaValidation
import TestSupport
import Testing

struct SchemaCorpusTests {
  @Test func `of whatever the fuzzer found, a value is valid when it has no faults`() throws {
    let document = JSONDocument()
    for (name, bytes) in try FuzzCorpus.inputs(of: "schema") {
      let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
      do {
        let set = try SchemaSet(
          schemas: [("file:///schema", Array(bytes[..<end]))],
          formats: .assert,
          unknownKeywords: .ignore
        )
        let validator = SchemaValidator(try set.schema(at: "file:///schema"))
        try document.parse(copying: Array(bytes[min(end + 1, bytes.count)...]))
        let isValid = validator.isValid(document, document.root)
        #expect(isValid == validator.faults(document, document.root).isEmpty, "\(name)")
      } catch {
        #expect(!"\(error)".isEmpty, "\(name)")
      }
    }
  }
}
