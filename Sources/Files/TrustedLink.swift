#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Follows links that no one but this user and the system's administrator can have made or can change.
enum TrustedLink {
  /// How many links may follow one another.
  private static let mostLinks = 16

  /// The path of the file that a link leads to, without a link at its end.
  ///
  /// Every link from the first one on is this user's or the administrator's. No other user can put
  /// another entry in the place of a link, or of a folder behind the first link. The file lies in a
  /// folder that no other user may write.
  ///
  /// - Throws: ``PrivateFile/Refusal/link`` where another process may change where it leads.
  static func end(of path: String) throws(PrivateFile.Refusal) -> String {
    // The folder of the link was named, so links on the way to it are not looked at.
    var place = Folder.wholePath(of: Folder.parentPath(of: path))
    var rest = [Folder.lastName(of: path)]
    var linkCount = 0
    while !rest.isEmpty {
      let name = rest.removeFirst()
      if name == "." { continue }
      if name == ".." {
        place = Folder.parentPath(of: place)
        continue
      }
      let next = place == "/" ? "/" + name : "\(place)/\(name)"
      var information = stat()
      guard unsafe lstat(next, &information) == 0 else { throw .unopened(number: errno) }
      guard information.st_mode & S_IFMT == S_IFLNK else {
        guard linkCount == 0 || isUnchangeable(place) else { throw .link }
        place = next
        continue
      }
      linkCount += 1
      guard linkCount <= mostLinks, isOurs(information), isUnchangeable(place) else { throw .link }
      let target = try self.target(of: next)
      rest = target.split(separator: "/").map(String.init) + rest
      if target.hasPrefix("/") { place = "/" }
    }
    var folder = stat()
    guard unsafe stat(Folder.parentPath(of: place), &folder) == 0, isOurs(folder),
      folder.st_mode & 0o022 == 0
    else { throw .link }
    return place
  }

  private static func isOurs(_ information: stat) -> Bool {
    information.st_uid == geteuid() || information.st_uid == 0
  }

  /// Whether no other user can put another entry in the place of one of ours: the folder is ours alone to
  /// write, or only owners may remove their entries from it.
  private static func isUnchangeable(_ folder: String) -> Bool {
    var information = stat()
    guard unsafe stat(folder, &information) == 0, isOurs(information) else { return false }
    return information.st_mode & 0o022 == 0 || information.st_mode & S_ISVTX != 0
  }

  private static func target(of path: String) throws(PrivateFile.Refusal) -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = unsafe readlink(path, &bytes, bytes.count - 1)
    guard count > 0, count < bytes.count - 1 else { throw .unopened(number: errno) }
    let target = bytes[..<count].map { UInt8(bitPattern: $0) }
    guard let text = String(validating: target, as: UTF8.self), !text.utf8.contains(0) else {
      throw .link
    }
    return text
  }
}
