import Files
package import Records

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One file of a source, as it was when it was copied.
package struct SourceFile: Hashable, Sendable {
  /// What belongs to a store beside its main file, by the end of its name.
  package enum Part: String, Hashable, Sendable, CaseIterable {
    case main = ""
    case writeAheadLog = "-wal"
    case sharedMemory = "-shm"
    case rollbackJournal = "-journal"
  }

  package let part: Part
  package let name: String
  package let byteCount: Int64
  package let digest: Digest
}

/// What says whether a file was touched: never its content.
struct FileStamp: Hashable {
  private let size: Int64
  private let modified: [Int]
  private let changed: [Int]
  private let device: UInt64
  private let inode: UInt64

  /// The stamp of a file, or `nil` when it is missing.
  init?(of path: String) throws(StoreError) {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else {
      let number = errno
      if number == ENOENT { return nil }
      throw .file(FileError(.inspect, path, number: number))
    }
    size = Int64(information.st_size)
    #if canImport(Darwin)
    modified = [information.st_mtimespec.tv_sec, information.st_mtimespec.tv_nsec]
    changed = [information.st_ctimespec.tv_sec, information.st_ctimespec.tv_nsec]
    #else
    modified = [information.st_mtim.tv_sec, information.st_mtim.tv_nsec]
    changed = [information.st_ctim.tv_sec, information.st_ctim.tv_nsec]
    #endif
    device = UInt64(truncatingIfNeeded: information.st_dev)
    inode = UInt64(information.st_ino)
  }
}
