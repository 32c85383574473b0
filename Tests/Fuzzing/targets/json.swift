// seeds: ../schema-corpora
import JSONText

nonisolated(unsafe) private let document = JSONDocument()
nonisolated(unsafe) private let trial = JSONDocument()

/// The elements of an array in their canonical form, read one at a time; `nil` for what is no array.
private func elements(
  of input: UnsafeBufferPointer<UInt8>
) -> Result<[[UInt8]], JSONError>? {
  let first = input.first { !" \t\n\r".utf8.contains($0) }
  guard first == UInt8(ascii: "[") else { return nil }
  var found: [[UInt8]] = []
  do throws(JSONError) {
    _ = try trial.parseElements(UnsafeRawBufferPointer(input)) { element in
      found.append(trial.canonicalBytes(of: element))
      return true
    }
    return .success(found)
  } catch {
    return .failure(error)
  }
}

extension FuzzTarget {
  /// The input may be refused; what is taken is written in one canonical form that reads back as itself.
  ///
  /// An array has the elements that it has one at a time, or is refused in the same words.
  static let json = FuzzTarget("json") { input, report in
    let elements = elements(of: input)
    do throws(JSONError) {
      try document.parse(UnsafeRawBufferPointer(input))
    } catch {
      if let elements {
        report.expect(elements == .failure(error), "\(error), but one at a time \(elements)")
      }
      return report.expectReason(error.description)
    }
    if let elements {
      var expected: [[UInt8]] = []
      document.forEachElement(of: document.root) {
        expected.append(document.canonicalBytes(of: $0))
      }
      report.expect(elements == .success(expected), "one at a time there are \(elements)")
    }
    var writer = JSONWriter()
    document.write(document.root, to: &writer)
    let canonical = writer.bytes
    let value = document.value(of: document.root)
    report.expect(value.canonicalBytes == canonical, "a value is written in two ways")
    do throws(JSONError) {
      try document.parse(copying: canonical)
    } catch {
      return report.complain("what was written is not JSON: \(error)")
    }
    var again = JSONWriter()
    document.write(document.root, to: &again)
    report.expect(again.bytes == canonical, "the canonical form is not its own")
  }
}
