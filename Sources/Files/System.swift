#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `ENOENT`, for those who do not import the C library.
let missingEntry: Int32 = ENOENT

/// `EPERM`, for the same.
let notPermitted: Int32 = EPERM

/// The system's words for an error number.
package func systemMessage(_ number: Int32) -> String {
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(validatingCString: text) ?? "error \(number)"
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

/// Waits until the disk itself has what was written to `descriptor`.
///
/// On Darwin `fsync` stops at the drive's cache; only `F_FULLFSYNC` reaches the platter.
func flushToDisk(_ descriptor: Int32) -> Int32? {
  #if canImport(Darwin)
  if fcntl(descriptor, F_FULLFSYNC) == 0 { return nil }
  #endif
  let (result, number) = retryingInterrupts { fsync(descriptor) }
  return result == 0 ? nil : number
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
