import CSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// SQLite's way to the disk, which writes down what it does to the files of some folders.
///
/// It is before the system's own, for the whole process; files of other folders pass through.
enum ForgettingSystem {
  private static let volumes = Mutex<[String: Volume]>([:])

  static func watch(_ volume: Volume) {
    _ = isRegistered
    volumes.withLock { $0[volume.folder] = volume }
  }

  static func forget(_ folder: String) { volumes.withLock { $0[folder] = nil } }

  static func forget(below prefix: String) {
    volumes.withLock { volumes in volumes = volumes.filter { !$0.key.hasPrefix(prefix) } }
  }

  static func volume(of path: String) -> (Volume, String)? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let name = String(path[path.index(after: slash)...])
    // The index of the log is memory that the programs share: no cut leaves it.
    guard !name.hasSuffix("-shm") else { return nil }
    return volumes.withLock { $0[String(path[..<slash])] }.map { ($0, name) }
  }

  /// The text after a file of SQLite's: our methods first, then the system's own file.
  struct File {
    var base: sqlite3_file
    var volume: Unmanaged<Volume>?
    var number: Int
  }

  static let headSize = (MemoryLayout<File>.size + 15) / 16 * 16

  static func real(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<
    sqlite3_file
  >? {
    file.map { file in
      (UnsafeMutableRawPointer(file) + headSize).assumingMemoryBound(to: sqlite3_file.self)
    }
  }

  static func head(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<File>? {
    file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: File.self) }
  }

  static func methods(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafePointer<sqlite3_io_methods>? {
    real(file)?.pointee.pMethods
  }

  /// The system's own, which was the first one before ours.
  nonisolated(unsafe) private static var system: UnsafeMutablePointer<sqlite3_vfs>?

  static let isRegistered: Bool = {
    guard let system = sqlite3_vfs_find(nil) else { return false }
    Self.system = system
    let ours = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    ours.pointee = system.pointee
    ours.pointee.zName = UnsafePointer(strdup("forgetting"))
    ours.pointee.szOsFile = Int32(headSize) + system.pointee.szOsFile
    ours.pointee.pNext = nil
    ours.pointee.xOpen = { _, name, file, flags, outFlags in
      open(name, file, flags, outFlags)
    }
    ours.pointee.xDelete = { _, name, isSynced in
      let watched = name.flatMap { volume(of: String(cString: $0)) }
      let request = watched == nil ? isSynced : 0
      let result = original()?.pointee.xDelete(original(), name, request) ?? SQLITE_ERROR
      if result == SQLITE_OK, let (volume, short) = watched {
        volume.remove(short, isSynced: isSynced != 0)
      }
      return result
    }
    return sqlite3_vfs_register(ours, 1) == SQLITE_OK
  }()

  private static func original() -> UnsafeMutablePointer<sqlite3_vfs>? { system }

  private static func open(
    _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let system, let head = head(file) else { return SQLITE_ERROR }
    head.pointee.base.pMethods = nil
    head.pointee.volume = nil
    head.pointee.number = 0
    let result = system.pointee.xOpen(system, name, real(file), flags, outFlags)
    guard result == SQLITE_OK, methods(file) != nil else { return result }
    if let name, let (volume, short) = volume(of: String(cString: name)) {
      head.pointee.number = volume.file(named: short)
      head.pointee.volume = Unmanaged.passRetained(volume)
    }
    head.pointee.base.pMethods = UnsafePointer(FileMethods.table)
    return result
  }
}
