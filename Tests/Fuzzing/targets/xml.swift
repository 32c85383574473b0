// seeds: xmlstore plist model
import XMLAccess

extension FuzzTarget {
  /// A document may be refused, and nothing else may happen.
  static let xml = FuzzTarget("xml") { input, report in
    do throws(XMLError) {
      let reader = try XMLEventReader(bytes: Array(input))
      while try reader.next() != nil {}
      report.expect(reader.depth == 0, "a sound document does not end with its root")
    } catch {
      report.expectReason(error.description)
    }
  }
}
