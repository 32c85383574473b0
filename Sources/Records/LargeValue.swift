/// A text or bytes of a row that are read in pieces, because they are too many to be held.
///
/// It is lent with its row: it can be read until the cursor steps to the next one.
package final class LargeValue {
  /// Text as the store holds it, not yet checked to be UTF-8; else bytes.
  package let isText: Bool
  /// How many bytes it has.
  package let count: Int
  /// Of a value that is JSON: the JSON in canonical form, with an empty string in place of each text that is read
  /// in pieces, and of bytes, which are written in base 64.
  package let json: (bytes: [UInt8], texts: [(value: LargeValue, place: Int)])?
  private var ownFailure: (any Error)?
  private let fill: (UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Void

  /// A value with more bytes than this is read in pieces, where the store allows it.
  package static let mostHeld = 1 << 20

  /// A value with no more bytes than this is held, whatever is held beside it.
  package static let leastHeld = mostHeld / 16

  /// How many bytes a value may have to be held beside what is held of its row already.
  ///
  /// Of a row that holds 2 MiB, also what is beyond 64 KiB is read in pieces, where the store allows it.
  package static func mostHeld(beside count: Int) -> Int {
    count > 2 * mostHeld ? leastHeld : mostHeld
  }

  /// How many bytes each of so many values of a row may have, so that all are held together.
  package static func mostHeld(ofEach count: Int) -> Int {
    max(leastHeld, min(mostHeld, 8 * mostHeld / max(1, count)))
  }

  /// Takes what fills a whole buffer with the bytes that begin at an offset.
  package init(
    isText: Bool,
    count: Int,
    fill: @escaping (UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Void
  ) {
    self.isText = isText
    self.count = count
    self.fill = fill
    json = nil
  }

  /// Takes JSON in canonical form, with an empty string in place of each of the texts and bytes.
  package init(json: [UInt8], texts: [(value: LargeValue, place: Int)]) {
    isText = true
    count = texts.reduce(json.count) { $0 + $1.value.count }
    fill = { _, _ in preconditionFailure("JSON is not read by its bytes") }
    self.json = (json, texts)
  }

  /// Why bytes could not be read, as the store says it; `nil` as long as all could.
  package var failure: (any Error)? {
    ownFailure ?? json?.texts.lazy.compactMap(\.value.failure).first
  }

  /// A value that is in memory already, and is not copied.
  package convenience init(isText: Bool, bytes: [UInt8]) {
    self.init(isText: isText, count: bytes.count) { buffer, offset in
      buffer.copyBytes(from: bytes[offset..<(offset + buffer.count)])
    }
  }

  /// A value that is lent by another owner of its memory.
  package convenience init(isText: Bool, lent bytes: UnsafeRawBufferPointer) {
    self.init(isText: isText, count: bytes.count) { buffer, offset in
      buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + buffer.count)])
      )
    }
  }

  /// Fills the whole of `buffer` with the bytes that begin at `offset`.
  ///
  /// - Returns: Whether they could be read; else ``failure`` says why not.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    precondition(
      offset >= 0 && offset + buffer.count <= count,
      "the bytes lie outside of the value"
    )
    guard failure == nil else { return false }
    do {
      try fill(buffer, offset)
      return true
    } catch {
      ownFailure = error
      return false
    }
  }

  /// Lends all bytes in pieces, each valid for the time of its call.
  ///
  /// - Returns: Whether they could be read; else ``failure`` says why not.
  package func forEachPiece<Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { memory.deallocate() }
    var offset = 0
    while offset < count {
      let size = min(memory.count, count - offset)
      guard read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: memory[..<size])) else {
        return false
      }
      try body(UnsafeRawBufferPointer(rebasing: memory[..<size]))
      offset += size
    }
    return true
  }

  /// The bytes at the beginning, held; `nil` where they cannot be read.
  package func bytes(upTo limit: Int = .max) -> [UInt8]? {
    let size = min(count, limit)
    var isRead = true
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      let wanted = UnsafeMutableRawBufferPointer(
        UnsafeMutableBufferPointer(rebasing: buffer[..<size])
      )
      isRead = read(at: 0, into: wanted)
      filled = isRead ? size : 0
    }
    return isRead ? bytes : nil
  }

  /// The value without its first bytes.
  package func dropping(_ first: Int) -> LargeValue {
    LargeValue(isText: isText, count: count - first) { buffer, offset in
      guard self.read(at: offset + first, into: buffer) else {
        throw self.failure ?? NotRead()
      }
    }
  }
}

/// The bytes of a value were not read, and the value says why.
private struct NotRead: Error {}

extension Cell {
  /// Lends a value that its owner keeps until the cursor steps to the next row.
  package static func lending(_ value: LargeValue) -> Cell { .large(.passUnretained(value)) }

  /// The value that is read in pieces, if this is one.
  package var large: LargeValue? {
    if case .large(let value) = self { value.takeUnretainedValue() } else { nil }
  }
}

extension Row {
  /// Why a value of the row could not be read in pieces, as the store says it.
  package var failure: (any Error)? { cells.lazy.compactMap { $0.large?.failure }.first }
}
