#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file with a secret in it: the user's own, and no other device's to read.
package enum PrivateFile {
  /// Why that file is not read.
  package enum Refusal: Error, Hashable, Sendable {
    /// It is a link, and other users may change where it leads.
    case link
    case unopened(number: Int32)
    case unread(number: Int32)
    case noRegularFile
    case anotherUsers
    case openToOthers
    case tooLarge

    /// What is the matter with the file at `path`.
    package func reason(_ path: String) -> String {
      switch self {
      case .link: "\(path) is a link that other users may lead elsewhere"
      case .unopened(let number): "\(path) cannot be opened: \(systemMessage(number))"
      case .unread(let number): "\(path) cannot be read: \(systemMessage(number))"
      case .noRegularFile: "\(path) is not a regular file"
      case .anotherUsers: "\(path) belongs to another user"
      case .openToOthers: "\(path) can be read by other users"
      case .tooLarge: "\(path) is too large for a secret"
      }
    }

    /// What a person can do about it.
    package func cure(_ path: String) -> String {
      switch self {
      case .link: "name the file itself"
      case .unopened: "check the path"
      case .unread: "check the file"
      case .noRegularFile: "name a file that holds the secret"
      case .anotherUsers: "copy the secret into a file of your own"
      case .openToOthers: "run: chmod 600 \(path)"
      case .tooLarge: "name a file that holds the secret alone"
      }
    }
  }

  /// Reads a regular file that belongs to this user and gives no right to others.
  ///
  /// A link is followed where only this user or the system's administrator can have made it, into a folder
  /// that only these may write: so secrets of a container lie. That file may be the administrator's, and
  /// its group may read it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The most bytes that that secret has; longer files hold something else.
  /// - Returns: The bytes of the file.
  /// - Throws: ``Refusal``.
  package static func contents(of path: String, limit: Int = 64 << 10) throws(Refusal) -> [UInt8] {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    var descriptor = openFile(path, flags)
    let isLinked = descriptor < 0 && errno == ELOOP
    if isLinked { descriptor = openFile(try TrustedLink.end(of: path), flags) }
    guard descriptor >= 0 else { throw errno == ELOOP ? .link : .unopened(number: errno) }
    defer { _ = close(descriptor) }
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else { throw .unread(number: errno) }
    guard information.st_mode & S_IFMT == S_IFREG else { throw .noRegularFile }
    let isAdministrators = isLinked && information.st_uid == 0
    guard isAdministrators || information.st_uid == geteuid() else { throw .anotherUsers }
    guard information.st_mode & (isAdministrators ? 0o037 : 0o077) == 0 else { throw .openToOthers }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var filled = 0
    while filled < bytes.count {
      let start = filled
      let (count, number) = unsafe bytes.withUnsafeMutableBytes { buffer in
        retryingInterrupts {
          unsafe read(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
        }
      }
      guard count >= 0 else { throw .unread(number: number) }
      if count == 0 { break }
      filled += count
    }
    guard filled <= limit else { throw .tooLarge }
    return Array(bytes[..<filled])
  }
}
