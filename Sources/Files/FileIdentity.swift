#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Which file or folder a path leads to, by whatever name.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  /// Whether it is an ordinary file: no folder, device or pipe.
  package let isFile: Bool

  /// Looks at a path, and follows its links; `nil` where nothing is, or nothing can be looked at.
  package init?(_ path: String) {
    var information = stat()
    guard unsafe stat(path, &information) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: information.st_dev)
    inode = UInt64(information.st_ino)
    isFile = information.st_mode & S_IFMT == S_IFREG
  }
}
