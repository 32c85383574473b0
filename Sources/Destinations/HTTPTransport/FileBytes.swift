import Files
import LongTexts
import NIOCore

/// The bytes of a part of a file in pieces, read as they are asked for.
struct FileBytes: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let source: FileSource
  /// The first byte, counted from zero.
  let offset: Int64
  let size: Int64

  private static let pieceSize: Int64 = 1 << 18

  func makeAsyncIterator() -> Iterator {
    Iterator(source, from: offset, to: offset + size)
  }

  /// Opens the file at the first piece and closes it with the iterator.
  final class Iterator: AsyncIteratorProtocol {
    private let source: FileSource
    private let end: Int64
    private var position: Int64
    private var file: InputFile?

    init(_ source: FileSource, from start: Int64, to end: Int64) {
      self.source = source
      self.end = end
      position = start
    }

    func next() async throws -> ByteBuffer? {
      guard position < end else { return nil }
      if file == nil { file = try source.open(followsLinks: false) }
      let count = Int(Swift.min(FileBytes.pieceSize, end - position))
      guard let bytes = try file?.bytes(at: position, count: count) else { return nil }
      position += Int64(count)
      return ByteBuffer(bytes: bytes)
    }
  }
}

/// The bytes of JSON with its long texts in pieces, read as they are asked for.
struct LongBodyBytes: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let body: LongBody

  func makeAsyncIterator() -> Iterator { Iterator(reader: body.reader()) }

  struct Iterator: AsyncIteratorProtocol {
    let reader: LongBodyReader

    func next() async throws -> ByteBuffer? { try reader.next().map { ByteBuffer(bytes: $0) } }
  }
}
