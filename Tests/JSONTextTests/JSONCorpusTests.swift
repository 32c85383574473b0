import JSONText
import TestSupport
import Testing

struct JSONCorpusTests {
  @Test func `whatever the fuzzer found is refused, or its canonical form reads as itself`() throws
  {
    for (name, bytes) in try FuzzCorpus.inputs(of: "json") {
      do throws(JSONError) {
        let canonical = try JSONValue(parsing: bytes).canonicalBytes
        #expect(try JSONValue(parsing: canonical).canonicalBytes == canonical, "\(name)")
      } catch {
        #expect(!error.description.isEmpty, "\(name)")
      }
    }
  }
}
