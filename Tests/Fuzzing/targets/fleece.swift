import CouchbaseDocuments

extension FuzzTarget {
  /// The input, as the body of a document, may be refused with its place; a value that is read has names
  /// that differ, and its size keeps to the limits.
  static let fleece = FuzzTarget("fleece") { input, report in
    let limits = FleeceLimits(depth: 100, valueCount: 10_000, byteCount: 1 << 20)
    let reader = FleeceReader(sharedKeys: ["name", "born", "tags"], limits: limits)
    do throws(FleeceError) {
      guard let fleece = try DocumentBody.current(DocumentBytes(input)) else {
        return report.rejectAsForeign()
      }
      var count = 0
      check(try reader.value(of: fleece), &count, &report)
      report.expect(count <= limits.valueCount, "\(count) values were read")
    } catch {
      report.expectReason(error.description)
    }
  }
}

/// Counts the values inside a value.
private func check(_ value: FleeceValue, _ count: inout Int, _ report: inout FuzzReport) {
  count += 1
  switch value {
  case .array(let values):
    for value in values { check(value, &count, &report) }
  case .dictionary(let members):
    let names = Set(members.map { Array($0.name.utf8) })
    report.expect(names.count == members.count, "two members have one name")
    for member in members { check(member.value, &count, &report) }
  case .null, .undefined, .boolean, .integer, .unsigned, .float, .double, .text, .malformedText,
    .data, .long:
    break
  }
}
