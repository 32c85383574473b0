// rooms: JSONText
// seeds: ../schema-corpora
import JSONText

nonisolated(unsafe) private let document = JSONDocument()

extension FuzzTarget {
  /// The input may be refused; what is taken is written in one canonical form that reads back as itself.
  static let json = FuzzTarget("json") { input, report in
    do throws(JSONError) {
      try document.parse(UnsafeRawBufferPointer(input))
    } catch {
      return report.expectReason(error.description)
    }
    var writer = JSONWriter()
    document.write(document.root, to: &writer)
    let canonical = writer.bytes
    let value = document.value(of: document.root)
    report.expect(value.canonicalBytes == canonical, "a value is written in two ways")
    do throws(JSONError) {
      try document.parse(copying: canonical)
    } catch {
      return report.complain("what was written is no JSON: \(error)")
    }
    var again = JSONWriter()
    document.write(document.root, to: &again)
    report.expect(again.bytes == canonical, "the canonical form is not its own")
  }
}
