#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How many processors there are to work on, at least one.
package var processorCount: Int {
  max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
}
