#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that was found and not named: whether it may be taken.
package enum FoundFile {
  /// Why a file that was only found is not to be trusted; `nil` where its owner and rights let no other user
  /// write it.
  package static func distrust(of path: String) -> String? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return "it cannot be looked at" }
    if facts.st_uid != geteuid(), facts.st_uid != 0 { return "it belongs to another user" }
    if facts.st_mode & 0o002 != 0 { return "everybody may write it" }
    if facts.st_mode & 0o020 != 0 { return "its group may write it" }
    return nil
  }
}
