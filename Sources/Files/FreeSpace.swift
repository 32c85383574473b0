#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Folder {
  /// How many bytes this user may still write to the disk that `path` is on; `nil` where the system
  /// does not say.
  package static func freeBytes(at path: String) -> Int64? {
    var disk = statvfs()
    guard unsafe statvfs(path, &disk) == 0 else { return nil }
    let (bytes, isTooMany) = Int64(disk.f_bavail).multipliedReportingOverflow(
      by: Int64(disk.f_frsize)
    )
    return isTooMany ? nil : bytes
  }
}
