import Files

/// Where the plain bytes of a Realm file come from, in pages of 4,096 bytes.
protocol PageSource: AnyObject {
  /// How many plain bytes there are.
  var size: Int { get }

  /// The bytes of one page, numbered from zero; the last one may be shorter.
  func page(_ number: Int) throws(RealmError) -> [UInt8]
}

/// The pages of a file that is not encrypted.
final class PlainPages: PageSource {
  let size: Int
  private let file: InputFile

  init(_ file: consuming InputFile, size: Int) {
    self.file = file
    self.size = size
  }

  func page(_ number: Int) throws(RealmError) -> [UInt8] {
    let start = number * PageCache.pageSize
    return try reading(file, at: start, count: min(PageCache.pageSize, size - start))
  }
}

/// Reads bytes of a file.
func reading(_ file: borrowing InputFile, at offset: Int, count: Int) throws(RealmError) -> [UInt8]
{
  do throws(FileError) {
    return try file.bytes(at: Int64(offset), count: count)
  } catch {
    throw .file(error)
  }
}
