import Patterns
import TestSupport
import Testing

struct PatternCorpusTests {
  @Test func `of whatever the fuzzer found, table and engine say the same`() throws {
    for (name, bytes) in try FuzzCorpus.inputs(of: "pattern") {
      let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
      let source = String(decoding: bytes[..<end], as: UTF8.self)
      let subject = String(decoding: bytes[min(end + 1, bytes.count)...], as: UTF8.self)
      do throws(PatternError) {
        let pattern = try Pattern(source)
        #expect(Pattern.isWellFormed(source), "\(name)")
        #expect(try pattern.matches(subject) == pattern.engineMatches(subject), "\(name)")
      } catch {
        #expect(!error.description.isEmpty, "\(name)")
      }
    }
  }
}
