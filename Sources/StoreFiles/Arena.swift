package import Records
import TextCodecs

/// Memory for what a row needs beyond SQLite's own, given back all at once.
///
/// What was allocated stays where it is until ``reset()``.
@safe
package final class Arena {
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
  private var block = 0
  private var used = 0
  private var lent: [LargeValue] = []
  /// Reads the long texts of the row.
  let pieces = LongTextPieceReader()

  private static let blockSize = 1 << 16
  /// Blocks larger than this are not kept for the next row.
  private static let largestKept = 1 << 24

  package init() {}

  deinit {
    for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
  }

  /// Forgets everything that was allocated.
  package func reset() {
    block = 0
    used = 0
    if !lent.isEmpty { lent = [] }
    var index = unsafe blocks.count
    while index > 0 {
      index -= 1
      guard unsafe blocks[index].count > Self.largestKept else { continue }
      unsafe blocks.remove(at: index).deallocate()
    }
  }

  /// Gives space for `count` bytes.
  @unsafe
  package func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    while unsafe block < blocks.count, unsafe blocks[block].count - used < count {
      block += 1
      used = 0
    }
    if unsafe block == blocks.count {
      unsafe blocks.append(
        .allocate(byteCount: max(count, Self.blockSize), alignment: 16)
      )
    }
    let start = used
    used += count
    return unsafe UnsafeMutableRawBufferPointer(rebasing: blocks[block][start..<used])
  }

  /// Copies bytes to where they stay until the next reset.
  @unsafe
  package func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let place = unsafe allocate(bytes.count)
    unsafe place.copyMemory(from: bytes)
    return UnsafeRawBufferPointer(place)
  }

  /// Copies bytes to where they stay until the next reset.
  @unsafe
  package func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    unsafe bytes.withUnsafeBytes { unsafe keep($0) }
  }

  /// A text of a row, which stays until the next reset; a large one is not copied.
  package func text(_ bytes: [UInt8]) -> Cell {
    if bytes.count > LargeValue.mostHeld { return lend(LargeValue(isText: true, bytes: bytes)) }
    return unsafe .text(keep(bytes))
  }

  /// Bytes of a row, which stay until the next reset; many are not copied.
  package func blob(_ bytes: [UInt8]) -> Cell {
    if bytes.count > LargeValue.mostHeld { return lend(LargeValue(isText: false, bytes: bytes)) }
    return unsafe .blob(keep(bytes))
  }

  /// Keeps a value that is read in pieces until the next reset.
  package func lend(_ value: LargeValue) -> Cell {
    lent.append(value)
    return .lending(value)
  }

  /// The text of a UUID's 16 bytes, which stays until the next reset.
  @unsafe
  package func uuid(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let place = unsafe allocate(UUIDText.length)
    if let start = place.baseAddress { unsafe UUIDText.write(bytes, to: start) }
    return UnsafeRawBufferPointer(place)
  }
}
