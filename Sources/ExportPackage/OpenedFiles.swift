import Files
import Synchronization

/// The files that were read from last, kept open: to get at one, an encrypted one above all, costs
/// more than to read a record of it.
final class OpenedFiles: Sendable {
  private static let mostFiles = 4
  private let content = Mutex<[(path: String, content: Opened)]>([])

  /// A file that several callers may read from.
  private final class Opened: Sendable {
    let file: InputFile

    init(_ file: consuming InputFile) { self.file = file }
  }

  func bytes(
    of source: FileSource,
    at offset: Int64,
    count: Int
  ) throws(FileError) -> [UInt8] {
    if let known = content.withLock({ list in list.first { $0.path == source.path }?.content }) {
      return try known.file.bytes(at: offset, count: count)
    }
    let opened = Opened(try source.open())
    content.withLock { list in
      if list.count == Self.mostFiles { list.removeFirst() }
      list.append((source.path, opened))
    }
    return try opened.file.bytes(at: offset, count: count)
  }
}
