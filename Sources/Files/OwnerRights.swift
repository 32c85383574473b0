#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The owner's rights to what a process makes.
package enum OwnerRights {
  /// Lets the owner use what is made from now on, whatever the umask is; what that keeps from others it goes
  /// on to keep.
  ///
  /// It is of the whole process: only a program may call it, before it does anything else.
  package static func keep() {
    let mask = umask(0o777)
    _ = umask(mask & 0o077)
  }
}
