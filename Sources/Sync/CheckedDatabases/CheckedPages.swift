import CCheckedPages
package import Files
package import GRDB
import TextCodecs

/// A database whose pages carry a checksum, so that a byte that changed by itself is never read.
///
/// The last eight bytes of each page hold XXH64 of the others, with the page's number as the seed. It
/// is written with the page and looked at with the page, below everything that SQLite makes of
/// it: tables, indexes and the header alike. A page that does not agree is refused. The log beside the
/// file has SQLite's own checksums.
package enum CheckedPages {
  /// SQLite's result for a page that is not what was written, `SQLITE_IOERR_DATA`.
  package static let fault = ResultCode(rawValue: 10 | 32 << 8)
  static let headerSize = 100
  /// SQLite keeps the page with this byte free, for its locks.
  /// <https://www.sqlite.org/fileformat2.html#the_lock_byte_page>
  private static let lockByte = 0x4000_0000

  /// Opens a database, which gets such pages if it is new.
  ///
  /// With `isImmutable` SQLite takes no locks and leaves no file beside it: for a file at rest that is only
  /// read, and of which nothing is read that may change. <https://www.sqlite.org/uri.html#uriimmutable>
  package static func open(
    _ path: String,
    _ configuration: Configuration = Configuration(),
    isImmutable: Bool = false
  ) throws -> DatabaseQueue {
    try check(ferry_checked_pages_register())
    var configuration = configuration
    configuration.prepareDatabase { database in
      guard let connection = unsafe database.sqliteConnection else { return }
      try check(unsafe ferry_checked_pages_reserve(UnsafeMutableRawPointer(connection)))
    }
    let address = Self.address(of: path) + (isImmutable ? "&immutable=1" : "")
    return try DatabaseQueue(path: address, configuration: configuration)
  }

  private static func check(_ result: Int32) throws {
    guard result == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
  }

  /// The file as an address that names the way to it. <https://www.sqlite.org/uri.html>
  static func address(of path: String) -> String {
    (path.hasPrefix("/") ? "file://" : "file:") + PercentCoding.encoded(path, keeping: "/")
      + "?vfs=" + FERRY_CHECKED_PAGES
  }

  // MARK: - Without SQLite

  /// Whether the header of a database reserves space for checksums; `nil` where there is no header yet,
  /// or none any more: a power cut that comes while a log is taken into its file may leave zeros there.
  package static func areReserved(in path: String) throws(FileError) -> Bool? {
    try header(of: path).map { isReserved($0) }
  }

  /// Whether a header reserves space for checksums.
  package static func isReserved(_ header: [UInt8]) -> Bool {
    header[20] == UInt8(FERRY_CHECKED_PAGES_RESERVED)
  }

  /// Whether the header says that SQLite may write the file, as far as there is one.
  /// <https://www.sqlite.org/fileformat2.html#file_format_version_numbers>
  package static func isOfWritableForm(_ path: String) throws(FileError) -> Bool {
    try header(of: path).map { isWritableForm($0[...]) } ?? true
  }

  /// Whether a page that begins with the header of a file says so.
  static func isWritableForm(_ page: ArraySlice<UInt8>) -> Bool {
    (1...2).contains(page[page.startIndex + 18])
  }

  /// The header of a database; `nil` for a file without one.
  package static func header(of path: String) throws(FileError) -> [UInt8]? {
    guard InputFile.isPresent(path) else { return nil }
    var file = try InputFile(path)
    var header = [UInt8](repeating: 0, count: headerSize)
    guard try read(&header, from: &file) == headerSize else { return nil }
    return isHeader(header) ? header : nil
  }

  /// Whether bytes begin as the header of a database does.
  package static func isHeader(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Array("SQLite format 3\0".utf8))
  }

  /// The numbers of the pages, counted from one, that are not what was written; at most `limit`.
  ///
  /// Where a log lies beside the file, the pages that are in it are those that hold.
  package static func damages(in path: String, limit: Int = 100) throws(FileError) -> [Int] {
    guard try areReserved(in: path) == true, let header = try header(of: path) else { return [] }
    var file = try InputFile(path)
    let word = Int(header[16]) << 8 | Int(header[17])
    let size = word == 1 ? 65_536 : word
    // Another size is no page's: the header is not what was written.
    guard size >= 512, size.nonzeroBitCount == 1 else { return [1] }
    var found: [Int] = []
    var block = [UInt8](repeating: 0, count: blockSize)
    var number = 0
    while found.count < limit {
      let count = try read(&block, from: &file)
      for start in stride(from: 0, to: count, by: size) where found.count < limit {
        number += 1
        if number == lockByte / size + 1 { continue }
        let isWhole = unsafe block.withUnsafeBufferPointer { bytes in
          unsafe bytes.baseAddress.map {
            unsafe ferry_page_is_whole($0 + start, size, UInt64(number)) != 0
          } ?? false
        }
        if start + size > count || !isWhole { found.append(number) }
      }
      if count < block.count { break }
    }
    return found
  }

  /// How much of a file is read at once: whole pages, of whatever size.
  private static let blockSize = 256 << 10

  private static func read(
    _ block: inout [UInt8],
    from file: inout InputFile
  ) throws(FileError) -> Int {
    var result: Result<Int, FileError> = .success(0)
    unsafe block.withUnsafeMutableBytes { bytes in
      do throws(FileError) {
        result = .success(try unsafe file.read(into: bytes))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  /// What is the matter with a page, for a sentence.
  package static func words(page number: Int) -> String {
    "page \(number) is not as ferry wrote it: its checksum does not agree"
  }

  /// What is the matter with a file of which a page was refused.
  package static func words(about path: String) -> String {
    let found = (try? damages(in: path)) ?? []
    guard let first = found.first else { return "a page of it is not as ferry wrote it" }
    return words(page: first) + (found.count > 1 ? ", nor do those of \(found.count - 1) more" : "")
  }
}
