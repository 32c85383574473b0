import Files
package import StoreFiles

/// The end of a rollback journal, where a transaction over several databases names its common file.
///
/// | bytes before the end | content |
/// |---|---|
/// | 16 + n | the path of the common file, n bytes |
/// | 16 | n, the highest byte first |
/// | 12 | the sum of the path's bytes |
/// | 8 | the mark `d9 d5 05 f9 20 a1 63 d7` |
///
/// SQLite looks for that file, wherever the path leads: is it there, then it is read, the journal is
/// rolled back and the file deleted; else the transaction counts as finished. A path from a other device is
/// not followed, so it is unknown which of the two it is, and the store is refused.
///
/// https://www.sqlite.org/atomiccommit.html#_multi_file_commit
package enum RollbackJournal {
  private static let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let longestName = 512

  /// Refuses a copy whose journal is one of several.
  package static func refuseCompany(of copy: StoreCopy) throws(StoreError) {
    let path = copy.path + SourceFile.Part.rollbackJournal.rawValue
    guard let decider = try mapping({ () throws(FileError) in try companion(named: path) }) else {
      return
    }
    throw .sharedTransaction(path: copy.sourcePath, decider: decider)
  }

  /// The name of the common file, or `nil` where the journal has none, or is of no use any more.
  private static func companion(named path: String) throws(FileError) -> String? {
    guard InputFile.isPresent(path) else { return nil }
    let file = try InputFile(path, followsLinks: false)
    let size = try file.size()
    // A journal that was used up begins with a zero.
    guard size > 16, try file.bytes(at: 0, count: 1) != [0] else { return nil }
    let end = try file.bytes(at: size - 16, count: 16)
    guard Array(end[8...]) == mark else { return nil }
    let count = end[..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    guard count > 0, count <= size - 16 else { return nil }
    let name = try file.bytes(at: size - 16 - count, count: Int(min(count, Int64(longestName))))
    return String(decoding: name, as: UTF8.self)
  }
}
