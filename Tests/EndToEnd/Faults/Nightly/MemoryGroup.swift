import Foundation
import TestSupport

/// A control group whose processes share so much memory, and are killed when they want more.
///
/// <https://www.kernel.org/doc/html/latest/admin-guide/cgroup-v1/memory.html>,
/// <https://www.kernel.org/doc/html/latest/admin-guide/cgroup-v2.html>
struct MemoryGroup: Sendable {
  private let path: String
  private let isOfFirstVersion: Bool

  private static let firstVersion = "/sys/fs/cgroup/memory"
  private static let secondVersion = "/sys/fs/cgroup"

  /// Why there can be none on this machine; `nil` where there can.
  static let obstacle: String? = {
    #if os(Linux)
    do {
      try MemoryGroup(mebibytes: 64).remove()
      return nil
    } catch {
      return "\(error)"
    }
    #else
    return "not Linux"
    #endif
  }()

  /// Lends one, and takes it away again.
  static func with<Value>(
    mebibytes: Int,
    _ body: (MemoryGroup) async throws -> Value
  ) async throws -> Value {
    let group = try MemoryGroup(mebibytes: mebibytes)
    do {
      let value = try await body(group)
      try group.remove()
      return value
    } catch {
      // The first error is the one to state.
      try? group.remove()
      throw error
    }
  }

  private init(mebibytes: Int) throws {
    let files = FileManager.default
    isOfFirstVersion = files.fileExists(atPath: "\(Self.firstVersion)/memory.limit_in_bytes")
    let parent = isOfFirstVersion ? Self.firstVersion : Self.secondVersion
    path = "\(parent)/ferry-\(UUID().uuidString)"
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw TestSupportError("no group can be made in \(parent)")
    }
    do {
      try write("\(mebibytes << 20)", to: isOfFirstVersion ? "memory.limit_in_bytes" : "memory.max")
      // Without space elsewhere, so that anyone who wants more is killed and not slow.
      try? write("0", to: isOfFirstVersion ? "memory.swappiness" : "memory.swap.max")
    } catch {
      try? remove()
      throw error
    }
  }

  private func write(_ text: String, to name: String) throws {
    guard let file = FileHandle(forWritingAtPath: "\(path)/\(name)") else {
      throw TestSupportError("\(path) has no \(name)")
    }
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  /// The files of a group are the system's; its folder goes as soon as no one is in it.
  private func remove() throws {
    guard rmdir(path) == 0 else { throw TestSupportError("\(path) cannot be removed: \(errno)") }
  }

  /// What starts a program inside of it, and becomes the program.
  var words: [String] { ["sh", "-c", "echo $$ >'\(path)/cgroup.procs'; exec \"$@\"", "sh"] }

  /// How many of its processes were killed for want of memory.
  func killCount() throws -> Int {
    let name = isOfFirstVersion ? "memory.oom_control" : "memory.events"
    let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
    guard let count = line.flatMap({ Int($0.dropFirst("oom_kill ".count)) }) else {
      throw TestSupportError("\(path)/\(name) reports no kills: \(text)")
    }
    return count
  }
}
