#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How many files the process may have open at once.
package enum OpenFiles {
  /// What one run needs with its connections and its waits.
  ///
  /// Each processor has a loop of three descriptors (epoll, its alarm, its timer).
  package static var needed: Int { 48 + 3 * processorCount }

  /// What a process asks for that may ask; more is of no use here, and macOS grants no more.
  private static let wanted: rlim_t = 10_240

  /// Raises the limit as far as the system lets the user, and says whether `count` more files can
  /// be opened now.
  ///
  /// The system's own libraries end the process when they get no descriptor; so this is asked first.
  package static func provide(_ count: Int = needed) -> Bool {
    raiseLimit()
    let first = unsafe open("/", O_RDONLY | O_CLOEXEC)
    guard first >= 0 else { return false }
    var opened = [first]
    defer { for descriptor in opened { close(descriptor) } }
    while opened.count < count {
      let next = dup(first)
      guard next >= 0 else { return false }
      opened.append(next)
    }
    return true
  }

  private static func raiseLimit() {
    guard var limit = ResourceLimit.openFiles.current, limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(limit.rlim_max, wanted)
    // Where this is refused, the probe says whether what is there is enough.
    ResourceLimit.openFiles.ask(for: limit)
  }
}
