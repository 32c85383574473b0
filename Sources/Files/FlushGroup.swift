import CFileSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Files of one disk that were written, and the folders that have their names, which the disk may not
/// have yet.
///
/// The disk is waited for once for all of them, which takes hardly longer than for one. Files stay open
/// until then: the system reports a later failure only to a process that has the file open.
package struct FlushGroup: ~Copyable {
  private var files: [(descriptor: Int32, path: String)] = []
  private var folders: Set<String> = []

  /// More files than this are not held open.
  private static let mostFiles = 64
  /// So few are waited for one by one, and nothing else that was written to the disk.
  private static let few = 2

  package init() {}

  deinit { for file in files { _ = close(file.descriptor) } }

  /// Whether the next file should be added only after ``flush()``.
  package var isFull: Bool { files.count >= Self.mostFiles }

  /// Takes over an open file.
  mutating func add(_ descriptor: Int32, path: String) { files.append((descriptor, path)) }

  /// Has the names in a folder waited for as well.
  package mutating func add(folder: String) { folders.insert(folder) }

  /// Waits until the disk has all of the files, and the folders' names of them.
  ///
  /// A sync that failed is final: the kernel may have dropped the pages, so the files are useless.
  package mutating func flush() throws(FileError) {
    if try !isFlushedAtOnce() {
      for file in files {
        if let number = flushToDisk(file.descriptor) {
          throw FileError(.sync, file.path, number: number)
        }
      }
      for folder in folders.sorted() { try Folder.sync(folder) }
    }
    folders = []
    while let file = files.popLast() {
      // An interrupted one is closed all the same, and its number may be another file's by now.
      guard close(file.descriptor) == 0 || errno == EINTR else {
        throw FileError(.close, file.path, number: errno)
      }
    }
  }

  /// Waits once for all of them, where there are many and the system can do that.
  private func isFlushedAtOnce() throws(FileError) -> Bool {
    guard let last = files.last, files.count + folders.count > Self.few else { return false }
    #if canImport(Darwin)
    // Each gets as far as the drive's cache, which is then emptied once.
    for file in files {
      let (result, number) = retryingInterrupts { fsync(file.descriptor) }
      guard result == 0 else { throw FileError(.sync, file.path, number: number) }
    }
    for folder in folders.sorted() { try Folder.syncToDrive(folder) }
    if let number = flushToDisk(last.descriptor) {
      throw FileError(.sync, last.path, number: number)
    }
    return true
    #else
    let (result, number) = retryingInterrupts { ferry_sync_file_system(last.descriptor) }
    guard result != 0 else { return true }
    // A system that cannot do that has lost nothing; of anything else it may not say a second time.
    guard [ENOSYS, EOPNOTSUPP, EINVAL, EPERM].contains(number) else {
      throw FileError(.sync, last.path, number: number)
    }
    return false
    #endif
  }
}
