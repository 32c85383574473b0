import CAllocator

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How much address space the process may take (`ulimit -v`).
package enum AddressSpace {
  /// How many threads a run has at most, beside the first.
  private static var threadCount: Int { 8 + 2 * processorCount }

  /// The bytes that the stacks of a run's threads take.
  package static var needed: Int { threadCount * stackSize }

  /// Says whether there is space for the threads of a run; where the address space is not limited, there is.
  ///
  /// The system's own library tries once a second to make a thread for which there is no space, for ever;
  /// so this is asked first, and before there is a second thread.
  package static func provide() -> Bool {
    guard let limit = ResourceLimit.addressSpace.current, limit.rlim_cur < endless else {
      return true
    }
    // What each thread would reserve for itself leaves no space for stacks.
    ferry_share_one_arena()
    let reservation = unsafe mmap(nil, needed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let reservation = unsafe reservation, UInt(bitPattern: reservation) != .max else {
      return false
    }
    _ = unsafe munmap(reservation, needed)
    return true
  }

  /// From then on memory of 4 MiB or more at once goes back to the system as soon as it is free.
  package static func giveBackEarly() { ferry_give_back_what_is_large() }

  /// From here on a limit is not one: no processor has so many addresses.
  private static let endless: rlim_t = 1 << 56

  /// The bytes of a thread's stack, if no one says otherwise.
  private static var stackSize: Int {
    var attributes = pthread_attr_t()
    var size = 0
    guard unsafe pthread_attr_init(&attributes) == 0 else { return 8 << 20 }
    defer { unsafe pthread_attr_destroy(&attributes) }
    return unsafe pthread_attr_getstacksize(&attributes, &size) == 0 ? size : 8 << 20
  }
}
