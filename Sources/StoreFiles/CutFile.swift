import Files

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A database whose file ends before the pages that its header counts.
///
/// SQLite refuses that file as a whole. In the private copy the count is set to the pages that
/// are there, so that those can be read; a page beyond them is damage where it is asked for.
/// https://sqlite.org/fileformat2.html#in_header_database_size
package enum CutFile {
  /// What the first 100 bytes say.
  package struct Header {
    package let pageSize: Int
    package let pageCount: Int64
    let changeCounter: [UInt8]
    /// Whether its changes are written to a log first (`-wal`).
    package let isLogged: Bool
  }

  package static func header(of path: String) throws(StoreError) -> Header? {
    try mapping { () throws(FileError) in
      let file = try InputFile(path, followsLinks: false)
      guard try file.size() >= 100 else { return nil }
      let bytes = try file.bytes(at: 0, count: 100)
      let size = Int(bytes[16]) << 8 | Int(bytes[17])
      let count = bytes[28..<32].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      return Header(
        pageSize: size == 1 ? 65_536 : size,
        pageCount: count,
        changeCounter: Array(bytes[24..<28]),
        isLogged: bytes[18] == 2 && bytes[19] == 2
      )
    }
  }

  /// Sets the page count right; `false` when the file is not cut, or a log has its own count.
  package static func mend(_ path: String, log: WriteAheadLog?) throws(StoreError) -> Bool {
    guard (log?.committedFrameCount ?? 0) == 0, let header = try header(of: path),
      header.pageSize >= 512
    else { return false }
    let size = try mapping { () throws(FileError) in try InputFile(path).size() }
    let present = size / Int64(header.pageSize)
    guard present > 0, present < header.pageCount else { return false }
    let count = stride(from: 24, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: present >> $0)
    }
    try write(count, at: 28, of: path)
    // The count is believed only when these two numbers agree.
    try write(header.changeCounter, at: 92, of: path)
    return true
  }

  private static func write(_ bytes: [UInt8], at place: Int, of path: String) throws(StoreError) {
    let descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(FileError(.open, path, number: errno)) }
    defer { _ = close(descriptor) }
    guard unsafe pwrite(descriptor, bytes, bytes.count, off_t(place)) == bytes.count else {
      throw .file(FileError(.write, path, number: errno))
    }
  }
}
