// helpers: Tests/Fuzzing/FuzzFolder.swift Tests/Fuzzing/FuzzList.swift
// seeds: plist nskeyed
import PropertyLists

private let folder = FuzzFolder()

extension FuzzTarget {
  /// A property list in XML may be refused, and nothing else may happen; from its file
  /// it is the same, and what of it is long is not held.
  static let xmlList = FuzzTarget("xml-list") { input, report in
    let bytes = Array(input)
    guard PropertyListForm(bytes) == .xml else { return report.rejectAsForeign() }
    var document: PropertyListDocument?
    do throws(PropertyListError) {
      document = try PropertyListDocument(bytes: bytes)
      report.expect(document?.form == .xml, "a list in XML is read as another one")
    } catch {
      report.expectReason(error.description)
    }
    FuzzList.check(document, at: folder.write(input, to: "list"), &report)
  }
}
