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
    var number: UInt64 = 0
    for place in start..<(start + size) { number = number << 8 | UInt64(try byte(at: place)) }
    return number
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
/// So all is of one file, also where another one takes its path.
final class ListFile: Sendable {
  /// How many bytes it had when it was opened; where it became shorter, reading fails.
  let size: Int
  private let file: InputFile

  /// Opens the file, and refuses one of more than `limit` bytes.
  init(_ path: String, limit: Int) throws(FileError) {
    file = try InputFile(path)
    size = try file.size(limit: limit)
  }

  func bytes(at start: Int, count: Int) throws(FileError) -> [UInt8] {
    try file.bytes(at: Int64(start), count: count)
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
