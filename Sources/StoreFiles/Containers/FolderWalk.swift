import Files

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file of a container, by the path inside it and the place where its bytes are.
package struct ListedFile: Hashable {
  /// The path inside the container.
  package let path: String
  /// The path to open.
  package let place: String
  package let byteCount: Int64

  package init(path: String, place: String, byteCount: Int64) {
    self.path = path
    self.place = place
    self.byteCount = byteCount
  }
}

/// Lists the files of a folder, within bounds and without following links.
package struct FolderWalk {
  package private(set) var files: [ListedFile] = []
  package private(set) var skipped: [SkippedPlace] = []
  private let root: String

  private static let depthLimit = 32
  private static let fileLimit = 200_000

  package init(_ root: String) throws(StoreError) {
    self.root = root
    try walk("", depth: 0)
  }

  private mutating func walk(_ folder: String, depth: Int) throws(StoreError) {
    guard depth <= Self.depthLimit else {
      return skip(folder, "it lies more than \(Self.depthLimit) folders deep")
    }
    let place = folder.isEmpty ? root : root + "/" + folder
    let names: [String]
    do throws(FileError) {
      names = try Folder.names(in: place)
    } catch {
      guard !folder.isEmpty else { throw .file(error) }
      return skip(folder, error)
    }
    for name in names {
      let path = folder.isEmpty ? name : folder + "/" + name
      try visit(path, beside: names, depth: depth)
    }
  }

  private mutating func visit(
    _ path: String,
    beside names: [String],
    depth: Int
  ) throws(StoreError) {
    let place = root + "/" + path
    var information = stat()
    guard unsafe lstat(place, &information) == 0 else {
      return skip(path, FileError(.inspect, place, number: errno))
    }
    switch information.st_mode & S_IFMT {
    case S_IFREG:
      guard files.count < Self.fileLimit else {
        if files.count == Self.fileLimit, skipped.last?.reason != Self.tooMany {
          skip(path, Self.tooMany)
        }
        return
      }
      files.append(ListedFile(path: path, place: place, byteCount: Int64(information.st_size)))
    case S_IFDIR:
      if let reason = ContainerRules.reasonToSkip(path, beside: names) {
        skip(path, reason)
      } else {
        try walk(path, depth: depth + 1)
      }
    case S_IFLNK: skip(path, "it is a symbolic link, and links are not followed")
    default:
      let name = String(path.split(separator: "/").last ?? "")
      skip(
        path,
        ContainerRules.realmReason(name, beside: names) ?? "it is neither a file nor a folder"
      )
    }
  }

  private mutating func skip(_ path: String, _ reason: String) {
    skipped.append(SkippedPlace(path: path, reason: reason))
  }

  private mutating func skip(_ path: String, _ error: FileError) {
    skipped.append(SkippedPlace(path: path, refused: error))
  }

  private static let tooMany = "the container has more than \(fileLimit) files"
}
