import Foundation
import TestSupport

/// A file system in memory, of the size that a test wants, that can be given more space.
///
/// <https://www.kernel.org/doc/html/latest/filesystems/tmpfs.html>
struct SmallDisk: Sendable {
  /// Where it is mounted.
  let place: String

  /// What there is too little of.
  enum Want: Hashable, Sendable, CustomStringConvertible {
    /// So many KiB are all it holds.
    case kibibytes(Int)
    /// So many files and folders are all it holds, regardless of their size.
    case files(Int)
    /// Nothing can be written to it.
    case writing

    var description: String {
      switch self {
      case .kibibytes(let count): "space for \(count) KiB"
      case .files(let count): "space for \(count) files"
      case .writing: "mounted read-only"
      }
    }

    fileprivate var options: String {
      switch self {
      case .kibibytes(let count): "rw,size=\(count)k,nr_inodes=\(SmallDisk.manyFiles)"
      // Its own folder is one of them.
      case .files(let count): "rw,size=\(SmallDisk.plentySpace),nr_inodes=\(count + 1)"
      case .writing: "ro"
      }
    }
  }

  private static let plentySpace = "64m"
  private static let manyFiles = 10_000

  /// Why there can be none on this machine; `nil` where there can.
  static let obstacle: String? = {
    #if os(Linux)
    guard getuid() == 0 else { return "only root can mount" }
    do {
      try SmallDisk(at: "\(FileManager.default.temporaryDirectory.path)/ferry-small-\(getpid())")
        .remove()
      return nil
    } catch {
      return "\(error)"
    }
    #else
    return "not Linux"
    #endif
  }()

  /// Mounts one with much space in a new folder.
  private init(at place: String) throws {
    self.place = place
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let options = "mode=0700,size=\(Self.plentySpace),nr_inodes=\(Self.manyFiles)"
    try LoopDisk.run("mount", "-t", "tmpfs", "-o", options, "ferry", place)
  }

  private func remove() throws {
    try LoopDisk.run("umount", place)
    try FileManager.default.removeItem(atPath: place)
  }

  /// Lends one with much space in a new folder, and takes it away again.
  static func with<Value>(
    at place: String,
    _ body: (SmallDisk) async throws -> Value
  ) async throws -> Value {
    let disk = try SmallDisk(at: place)
    do {
      let value = try await body(disk)
      try disk.remove()
      return value
    } catch {
      // Nothing else could remove the folder that it lies in.
      try disk.remove()
      throw error
    }
  }

  /// Leaves too little of something.
  func want(_ want: Want) throws {
    try LoopDisk.run("mount", "-o", "remount,\(want.options)", place)
  }

  /// Leaves so many KiB besides what is used.
  func fill(butFor kibibytes: Int) throws { try want(.kibibytes(try usedKibibytes() + kibibytes)) }

  /// Gives it much space again, for bytes and for files.
  func grow() throws {
    let options = "remount,rw,size=\(Self.plentySpace),nr_inodes=\(Self.manyFiles)"
    try LoopDisk.run("mount", "-o", options, place)
  }

  private func usedKibibytes() throws -> Int {
    let text = try RealServer.output("/usr/bin/env", ["df", "--output=used", "-k", place])
    guard let used = text.split(separator: "\n").last.flatMap({ Int($0.filter(\.isNumber)) }) else {
      throw TestSupportError("df does not show what is used of \(place)")
    }
    return used
  }
}
