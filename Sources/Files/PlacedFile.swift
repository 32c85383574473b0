#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What lies below a folder at the end of a path that another process wrote.
///
/// No link is followed, wherever on the way it is: a linked folder leads out as a linked file does.
package enum PlacedFile: Hashable, Sendable {
  case nothing
  case folder
  /// A plain file; `heldBytes` is what the disk keeps of it, which is less where it has holes.
  case file(size: Int64, heldBytes: Int64)
  /// A link, at the end or on the way, or something that is no file: a pipe, a socket, a device.
  case foreign

  /// Looks along `path`, part by part.
  ///
  /// - Throws: ``FileError`` where that cannot be known: a folder on the way may not be entered, or the
  ///   disk does not answer.
  package init(at path: String, below folder: String) throws(FileError) {
    var place = folder
    self = .folder
    for part in path.split(separator: "/") {
      guard self == .folder else {
        if self != .foreign { self = .nothing }
        return
      }
      place += "/" + part
      self = try Self.entry(place)
    }
  }

  private static func entry(_ path: String) throws(FileError) -> PlacedFile {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else {
      let number = errno
      if absence.contains(number) { return .nothing }
      throw FileError(.inspect, path, number: number)
    }
    switch information.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFREG:
      // A block has 512 bytes here, whatever the disk says.
      return .file(
        size: Int64(information.st_size),
        heldBytes: Int64(information.st_blocks) * 512
      )
    default: return .foreign
    }
  }
}
