#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `ENOENT`, for those who do not import the C library.
let missingEntry: Int32 = ENOENT

/// `EBADMSG`, for the same.
let badMessage: Int32 = EBADMSG

/// Stands for content that was changed while it was read; no system has an error of this number.
let staleContent: Int32 = -1

/// `EEXIST`, for the same.
package let alreadyPresent: Int32 = EEXIST

/// `ENOTEMPTY`, for the same.
let notEmpty: Int32 = ENOTEMPTY

/// What the system says when it has no open files or no memory left.
let tooLittleIsLeft: [Int32] = [EMFILE, ENFILE, ENOMEM]

/// What the system says when the disk is full, or this user's share of it.
let outOfSpaceErrors: [Int32] = [ENOSPC, EDQUOT]

/// `EFBIG`, for the same.
let fileTooLarge: Int32 = EFBIG

/// `EINVAL`, for the same.
let notPlain: Int32 = EINVAL

/// `EPERM`, for the same.
let notPermitted: Int32 = EPERM

/// The system's words for an error number.
package func systemMessage(_ number: Int32) -> String {
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(validatingCString: text) ?? "error \(number)"
}

/// The error numbers of a person who may not.
let deniedRights: [Int32] = [EACCES, EPERM]

/// The error numbers that say that nothing is there: no such name, no folder on the way, or a name
/// longer than any that could be.
let absence: [Int32] = [ENOENT, ENOTDIR, ENAMETOOLONG]

/// The same, and those that say that it is a link or no regular file.
let knownKinds: [Int32] = absence + [ELOOP, EINVAL]

/// What a person can do about an error number, where that is the same whatever was done.
func systemCure(_ number: Int32) -> String? {
  switch number {
  case ENOSPC, EDQUOT: "free some space on that disk"
  case EMFILE: "raise the limit of open files: ulimit -n 1024"
  case ENFILE: "close other programs: the system has too many files open"
  case EFBIG: "raise the limit of file sizes: ulimit -f unlimited"
  case ELOOP: "name the file that the link leads to"
  case EROFS: "name a place on a disk that can be written"
  case ENXIO: "start what is to read it first"
  case EEXIST: "move it away if it is of no use: ferry did not create it"
  case ENOTSUP: "name a file"
  case EIO: "check that the disk is sound and connected"
  default: nil
  }
}

extension stat {
  /// When a file's content, or a folder's list of names, last changed.
  var modificationTime: timespec {
    #if canImport(Darwin)
    st_mtimespec
    #else
    st_mtim
    #endif
  }
}

/// Calls `body` again for as long as a signal interrupts it.
func retryingInterrupts<Result: SignedInteger>(_ body: () -> Result) -> (Result, Int32) {
  while true {
    let result = body()
    let number = errno
    if result == -1, number == EINTR { continue }
    return (result, number)
  }
}

/// Opens a file, again for as long as a signal interrupts that: a slow disk or a server may be waited for.
///
/// Where it cannot be opened, the answer is -1, and `errno` says why.
func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
  retryingInterrupts { unsafe open(path, flags, mode) }.0
}

/// Waits until the disk itself has what was written to `descriptor`.
///
/// On Darwin `fsync` stops at the drive's cache; only `F_FULLFSYNC` reaches the platter.
func flushToDisk(_ descriptor: Int32) -> Int32? {
  let plain = { retryingInterrupts { fsync(descriptor) } }
  #if canImport(Darwin)
  return DiskFlush.run(
    strong: { retryingInterrupts { fcntl(descriptor, F_FULLFSYNC) } },
    plain: plain
  )
  #else
  let (result, number) = plain()
  return result == 0 ? nil : number
  #endif
}

/// How what was written is waited for where there is a stronger way to do so, and a plain one.
package enum DiskFlush {
  /// What a file system says that knows no stronger way, as those of servers and of other systems do.
  private static let unsupported: [Int32] = [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY, ENOSYS]

  /// Has the stronger way tried, and the plain one only where the file system does not know it: a disk
  /// that fails may well answer that one.
  ///
  /// - Parameters:
  ///   - strong: Gives the result of the stronger call, and its `errno`.
  ///   - plain: The same of the plain one.
  /// - Returns: The `errno` of the one that counts; `nil` where it was done.
  package static func run(
    strong: () -> (Int32, Int32),
    plain: () -> (Int32, Int32)
  ) -> Int32? {
    var (result, number) = strong()
    if result == -1, unsupported.contains(number) { (result, number) = plain() }
    return result == -1 ? number : nil
  }
}

/// The system's folder for temporary files, without a slash at its end.
package var temporaryFolder: String {
  var path = "/tmp"
  if let value = unsafe getenv("TMPDIR"), let text = unsafe String(validatingCString: value),
    !text.isEmpty
  {
    path = text
  }
  while path.count > 1, path.hasSuffix("/") { path.removeLast() }
  return path
}

/// The number of the user who runs the program.
package var userNumber: UInt32 { geteuid() }

/// Has this thread wait.
package func pause(microseconds: UInt32) { _ = usleep(microseconds) }

/// Writes all of the bytes, and waits where a stream takes no more at the moment; `path` is what errors
/// call it.
@safe
func writeAll(
  _ descriptor: Int32,
  _ bytes: UnsafeRawBufferPointer,
  to path: String
) throws(FileError) {
  var written = 0
  while written < bytes.count {
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
    let (count, number) = retryingInterrupts {
      #if canImport(Darwin)
      unsafe Darwin.write(descriptor, rest.baseAddress, rest.count)
      #elseif canImport(Musl)
      unsafe Musl.write(descriptor, rest.baseAddress, rest.count)
      #else
      unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      #endif
    }
    if count < 0, number == EAGAIN {
      var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&polled, 1, -1)
      continue
    }
    guard count > 0 else { throw FileError(.write, path, number: count == 0 ? EIO : number) }
    written += count
  }
}
