import JSONText
import ResultText
import TestSupport
import Testing

struct SharedTextCorpusTests {
  @Test func `whatever the fuzzer found reads the same twice, and JSON can hold it`() throws {
    let catalogue = try BuiltInGames.catalogue()
    for (name, bytes) in try FuzzCorpus.inputs(of: "shared-text") {
      var reader = ResultReader(catalogue: catalogue)
      let reading = reader.read(bytes)
      #expect(reader.read(bytes) == reading, "\(name)")
      #expect(reading.results.allSatisfy { $0.range.upperBound <= bytes.count }, "\(name)")
      var writer = JSONWriter()
      reading.write(line: 1, to: &writer)
      #expect(throws: Never.self, "\(name)") { try JSONValue(parsing: writer.bytes) }
    }
  }
}
