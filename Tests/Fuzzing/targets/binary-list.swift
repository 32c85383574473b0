// seeds: plist nskeyed
import PropertyLists

extension FuzzTarget {
  /// A binary property list may be refused, and nothing else may happen.
  static let binaryList = FuzzTarget("binary-list") { input, report in
    let bytes = Array(input)
    guard PropertyListForm(bytes) == .binary else { return report.rejectAsForeign() }
    do throws(PropertyListError) {
      let form = try PropertyListDocument(bytes: bytes).form
      report.expect(form == .binary, "a binary list is read as another one")
    } catch {
      report.expectReason(error.description)
    }
  }
}
