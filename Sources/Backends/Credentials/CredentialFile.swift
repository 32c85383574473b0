import Files

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file with a secret in it: the user's own, and nobody else's to read.
enum CredentialFile {
  /// Longer files hold something else than a secret.
  private static let largestSize = 64 << 10

  /// Reads a regular file that is no link, belongs to this user, and gives no right to others.
  static func contents(of path: String, for name: String) throws(DestinationError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      let isLink = errno == ELOOP
      throw .misconfigured(
        reason: "the file of the credential “\(name)”, \(path), "
          + (isLink ? "is a link" : "cannot be opened: \(systemMessage(errno))"),
        cure: isLink ? "name the file itself" : "check the path"
      )
    }
    defer { _ = close(descriptor) }
    try check(descriptor, path, name)
    var bytes = [UInt8](repeating: 0, count: largestSize + 1)
    var count = 0
    while count < bytes.count {
      let (start, rest) = (count, bytes.count - count)
      let got = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: start), rest)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else {
        throw .misconfigured(
          reason: "\(path) cannot be read: \(systemMessage(errno))",
          cure: "check the file"
        )
      }
      if got == 0 { break }
      count += got
    }
    guard count <= largestSize else {
      throw .misconfigured(
        reason: "\(path) is too large for a secret",
        cure: "name a file with one line in it"
      )
    }
    return Array(bytes[..<count])
  }

  private static func check(
    _ descriptor: Int32,
    _ path: String,
    _ name: String
  ) throws(DestinationError) {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else {
      throw .misconfigured(
        reason: "\(path) cannot be inspected: \(systemMessage(errno))",
        cure: "check the file"
      )
    }
    guard information.st_mode & S_IFMT == S_IFREG else {
      throw .misconfigured(
        reason: "\(path), for the credential “\(name)”, is not a regular file",
        cure: "name a file that holds the secret"
      )
    }
    guard information.st_uid == geteuid() else {
      throw .misconfigured(
        reason: "\(path), for the credential “\(name)”, belongs to another user",
        cure: "copy the secret into a file of your own"
      )
    }
    guard information.st_mode & 0o077 == 0 else {
      throw .misconfigured(
        reason: "\(path), for the credential “\(name)”, can be read by other users",
        cure: "run: chmod 600 \(path)"
      )
    }
  }
}
