/// The bytes of a document: held, or read page by page where they are many.
///
/// A byte that could not be read is 0. The store that lends the bytes has the reason.
package final class DocumentBytes {
  package let count: Int
  private let fill: ((UnsafeMutableRawBufferPointer, _ offset: Int) -> Bool)?
  /// The pages that are held, each in the slot of its number's remainder.
  private var pages: [[UInt8]]
  private var numbers: [Int]
  /// A place, divided by two as often, is a page's number.
  private let pageShift: Int

  private static let slotCount = 64
  private static let usualShift = 14

  /// Takes bytes that are held.
  package init(_ bytes: some Collection<UInt8>) {
    count = bytes.count
    fill = nil
    pages = [Array(bytes)]
    numbers = [0]
    pageShift = Int.bitWidth - 1
  }

  /// Takes what fills a whole buffer with the bytes that begin at an offset, and says whether it could.
  package init(count: Int, fill: @escaping (UnsafeMutableRawBufferPointer, _ offset: Int) -> Bool) {
    self.count = count
    self.fill = fill
    pages = Array(repeating: [], count: Self.slotCount)
    numbers = Array(repeating: -1, count: Self.slotCount)
    pageShift = Self.usualShift
  }

  subscript(place: Int) -> UInt8 {
    let number = place >> pageShift
    let slot = number % pages.count
    if numbers[slot] != number { load(number, slot) }
    return pages[slot][place - number << pageShift]
  }

  /// Bytes that follow each other, held.
  package func bytes(_ range: Range<Int>) -> [UInt8] {
    guard let fill else { return Array(pages[0][range]) }
    return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
      let wanted = UnsafeMutableRawBufferPointer(
        UnsafeMutableBufferPointer(rebasing: buffer[..<range.count])
      )
      if !fill(wanted, range.lowerBound) { wanted.initializeMemory(as: UInt8.self, repeating: 0) }
      filled = range.count
    }
  }

  /// Some of the bytes that follow each other, as bytes of their own.
  func part(_ range: Range<Int>) -> DocumentBytes {
    guard let fill else { return DocumentBytes(pages[0][range]) }
    return DocumentBytes(count: range.count) { fill($0, $1 + range.lowerBound) }
  }

  private func load(_ number: Int, _ slot: Int) {
    let start = number << pageShift
    pages[slot] = bytes(start..<min(count, start + 1 << pageShift))
    numbers[slot] = number
  }
}
