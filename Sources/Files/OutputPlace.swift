#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What is at the path that something is to be written to.
package enum OutputPlace: Hashable, Sendable {
  /// A file, or nothing, or a link: it is replaced as a whole.
  case file
  /// A device or a pipe: it takes what is written, and keeps its kind and its rights.
  case stream

  /// Where a link may lead to a stream of this process.
  private static let systemFolders: [String] = {
    #if os(Linux)
    ["/dev/", "/proc/"]
    #else
    ["/dev/"]
    #endif
  }()

  /// Looks at a path.
  ///
  /// Of links only those of the system are followed, like `/dev/stdout`.
  ///
  /// - Throws: ``FileError`` for what nothing can be written to, like a socket or a whole disk.
  package init(_ path: String) throws(FileError) {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else {
      self = .file
      return
    }
    var kind = information.st_mode & S_IFMT
    if kind == S_IFLNK, Self.systemFolders.contains(where: path.hasPrefix) {
      guard unsafe stat(path, &information) == 0 else {
        throw FileError(.open, path, number: errno)
      }
      kind = information.st_mode & S_IFMT
      // What standard output leads to may be a file: it is added to, under a name not to be replaced.
      if kind == S_IFREG { kind = S_IFCHR }
    }
    switch kind {
    case S_IFCHR, S_IFIFO: self = .stream
    case S_IFBLK, S_IFSOCK: throw FileError(.write, path, number: ENOTSUP)
    default: self = .file
    }
  }
}

/// The name of what is being written beside its place: no file of anybody else's has it, and it says
/// whether its writer lives.
package enum DraftName {
  private static let ending = ".draft"

  private static func beginning(_ path: String) -> String { ".\(Folder.lastName(of: path)).ferry-" }

  /// The draft of this process for a place.
  package static func path(for path: String) -> String {
    "\(Folder.parentPath(of: path))/\(beginning(path))\(getpid())\(ending)"
  }

  /// Removes the drafts of writers that were killed before they could give them their place.
  package static func removeLeft(for path: String) throws(FileError) {
    let folder = Folder.parentPath(of: path)
    let beginning = beginning(path)
    for name in try Folder.names(in: folder) where name.hasPrefix(beginning) {
      let rest = name.dropFirst(beginning.count)
      // Behind the number SQLite may have added the name of its journal.
      guard let process = Int32(rest.prefix { $0.isNumber }), process > 0,
        rest.drop(while: { $0.isNumber }).hasPrefix(ending)
      else { continue }
      let isGone = kill(process, 0) != 0 && errno == ESRCH
      if isGone || process == getpid() { try Folder.remove("\(folder)/\(name)") }
    }
  }
}
