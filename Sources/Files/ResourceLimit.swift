#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the system limits for a process.
enum ResourceLimit {
  case addressSpace, coreDump, openFiles

  /// The limit; `nil` where the system does not state it.
  var current: rlimit? {
    var limit = rlimit()
    return unsafe getrlimit(kind, &limit) == 0 ? limit : nil
  }

  /// Asks for another limit, which the system may refuse.
  func ask(for limit: rlimit) {
    var limit = limit
    _ = unsafe setrlimit(kind, &limit)
  }

  #if canImport(Glibc)
  private var kind: __rlimit_resource_t { __rlimit_resource_t(name.rawValue) }

  private var name: __rlimit_resource {
    switch self {
    case .addressSpace: RLIMIT_AS
    case .coreDump: RLIMIT_CORE
    case .openFiles: RLIMIT_NOFILE
    }
  }
  #else
  private var kind: Int32 {
    switch self {
    case .addressSpace: RLIMIT_AS
    case .coreDump: RLIMIT_CORE
    case .openFiles: RLIMIT_NOFILE
    }
  }
  #endif
}
