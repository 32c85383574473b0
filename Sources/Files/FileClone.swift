#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A copy that shares its bytes with the original until one of them is written to.
///
/// Btrfs, XFS, bcachefs and APFS can do this, within one volume.
/// https://man7.org/linux/man-pages/man2/FICLONE.2const.html
package enum FileClone {
  /// Makes a private clone (0600) of a regular file; `false`, and nothing made, when the file
  /// system cannot or refuses.
  package static func make(of source: String, at target: String) -> Bool {
    #if canImport(Darwin)
    guard unsafe clonefile(source, target, UInt32(CLONE_NOFOLLOW)) == 0 else { return false }
    if unsafe chmod(target, 0o600) == 0 { return true }
    _ = unsafe unlink(target)
    return false
    #else
    let input = openFile(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard input >= 0 else { return false }
    defer { _ = close(input) }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let output = openFile(target, flags, mode: 0o600)
    guard output >= 0 else { return false }
    defer { _ = close(output) }
    if ioctl(output, 0x4004_9409, input) == 0 { return true }
    _ = unsafe unlink(target)
    return false
    #endif
  }
}
