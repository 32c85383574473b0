import Files
import JSONText
import PropertyLists

/// Gives what was found in a file that is held whole: a property list or one JSON value.
final class WholeFileReader: LegacyReader {
  private let items: [LegacyItem]
  private var place = 0

  /// The largest list that is held whole, beside what it says.
  static let largestList = 16 << 20
  /// The largest JSON value that is held whole.
  static let largestValue = 32 << 20

  init(list path: String, name: String) throws(LegacyFileError) {
    let bytes = try Self.contents(of: path, name: name, limit: Self.largestList)
    var walk = PropertyListWalk(fileSize: bytes.count)
    let document: PropertyListDocument
    do throws(PropertyListError) {
      document = try PropertyListDocument(bytes: bytes, limits: .file)
      try walk.walk(file: document.list)
    } catch {
      throw .list(file: name, error)
    }
    items =
      document.notes.map { .note(LegacyNote(code: "list", place: "", cause: $0.description)) }
      + walk.items
  }

  init(json path: String, name: String) throws(LegacyFileError) {
    let bytes = try Self.contents(of: path, name: name, limit: Self.largestValue)
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let document = JSONDocument()
    var walk = JSONWalk()
    do throws(JSONError) {
      try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
        let bytes = UnsafeRawBufferPointer(bytes)
        try document.parse(UnsafeRawBufferPointer(rebasing: bytes[(hasMark ? 3 : 0)...]))
        walk.walk(document, place: "")
      }
    } catch {
      throw .malformed(file: name, place: "line \(error.line)", reason: error.message)
    }
    items = walk.items
  }

  private static func contents(
    of path: String,
    name: String,
    limit: Int
  ) throws(LegacyFileError) -> [UInt8] {
    do throws(FileError) {
      let size = try InputFile(path).size()
      if size <= Int64(limit) { return try InputFile.contents(of: path, limit: limit) }
    } catch {
      throw .file(error)
    }
    throw .beyondLimit(
      file: name,
      place: "its whole",
      limit: "it has more than the \(limit) bytes that are held"
    )
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    guard place < items.count else { return nil }
    place += 1
    return items[place - 1]
  }
}

extension PropertyListLimits {
  /// For a file of results, each of which is a dozen values.
  fileprivate static let file = PropertyListLimits(depth: 200, nodeCount: 1 << 19)
}
