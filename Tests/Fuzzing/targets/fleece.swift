import CouchbaseDocuments

extension FuzzTarget {
  /// The input, as the body of a document, may be refused with its place; a value that is read has names
  /// that differ, and its size keeps to the limits.
  ///
  /// Read page by page, with its long texts and arrays left where they lie, it is the same.
  static let fleece = FuzzTarget("fleece") { input, report in
    let limits = FleeceLimits(depth: 100, valueCount: 10_000, byteCount: 1 << 20)
    let keys = ["name", "born", "tags"]
    let input = Array(input)
    let paged = DocumentBytes(count: input.count) { buffer, offset in
      buffer.copyBytes(from: input[offset..<offset + buffer.count])
      return true
    }
    do throws(FleeceError) {
      guard let fleece = try DocumentBody.current(DocumentBytes(input)) else {
        return report.rejectAsForeign()
      }
      let value = try FleeceReader(sharedKeys: keys, limits: limits).value(of: fleece)
      var count = 0
      check(value, &count, &report)
      report.expect(count <= limits.valueCount, "\(count) values were read")
      // What is not held has limits of its own, which are checked behind the others.
      let reader = FleeceReader(
        sharedKeys: keys,
        limits: limits,
        holding: { _ in 64 },
        mostItems: 8
      )
      guard let part = try DocumentBody.current(paged) else {
        return report.expect(false, "page by page there is no value")
      }
      let found = try comparable(try reader.value(of: part), part, reader)
      let same = try found == comparable(value, fleece, reader)
      report.expect(same, "page by page it is another")
    } catch {
      report.expectReason(error.description)
    }
  }
}

/// The value with its long texts and data, and with the bits of its numbers: no NaN is equal to itself.
private func comparable(
  _ value: FleeceValue,
  _ bytes: DocumentBytes,
  _ reader: FleeceReader
) throws(FleeceError) -> FleeceValue {
  switch value {
  case .long(let range, let isText):
    let content = bytes.bytes(range)
    guard isText else { return .data(content) }
    return String(validating: content, as: UTF8.self).map { .text($0) } ?? .malformedText(content)
  case .float(let number): return .unsigned(UInt64(number.bitPattern))
  case .double(let number): return .unsigned(number.bitPattern)
  case .array(let values):
    var items: [FleeceValue] = []
    for value in values { items.append(try comparable(value, bytes, reader)) }
    return .array(items)
  case .longArray(let array):
    var items: [FleeceValue] = []
    var taken = reader.items(of: array, in: bytes)
    while let value = try taken.take() { items.append(try comparable(value, bytes, reader)) }
    return .array(items)
  case .dictionary(let members):
    var found: [FleeceMember] = []
    for member in members {
      found.append(FleeceMember(member.name, try comparable(member.value, bytes, reader)))
    }
    return .dictionary(found)
  case .null, .undefined, .boolean, .integer, .unsigned, .text, .malformedText, .data:
    return value
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
    .data, .long, .longArray:
    break
  }
}
