/// Where the pieces of an age file lie.
///
/// Behind the header come a nonce of 16 bytes and the pieces, each of 64 KiB of plain text and a tag
/// of 16 bytes. Only the last is shorter, and only that of an empty file holds nothing.
package struct AgeLayout: Hashable, Sendable {
  /// How many bytes of plain text a piece holds.
  package static let chunkSize: Int64 = 1 << 16
  static let nonceSize = 16
  private static let tagSize = Int64(Chunk.tagSize)

  /// The bytes before the first piece.
  let start: Int64
  let chunkCount: Int64
  /// How many bytes of plain text there are.
  package let plainSize: Int64

  /// - Throws: ``AgeError/tampered(reason:)`` for a size that no file of this header has.
  init(fileSize: Int64, headerSize: Int64) throws(AgeError) {
    start = headerSize + Int64(Self.nonceSize)
    let size = fileSize - start
    let whole = Self.chunkSize + Self.tagSize
    guard size >= Self.tagSize else { throw .tampered(reason: "it was cut") }
    chunkCount = (size + whole - 1) / whole
    let last = size - (chunkCount - 1) * whole
    guard last > Self.tagSize || chunkCount == 1 && last == Self.tagSize else {
      throw .tampered(reason: "it was cut, or something was added to it")
    }
    plainSize = size - chunkCount * Self.tagSize
  }

  /// Where a sealed piece lies in the file, counted from zero.
  func place(ofChunk number: Int64) -> (offset: Int64, count: Int) {
    let whole = Self.chunkSize + Self.tagSize
    let count =
      number == chunkCount - 1
      ? plainSize - number * Self.chunkSize + Self.tagSize : whole
    return (start + number * whole, Int(count))
  }

  /// How many bytes of plain text a file has that was encrypted to so many X25519 recipients.
  package static func plainSize(
    ofFile size: Int64,
    recipientCount: Int
  ) throws(AgeError) -> Int64 {
    let headerSize = Int64(AgeHeader.size(recipientCount: recipientCount))
    return try AgeLayout(fileSize: size, headerSize: headerSize).plainSize
  }
}
