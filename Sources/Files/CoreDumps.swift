#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the system writes to the disk of a process that crashed.
package enum CoreDumps {
  /// Has it write nothing: the memory of a run holds secrets and records.
  package static func prevent() {
    #if canImport(Glibc)
    let kind = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
    let kind = RLIMIT_CORE
    #endif
    var limit = rlimit()
    guard unsafe getrlimit(kind, &limit) == 0 else { return }
    limit.rlim_cur = 0
    _ = unsafe setrlimit(kind, &limit)
  }
}
