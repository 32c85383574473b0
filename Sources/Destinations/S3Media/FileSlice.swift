import Crypto
import Files

/// A part of a file.
struct FileSlice: Hashable, Sendable {
  let source: FileSource
  /// The first byte, counted from zero.
  let offset: Int64
  let size: Int64

  /// What a server checks a transfer by.
  struct Sums: Hashable, Sendable {
    let sha256: [UInt8]
    let md5: [UInt8]
  }

  private static let pieceSize: Int64 = 1 << 18

  /// Reads the slice once.
  func sums() throws(FileError) -> Sums {
    let file = try source.open(followsLinks: false)
    var sha256 = SHA256()
    var md5 = Insecure.MD5()
    var done: Int64 = 0
    while done < size {
      let count = min(Self.pieceSize, size - done)
      let bytes = try file.bytes(at: offset + done, count: Int(count))
      sha256.update(data: bytes)
      md5.update(data: bytes)
      done += count
    }
    return Sums(sha256: Array(sha256.finalize()), md5: Array(md5.finalize()))
  }
}
