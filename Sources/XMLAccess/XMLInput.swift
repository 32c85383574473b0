#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a document, piece by piece, from a file or from memory.
struct XMLInput: ~Copyable {
  let path: String?
  /// The open file, or -1 when the bytes are in memory.
  private let descriptor: Int32
  private var bytes: [UInt8]
  private var place = 0
  /// The number of bytes given so far.
  private(set) var offset = 0

  static let pieceSize = 1 << 16

  init(path: String) throws(XMLError) {
    var descriptor: Int32
    repeat {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
    self.path = path
    self.descriptor = descriptor
    bytes = []
  }

  init(bytes: [UInt8]) {
    path = nil
    descriptor = -1
    self.bytes = bytes
  }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  /// The next piece, empty at the end.
  ///
  /// Only the last piece is shorter than `pieceSize`.
  mutating func next() throws(XMLError) -> [UInt8] {
    let piece: [UInt8]
    if descriptor >= 0 {
      piece = try read()
    } else {
      let end = min(place + Self.pieceSize, bytes.count)
      piece = Array(bytes[place..<end])
      place = end
    }
    offset += piece.count
    return piece
  }

  private func read() throws(XMLError) -> [UInt8] {
    let descriptor = descriptor
    var number: Int32 = 0
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
      while count < Self.pieceSize, let start = buffer.baseAddress {
        let size = unsafe readBytes(descriptor, start + count, Self.pieceSize - count)
        if size < 0 {
          if errno == EINTR { continue }
          number = errno
          return
        }
        if size == 0 { return }
        count += size
      }
    }
    guard number == 0 else { throw Self.unreadable(path ?? "", number) }
    return piece
  }

  private static func unreadable(_ path: String, _ number: Int32) -> XMLError {
    let words = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    return XMLError(.unreadable, path: path, reason: "it cannot be read: \(words)")
  }
}

/// The system's `read`, which a method of that name would hide.
private func readBytes(_ descriptor: Int32, _ start: UnsafeMutablePointer<UInt8>, _ size: Int)
  -> Int
{
  unsafe read(descriptor, start, size)
}
