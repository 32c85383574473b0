import TestSupport
import Testing
import XMLAccess

struct XMLCorpusTests {
  @Test func `whatever the fuzzer found is refused with a reason, or ends with its root`() throws {
    for (name, bytes) in try FuzzCorpus.inputs(of: "xml") {
      do throws(XMLError) {
        let reader = try XMLEventReader(bytes: bytes)
        while try reader.next() != nil {}
        #expect(reader.depth == 0, "\(name)")
      } catch {
        #expect(!error.description.isEmpty, "\(name)")
      }
    }
  }
}
