// seeds: plist nskeyed
import PropertyLists

extension FuzzTarget {
  /// A property list in XML may be refused, and nothing else may happen.
  static let xmlList = FuzzTarget("xml-list") { input, report in
    let bytes = Array(input)
    guard PropertyListForm(bytes) == .xml else { return report.rejectAsForeign() }
    do throws(PropertyListError) {
      let form = try PropertyListDocument(bytes: bytes).form
      report.expect(form == .xml, "a list in XML is read as another one")
    } catch {
      report.expectReason(error.description)
    }
  }
}
