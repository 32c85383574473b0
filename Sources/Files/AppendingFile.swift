#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is added to at its end; a link in its place is refused.
package enum AppendingFile {
  /// Opens it, made for its owner alone where it is missing.
  ///
  /// A device or a pipe is added to as it is.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isPrivate: Whether a file that is there becomes readable for its owner alone.
  /// - Returns: The descriptor, which the caller closes.
  /// - Throws: ``FileError``, also for a pipe that no process reads.
  package static func begin(_ path: String, isPrivate: Bool) throws(FileError) -> Int32 {
    if try OutputPlace(path) == .stream { return try stream(path) }
    // Without waiting, for a pipe may have taken the place meanwhile.
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    let descriptor = openFile(path, flags, mode: 0o600)
    guard descriptor >= 0 else { throw FileError(.open, path, number: errno) }
    guard !isPrivate || fchmod(descriptor, 0o600) == 0 else {
      let number = errno
      _ = close(descriptor)
      throw FileError(.create, path, number: number)
    }
    return descriptor
  }

  /// Opens a device or a pipe to write to, without waiting for a reader who might never come.
  static func stream(_ path: String) throws(FileError) -> Int32 {
    let flags = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = openFile(path, flags)
    guard descriptor >= 0 else { throw FileError(.open, path, number: errno) }
    _ = fcntl(descriptor, F_SETFL, O_WRONLY | O_APPEND)
    return descriptor
  }

  /// Adds bytes at the end of it.
  package static func add(_ bytes: [UInt8], to path: String) throws(FileError) {
    let descriptor = try begin(path, isPrivate: false)
    defer { _ = close(descriptor) }
    try unsafe bytes.withUnsafeBufferPointer { bytes throws(FileError) in
      try writeAll(descriptor, UnsafeRawBufferPointer(bytes), to: path)
    }
  }
}
