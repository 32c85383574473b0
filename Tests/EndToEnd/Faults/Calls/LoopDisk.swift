import Foundation
import TestSupport

/// A real file system in a file, from which the power can be taken.
///
/// What a disk holds when the power goes is what the system has sent to it by then: the file behind the
/// mount, without what only the system's memory knows. The file is copied, and the copy mounted in its
/// place; the system plays its journal back, as it does when a machine starts again.
struct LoopDisk: Sendable {
  /// Where it is mounted.
  let place: String
  private let image: String
  private let options: String

  /// Ways in which ext4 keeps its journal. <https://www.kernel.org/doc/html/latest/admin-guide/ext4.html>
  private static let journals = ["data=ordered", "data=writeback", "data=journal"]
  private static let size: UInt64 = 32 << 20

  /// Why there can be none on this machine; `nil` where there can.
  static let obstacle: String? = {
    #if os(Linux)
    guard getuid() == 0 else { return "only root can mount" }
    for name in ["mkfs.ext4", "mount", "umount", "sync"] where Injector.program(name) == nil {
      return "there is no \(name)"
    }
    let folder = FileManager.default.temporaryDirectory.path
    do {
      let disk = try LoopDisk(in: "\(folder)/ferry-loop-\(getpid())", journal: 0)
      try disk.remove()
      return nil
    } catch {
      return "\(error)"
    }
    #else
    return "not Linux"
    #endif
  }()

  /// Makes one in a folder of its own, which is made too, and mounts it.
  ///
  /// - Parameters:
  ///   - folder: Where its file and the place of its mount are made.
  ///   - journal: Any number; it says how the journal is kept.
  /// - Throws: `TestSupportError` with what the system says.
  init(in folder: String, journal: UInt64) throws {
    place = "\(folder)/disk"
    image = "\(folder)/image"
    options = "loop," + Self.journals[Int(journal % UInt64(Self.journals.count))]
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    guard FileManager.default.createFile(atPath: image, contents: nil) else {
      throw TestSupportError("cannot make \(image)")
    }
    let file = try FileHandle(forWritingTo: URL(filePath: image))
    try file.truncate(atOffset: Self.size)
    try file.close()
    try Self.run("mkfs.ext4", "-q", "-F", image)
    try mount()
  }

  /// Lends a new one, and takes it away again; `nil` where no folder is named.
  static func with(
    in folder: String?,
    journal: UInt64,
    _ body: (LoopDisk?) async throws -> Void
  ) async throws {
    guard let folder else { return try await body(nil) }
    let disk = try LoopDisk(in: folder, journal: journal)
    do {
      try await body(disk)
    } catch {
      // Nothing else could remove the folder that it lies in.
      try disk.remove()
      throw error
    }
    try disk.remove()
  }

  private func mount() throws { try Self.run("mount", "-o", options, image, place) }

  /// Brings all that was written so far to the disk.
  func sync() throws { try Self.run("sync", "-f", place) }

  /// Takes the power away and gives it back: what was on its way to the disk is gone.
  ///
  /// Anyone who wrote to it has to be dead.
  func cutPower() throws {
    let copy = image + ".cut"
    var written: String
    repeat {
      // The system may still write while the file is copied, and half of that is no moment.
      written = try writtenSectors()
      try Self.run("cp", "--sparse=always", image, copy)
    } while try writtenSectors() != written
    try Self.run("umount", place)
    try Self.run("mv", copy, image)
    try mount()
  }

  /// Unmounts it, and removes its folder.
  func remove() throws {
    try Self.run("umount", place)
    try FileManager.default.removeItem(
      at: URL(filePath: place).deletingLastPathComponent()
    )
  }

  /// How many sectors the system has sent to the disk.
  /// <https://www.kernel.org/doc/html/latest/block/stat.html>
  private func writtenSectors() throws -> String {
    let mounts = try String(contentsOfFile: "/proc/mounts", encoding: .utf8)
    let name = mounts.split(separator: "\n").map { $0.split(separator: " ") }
      .last { $0.count > 1 && $0[1] == place }?[0].split(separator: "/").last
    guard let name else { throw TestSupportError("\(place) is not mounted") }
    let numbers = try String(contentsOfFile: "/sys/block/\(name)/stat", encoding: .utf8)
      .split(separator: " ")
    guard numbers.count > 6 else { throw TestSupportError("no one counts what \(name) wrote") }
    return String(numbers[6])
  }

  static func run(_ words: String...) throws { try run(words) }

  static func run(_ words: [String]) throws {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardError = errors
    try process.run()
    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let text = String(bytes: said, encoding: .utf8) ?? ""
      throw TestSupportError("\(words.joined(separator: " ")): \(text)")
    }
  }
}
