import Files
import JSONText
import PropertyLists

/// Gives what was found in a file that is held whole: a property list or one JSON value.
final class WholeFileReader: LegacyReader {
  private let items: [LegacyItem]
  private var place = 0

  /// The largest file that is held whole.
  static let largestFile = 64 << 20

  init(list path: String, name: String) throws(LegacyFileError) {
    let bytes = try Self.contents(of: path, name: name)
    var walk = PropertyListWalk(fileSize: bytes.count)
    let document: PropertyListDocument
    do throws(PropertyListError) {
      document = try PropertyListDocument(bytes: bytes)
      try walk.walk(file: document.list)
    } catch {
      throw .list(file: name, error)
    }
    items =
      document.notes.map { .note(LegacyNote(code: "list", place: "", cause: $0.description)) }
      + walk.items
  }

  init(json path: String, name: String) throws(LegacyFileError) {
    let bytes = try Self.contents(of: path, name: name)
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
    name: String
  ) throws(LegacyFileError) -> [UInt8] {
    do throws(FileError) {
      let size = try InputFile(path).size()
      if size <= Int64(largestFile) {
        return try InputFile.contents(of: path, limit: largestFile)
      }
    } catch {
      throw .file(error)
    }
    throw .beyondLimit(
      file: name,
      place: "its whole",
      limit: "it has more than the \(largestFile) bytes that are held"
    )
  }

  func next() throws(LegacyFileError) -> LegacyItem? {
    guard place < items.count else { return nil }
    place += 1
    return items[place - 1]
  }
}
