/// The plain bytes of a Realm file, of which some pages are kept in memory.
final class PageCache {
  /// The bytes of a page; Realm encrypts pages of this size, whatever the device's own is.
  static let pageSize = 4096

  /// How many pages are kept; 4 MiB.
  private static let slotCount = 1024

  let size: Int
  private let source: any PageSource
  /// The pages that are kept, each in the slot of its number's remainder.
  private var slots: [[UInt8]]
  private var numbers: [Int]

  init(_ source: any PageSource) {
    self.source = source
    size = source.size
    slots = Array(repeating: [], count: Self.slotCount)
    numbers = Array(repeating: -1, count: Self.slotCount)
  }

  /// Whether `count` bytes from `offset` on are in the file.
  func contains(_ offset: Int, count: Int) -> Bool {
    offset >= 0 && count >= 0 && offset <= size && count <= size - offset
  }

  /// Gives bytes that are in the file (``contains(_:count:)``).
  func bytes(at offset: Int, count: Int) throws(RealmError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    try forEachPage(offset..<offset + count) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Fills the whole of a buffer with bytes that are in the file (``contains(_:count:)``).
  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(RealmError) {
    var filled = 0
    try forEachPage(offset..<offset + buffer.count) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyBytes(from: bytes)
      filled += bytes.count
    }
  }

  /// Calls `body` with what each page has of bytes that are in the file.
  private func forEachPage(
    _ range: Range<Int>,
    _ body: (ArraySlice<UInt8>) -> Void
  ) throws(RealmError) {
    precondition(contains(range.lowerBound, count: range.count), "the place was checked")
    var place = range.lowerBound
    while place < range.upperBound {
      let (number, start) = place.quotientAndRemainder(dividingBy: Self.pageSize)
      let slot = try slot(ofPage: number)
      let taken = min(range.upperBound - place, Self.pageSize - start)
      body(slots[slot][start..<start + taken])
      place += taken
    }
  }

  /// Eight bytes at a multiple of eight as a number, the lowest byte first.
  func word(at offset: Int) throws(RealmError) -> UInt64 {
    precondition(offset % 8 == 0 && contains(offset, count: 8), "the place was checked")
    let (number, start) = offset.quotientAndRemainder(dividingBy: Self.pageSize)
    let slot = try slot(ofPage: number)
    return Bytes.unsigned(slots[slot], start, 8)
  }

  private func slot(ofPage number: Int) throws(RealmError) -> Int {
    let slot = number % Self.slotCount
    if numbers[slot] != number {
      slots[slot] = try source.page(number)
      numbers[slot] = number
    }
    return slot
  }
}
