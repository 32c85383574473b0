// seeds: plist
import PropertyLists

extension FuzzTarget {
  /// An old-style property list may be refused, and nothing else may happen.
  static let oldStyleList = FuzzTarget("old-style-list") { input, report in
    let bytes = Array(input)
    guard PropertyListForm(bytes) == .oldStyle else { return report.rejectAsForeign() }
    do throws(PropertyListError) {
      let form = try PropertyListDocument(bytes: bytes).form
      report.expect(form == .oldStyle, "an old-style list is read as another one")
    } catch {
      report.expectReason(error.description)
    }
  }
}
