import Files
import PropertyLists

/// A property list read from its file, beside what it is in memory.
enum FuzzList {
  /// So few bytes of a text are held that most inputs have some that are not.
  private static let limits = PropertyListLimits(
    depth: PropertyListLimits.standard.depth,
    nodeCount: PropertyListLimits.standard.nodeCount,
    heldSize: 64
  )

  /// Expects that the list in a file is the same as `held`, or is refused where that is `nil`, and that no long
  /// text or data of it is held.
  static func check(_ held: PropertyListDocument?, at path: String, _ report: inout FuzzReport) {
    do throws(PropertyListError) {
      let read = try PropertyListDocument(at: path, sizeLimit: 1 << 20, limits: limits)
      guard let held else { return report.complain("a list that is refused is read from its file") }
      expectShort(read.list, &report)
      // A NaN is not equal to itself.
      let list = try whole(read.list)
      report.expect(
        list == held.list || "\(list)" == "\(held.list)",
        "from its file the list is another one"
      )
    } catch {
      report.expect(held == nil, "from its file the list is refused: \(error)")
      report.expectReason(error.description)
    }
  }

  private static func whole(_ list: PropertyList) throws(PropertyListError) -> PropertyList {
    do throws(FileError) { return try list.held() } catch { throw .file(error) }
  }

  private static func expectShort(_ list: PropertyList, _ report: inout FuzzReport) {
    switch list {
    case .string(let text):
      // In Latin-1 a text may have half as many bytes.
      report.expect(text.utf8.count <= 2 * limits.heldSize, "a long text is held")
    case .data(let bytes):
      report.expect(
        bytes.count <= limits.heldSize
          || EncodedData.mayBegin(with: Array(bytes.prefix(EncodedData.startSize))),
        "long data are held"
      )
    case .array(let elements), .set(let elements):
      for element in elements { expectShort(element, &report) }
    case .dictionary(let members):
      for member in members { expectShort(member.value, &report) }
    case .null, .boolean, .integer, .unsignedInteger, .real, .date, .long, .uid: break
    }
  }
}
