// helpers: Tests/Fuzzing/FuzzFolder.swift Tests/Fuzzing/FuzzList.swift
// seeds: plist nskeyed
import PropertyLists

private let folder = FuzzFolder()

extension FuzzTarget {
  /// A binary property list may be refused, and nothing else may happen; from its file
  /// it is the same, and what of it is long is not held.
  static let binaryList = FuzzTarget("binary-list") { input, report in
    let bytes = Array(input)
    guard PropertyListForm(bytes) == .binary else { return report.rejectAsForeign() }
    var document: PropertyListDocument?
    do throws(PropertyListError) {
      document = try PropertyListDocument(bytes: bytes)
      report.expect(document?.form == .binary, "a binary list is read as another one")
    } catch {
      report.expectReason(error.description)
    }
    FuzzList.check(document, at: folder.write(input, to: "list"), &report)
  }
}
