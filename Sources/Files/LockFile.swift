#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock that dies with the process that holds it (`flock`).
///
/// The file's content, the holder's process number, only informs; the lock itself decides.
package struct LockFile: ~Copyable {
  package let path: String
  private let descriptor: Int32

  /// Takes the lock at once, or gives `nil` when another process holds it.
  ///
  /// What is there and has other content than a holder's number is no one's lock, and is left as it
  /// is.
  ///
  /// A holder may remove the file before it lets go; a lock on a file that has lost its name is no
  /// lock, so it is taken again under the name that is there now.
  package init?(taking path: String) throws(FileError) {
    var descriptor: Int32
    repeat {
      let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
      descriptor = openFile(path, flags, mode: 0o600)
      guard descriptor >= 0 else { throw FileError(.lock, path, number: errno) }
      let taken = descriptor
      let (result, number) = retryingInterrupts { flock(taken, LOCK_EX | LOCK_NB) }
      guard result == 0 else {
        _ = close(descriptor)
        if number == EWOULDBLOCK { return nil }
        throw FileError(.lock, path, number: number)
      }
    } while Self.hasLostItsName(descriptor, path)
    guard Self.isOurs(descriptor) else {
      Self.letGo(descriptor)
      throw FileError(.lock, path, number: EEXIST)
    }
    let text = Array("\(getpid())\n".utf8)
    let own = descriptor
    _ = retryingInterrupts { ftruncate(own, 0) }
    _ = unsafe text.withUnsafeBytes { bytes in
      retryingInterrupts { unsafe pwrite(own, bytes.baseAddress, bytes.count, 0) }
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { Self.letGo(descriptor) }

  /// Closed alone, the file would stay locked by a child that is just being started: until it becomes
  /// another program, it has the same file open.
  private static func letGo(_ descriptor: Int32) {
    _ = retryingInterrupts { flock(descriptor, LOCK_UN) }
    _ = close(descriptor)
  }

  /// Whether the open file is one that a lock left: empty, or a number and the end of its line, in whose
  /// place a power cut may leave zeros.
  private static func isOurs(_ descriptor: Int32) -> Bool {
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG
    else { return false }
    var bytes = [UInt8](repeating: 0, count: 32)
    let (count, _) = unsafe bytes.withUnsafeMutableBytes { buffer in
      retryingInterrupts { unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0) }
    }
    guard count >= 0, count < bytes.count else { return false }
    return bytes[..<count].allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == 0x0A || byte == 0
    }
  }

  /// Whether the open file is no longer the one at `path`; it is closed then.
  private static func hasLostItsName(_ descriptor: Int32, _ path: String) -> Bool {
    var (held, named) = (stat(), stat())
    let isSame =
      unsafe fstat(descriptor, &held) == 0 && lstat(path, &named) == 0
      && held.st_ino == named.st_ino && held.st_dev == named.st_dev
    if !isSame { letGo(descriptor) }
    return !isSame
  }

  /// Whether a process holds the lock at this moment; the file's content stays as it is.
  package static func isHeld(_ path: String) -> Bool {
    let descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    let (result, number) = retryingInterrupts { flock(descriptor, LOCK_SH | LOCK_NB) }
    letGo(descriptor)
    return result != 0 && number == EWOULDBLOCK
  }

  /// The process number that the holder left in the file, for a message.
  package static func holder(of path: String) -> String? {
    guard let bytes = try? InputFile.contents(of: path, limit: 64) else { return nil }
    let digits = bytes.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
  }
}
