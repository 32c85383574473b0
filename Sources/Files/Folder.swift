#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Folders: made private, listed, synced and removed whole.
package enum Folder {
  /// Makes the folder and every one above it that is missing, all private to the user (0700).
  ///
  /// A folder that is there already is left as it is.
  package static func make(_ path: String) throws(FileError) {
    if exists(path) { return }
    let parent = parentPath(of: path)
    if parent != path { try make(parent) }
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw FileError(.makeFolder, path, number: errno)
    }
    guard exists(path) else {
      // A file is in the way, or the folder has just gone again.
      let number = InputFile.isPresent(path) ? ENOTDIR : ENOENT
      throw FileError(.makeFolder, path, number: number)
    }
  }

  /// Makes the folder and every one above it that is missing, and waits until the disk has the names
  /// of them all.
  ///
  /// Each name is waited for before the next folder is made. So of folders that are there already only
  /// the last can be one that a killed run made and did not wait for, and it is waited for again.
  package static func makeLasting(_ path: String) throws(FileError) {
    let parent = parentPath(of: path)
    if exists(path) { return try syncIfReadable(parent) }
    if parent != path { try makeLasting(parent) }
    try make(path)
    try sync(parent)
  }

  /// Waits for a folder that another process may have made: what may not be read cannot be waited for.
  private static func syncIfReadable(_ path: String) throws(FileError) {
    guard unsafe access(path, R_OK) == 0 else { return }
    try sync(path)
  }

  /// Whether a folder is there.
  package static func exists(_ path: String) -> Bool {
    var information = stat()
    guard unsafe stat(path, &information) == 0 else { return false }
    return information.st_mode & S_IFMT == S_IFDIR
  }

  /// The folder at a path, or the nearest one above it that is there.
  package static func nearest(to path: String) -> String {
    var place = path
    while !exists(place), parentPath(of: place) != place { place = parentPath(of: place) }
    return place
  }

  /// Whether this user may make files in a folder.
  package static func isWritable(_ path: String) -> Bool {
    unsafe exists(path) && access(path, W_OK | X_OK) == 0
  }

  /// Whether it is a folder, and no link to one.
  package static func isReal(_ path: String) -> Bool {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else { return false }
    return information.st_mode & S_IFMT == S_IFDIR
  }

  /// The first link among some paths, which what is written there would be led away by.
  package static func firstLink(among paths: [String]) -> String? {
    paths.first { path in
      var information = stat()
      return unsafe lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
    }
  }

  /// Refuses a link where a folder of ours belongs: what is written there would be led away by it.
  package static func refuseLink(at path: String) throws(FileError) {
    guard firstLink(among: [path]) == nil else { throw FileError(.follow, path, number: 0) }
  }

  /// Whether it is a folder, and no link to one, that belongs to this user and that no other user may
  /// look into; `nil` when nothing is there.
  package static func isPrivate(_ path: String) -> Bool? {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else { return nil }
    return information.st_mode & S_IFMT == S_IFDIR && information.st_uid == geteuid()
      && information.st_mode & 0o077 == 0
  }

  /// The names in the folder, sorted by their bytes, without `.` and `..`.
  ///
  /// - Throws: ``FileError`` also when the system stops in the middle: at the end of a folder and at a
  ///   fault `readdir` gives nothing, and only `errno` distinguishes them.
  package static func names(in path: String) throws(FileError) -> [String] {
    guard let handle = unsafe opendir(path) else { throw FileError(.list, path, number: errno) }
    defer { _ = unsafe closedir(handle) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(handle) else {
        let number = errno
        guard number == 0 else { throw FileError(.list, path, number: number) }
        break
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        let length = unsafe bytes.firstIndex(of: 0) ?? bytes.count
        return unsafe String(decoding: bytes[..<length], as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Waits until the disk has the folder's own entries.
  package static func sync(_ path: String) throws(FileError) {
    let descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.sync, path, number: errno) }
    defer { _ = close(descriptor) }
    if let number = flushToDisk(descriptor) { throw FileError(.sync, path, number: number) }
  }

  #if canImport(Darwin)
  /// Waits until the drive has the folder's own entries, if only in its cache.
  static func syncToDrive(_ path: String) throws(FileError) {
    let descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.sync, path, number: errno) }
    defer { _ = close(descriptor) }
    let (result, number) = retryingInterrupts { fsync(descriptor) }
    guard result == 0 else { throw FileError(.sync, path, number: number) }
  }
  #endif

  /// Removes the folder and all that is in it; one that is not there is no error.
  ///
  /// Links are removed, never followed.
  package static func remove(_ path: String) throws(FileError) {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else {
      if errno == ENOENT { return }
      throw FileError(.remove, path, number: errno)
    }
    if information.st_mode & S_IFMT == S_IFDIR {
      for name in try names(in: path) { try remove(path + "/" + name) }
      guard unsafe rmdir(path) == 0 else { throw FileError(.remove, path, number: errno) }
    } else {
      guard unsafe unlink(path) == 0 || errno == ENOENT else {
        throw FileError(.remove, path, number: errno)
      }
    }
  }

  /// How many bytes a file has, or all files of a folder together; 0 if nothing is there.
  ///
  /// Links count as themselves, and are never followed.
  package static func byteCount(of path: String) throws(FileError) -> Int64 {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else {
      if errno == ENOENT { return 0 }
      throw FileError(.list, path, number: errno)
    }
    guard information.st_mode & S_IFMT == S_IFDIR else { return Int64(information.st_size) }
    var count: Int64 = 0
    for name in try names(in: path) { count += try byteCount(of: path + "/" + name) }
    return count
  }

  /// When a file's content, or a folder's list of names, last changed, in whole seconds since 1970; `nil` if
  /// nothing is there.
  package static func changedAt(_ path: String) -> Int64? {
    lastChange(of: path)?.seconds
  }

  /// Whether something last changed before a file was written; not where either is not there.
  package static func isUnchanged(_ path: String, since file: String) -> Bool {
    guard let change = lastChange(of: path), let writing = lastChange(of: file) else {
      return false
    }
    return change < writing
  }

  private static func lastChange(of path: String) -> (seconds: Int64, nanoseconds: Int64)? {
    var information = stat()
    guard unsafe lstat(path, &information) == 0 else { return nil }
    let time = information.modificationTime
    return (Int64(time.tv_sec), Int64(time.tv_nsec))
  }

  /// Gives the folder its final name and waits until the disk has the new entry.
  ///
  /// The new name must be free: a folder is never replaced.
  package static func publish(_ path: String, as newPath: String) throws(FileError) {
    guard !exists(newPath) else { throw FileError(.rename, newPath, number: EEXIST) }
    try sync(path)
    guard unsafe rename(path, newPath) == 0 else {
      throw FileError(.rename, newPath, number: errno)
    }
    try sync(parentPath(of: newPath))
  }

  /// Removes the folder if nothing is in it.
  package static func removeIfEmpty(_ path: String) { _ = unsafe rmdir(path) }

  /// The path from the first folder of all on, without a link in it; as it is where it leads nowhere.
  package static func wholePath(of path: String) -> String {
    guard let found = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(found) }
    return unsafe String(validatingCString: found) ?? path
  }

  /// The path as it is without slashes at its end, of which the first folder of all keeps its one.
  package static func withoutEndingSlashes(_ path: String) -> String {
    var trimmed = Substring(path)
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    return String(trimmed)
  }

  /// The folder a path lies in, by its text alone: `.` for a bare name.
  package static func parentPath(of path: String) -> String {
    let trimmed = withoutEndingSlashes(path)
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  /// The last part of a path.
  package static func lastName(of path: String) -> String {
    let trimmed = withoutEndingSlashes(path)
    guard let slash = trimmed.lastIndex(of: "/") else { return trimmed }
    return String(trimmed[trimmed.index(after: slash)...])
  }
}
