import Files
import NIOCore

/// The bytes of a file in pieces, read as they are asked for.
struct FileBytes: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let path: String
  let size: Int64

  private static let pieceSize: Int64 = 1 << 18

  func makeAsyncIterator() -> Iterator {
    Iterator(path: path, size: size)
  }

  /// Opens the file at the first piece and closes it with the iterator.
  final class Iterator: AsyncIteratorProtocol {
    private let path: String
    private let size: Int64
    private var position: Int64 = 0
    private var file: InputFile?

    init(path: String, size: Int64) {
      self.path = path
      self.size = size
    }

    func next() async throws -> ByteBuffer? {
      guard position < size else { return nil }
      if file == nil { file = try InputFile(path, followsLinks: false) }
      let count = Int(Swift.min(FileBytes.pieceSize, size - position))
      guard let bytes = try file?.bytes(at: position, count: count) else { return nil }
      position += Int64(count)
      return ByteBuffer(bytes: bytes)
    }
  }
}
