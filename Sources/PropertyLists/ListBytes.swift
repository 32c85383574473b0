import Files

/// The bytes of a binary list: held, or in a file of which some pages are held.
struct ListBytes {
  let count: Int
  private let held: [UInt8]
  private let pages: FilePages?

  init(_ bytes: [UInt8]) {
    (count, held, pages) = (bytes.count, bytes, nil)
  }

  init(of file: ListFile) {
    (count, held, pages) = (file.size, [], FilePages(file))
  }

  func byte(at place: Int) throws(PropertyListError) -> UInt8 {
    guard let pages else { return held[place] }
    return try pages.page(of: place)[place % FilePages.size]
  }

  /// The number of `size` bytes at `start`, the most significant first.
  func number(at start: Int, size: Int) throws(PropertyListError) -> UInt64 {
    guard let pages else { return Self.number(held[start..<(start + size)]) }
    let first = start % FilePages.size
    // Two pages share a few numbers.
    guard first + size <= FilePages.size else {
      return Self.number(try pages.bytes(start..<(start + size))[...])
    }
    return Self.number(try pages.page(of: start)[first..<(first + size)])
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The bytes of a range.
  subscript(_ range: Range<Int>) -> ArraySlice<UInt8> {
    get throws(PropertyListError) {
      guard let pages else { return held[range] }
      return try pages.bytes(range)[...]
    }
  }
}

/// The file of a list, which stays open while anything is read from it.
///
/// So all is of one file, also where another one takes its path. Once anyone has written into it, reading fails.
final class ListFile: Sendable {
  let size: Int
  private let file: InputFile
  /// What the file was when it was opened.
  private let version: InputFile.Version

  /// Opens the file, and refuses one of more than `limit` bytes.
  init(_ path: String, limit: Int) throws(FileError) {
    file = try InputFile(path)
    version = try file.version()
    size = try file.size(limit: limit)
  }

  func bytes(at start: Int, count: Int) throws(FileError) -> [UInt8] {
    do throws(FileError) {
      let bytes = try file.bytes(at: Int64(start), count: count)
      try expectUnchanged()
      return bytes
    } catch {
      // A file that became shorter is no sign of a bad disk.
      try expectUnchanged()
      throw error
    }
  }

  private func expectUnchanged() throws(FileError) {
    guard try file.version() == version else { throw FileError(changedWhileRead: file.path) }
  }
}

/// The pages of a file that were read last.
private final class FilePages {
  private let file: ListFile
  private var held: [(number: Int, bytes: [UInt8])]

  static let size = 1 << 16
  /// How many pages are held at most, each in the place of its number.
  private static let heldCount = 64

  init(_ file: ListFile) {
    self.file = file
    held = Array(repeating: (-1, []), count: Self.heldCount)
  }

  func page(of place: Int) throws(PropertyListError) -> [UInt8] {
    let number = place / Self.size
    let found = held[number % Self.heldCount]
    if found.number == number { return found.bytes }
    let start = number * Self.size
    let bytes = try filing { () throws(FileError) in
      try file.bytes(at: start, count: min(Self.size, file.size - start))
    }
    held[number % Self.heldCount] = (number, bytes)
    return bytes
  }

  func bytes(_ range: Range<Int>) throws(PropertyListError) -> [UInt8] {
    guard let last = range.last, range.lowerBound / Self.size == last / Self.size else {
      return try filing { () throws(FileError) in
        try file.bytes(at: range.lowerBound, count: range.count)
      }
    }
    let start = range.lowerBound % Self.size
    return Array(try page(of: last)[start..<(start + range.count)])
  }
}
