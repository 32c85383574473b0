/// Where the bytes of a string or a binary lie in a file.
///
/// A blob beyond 16 MiB is in parts. ``RealmFile/fill(_:with:at:)`` reads them.
package struct RealmBytes: Hashable, Sendable {
  /// Offsets in the file, from the first part to the last; none is empty, and all are in the file.
  private(set) var parts: [Range<Int>] = []
  /// How many bytes there are.
  package private(set) var count = 0

  mutating func add(_ offset: Int, count: Int) {
    guard count > 0 else { return }
    parts.append(offset..<offset + count)
    self.count += count
  }

  /// Leaves out the last byte, if there is one.
  mutating func removeLast() {
    guard let last = parts.popLast() else { return }
    count -= last.count
    add(last.lowerBound, count: last.count - 1)
  }
}

extension PageCache {
  /// Gives bytes that are in the file.
  func bytes(_ bytes: RealmBytes) throws(RealmError) -> [UInt8] {
    var held: [UInt8] = []
    held.reserveCapacity(bytes.count)
    for part in bytes.parts { held += try self.bytes(at: part.lowerBound, count: part.count) }
    return held
  }

  /// Fills the whole of a buffer with those of the bytes that begin behind so many of them.
  func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    with bytes: RealmBytes,
    behind first: Int
  ) throws(RealmError) {
    var (skipped, filled) = (first, 0)
    for part in bytes.parts {
      let taken = min(part.count - skipped, buffer.count - filled)
      guard taken > 0 else {
        skipped -= min(skipped, part.count)
        continue
      }
      try fill(
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + taken]),
        at: part.lowerBound + skipped
      )
      skipped = 0
      filled += taken
    }
    precondition(filled == buffer.count, "the bytes are there")
  }
}
