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
    guard var limit = ResourceLimit.coreDump.current else { return }
    limit.rlim_cur = 0
    ResourceLimit.coreDump.ask(for: limit)
  }
}
