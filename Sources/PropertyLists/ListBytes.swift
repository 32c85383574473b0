import Files

/// The bytes of a binary list: held, or in a file of which some pages are held.
struct ListBytes {
  let count: Int
  private let held: [UInt8]
  private let pages: FilePages?

  init(_ bytes: [UInt8]) {
    (count, held, pages) = (bytes.count, bytes, nil)
  }

  init(of source: FileSource) throws(FileError) {
    let pages = FilePages(try source.open())
    (count, held) = (Int(try pages.file.size()), [])
    self.pages = pages
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

/// The pages of a file that were read last.
private final class FilePages {
  let file: InputFile
  private var held: [(number: Int, bytes: [UInt8])]

  static let size = 1 << 16
  /// How many pages are held at most, each in the place of its number.
  private static let heldCount = 64

  init(_ file: consuming InputFile) {
    self.file = file
    held = Array(repeating: (-1, []), count: Self.heldCount)
  }

  func page(of place: Int) throws(PropertyListError) -> [UInt8] {
    let number = place / Self.size
    let found = held[number % Self.heldCount]
    if found.number == number { return found.bytes }
    let start = number * Self.size
    let bytes = try filing { () throws(FileError) in
      try file.bytes(at: Int64(start), count: min(Self.size, Int(file.size()) - start))
    }
    held[number % Self.heldCount] = (number, bytes)
    return bytes
  }

  func bytes(_ range: Range<Int>) throws(PropertyListError) -> [UInt8] {
    guard let last = range.last, range.lowerBound / Self.size == last / Self.size else {
      return try filing { () throws(FileError) in
        try file.bytes(at: Int64(range.lowerBound), count: range.count)
      }
    }
    let start = range.lowerBound % Self.size
    return Array(try page(of: last)[start..<(start + range.count)])
  }
}
