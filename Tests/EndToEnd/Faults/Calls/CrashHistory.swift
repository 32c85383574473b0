import TestSupport

/// What a program did to a disk, call by call, and what a crash at any of them may leave.
///
/// The model promises as little as POSIX does: bytes are safe once their file was synced, a name once
/// its folder was, and both once the file system was. Whatever is not safe may be there or not, in any combination. A rename is one step.
struct CrashHistory: Sendable {
  /// One thing that a call did.
  private struct Effect: Sendable {
    enum Kind: Sendable {
      case entry(folder: Int, name: String, node: Int, isFolder: Bool)
      case removal(folder: Int, name: String)
      case move(fromFolder: Int, from: String, toFolder: Int, to: String, node: Int)
      case bytes(node: Int, offset: Int, range: Range<Int>)
      case size(node: Int, size: Int)
    }
    let number: Int
    let kind: Kind
    /// The number of the call that made it safe; `nil` for none.
    var safeFrom: Int?

    /// The file or folder that has to be synced.
    var home: Int {
      switch kind {
      case .entry(let folder, _, _, _), .removal(let folder, _): folder
      case .move(_, _, let folder, _, _): folder
      case .bytes(let node, _, _), .size(let node, _): node
      }
    }

    var isContent: Bool {
      switch kind {
      case .bytes, .size: true
      case .entry, .removal, .move: false
      }
    }
  }

  /// What is there of something that is not safe.
  private enum Rest { case all, nothing, zeros }

  private let start: CrashDisk
  private let data: [UInt8]
  private var effects: [Effect] = []

  init(_ start: CrashDisk, calls: [Call], data: [UInt8]) {
    self.start = start
    self.data = data
    var now = start
    var read = 0
    var count = start.nodes.count
    for call in calls {
      let range = read..<min(read + (call.kind == "write" ? max(call.length, 0) : 0), data.count)
      read = range.upperBound
      guard call.error == 0, !CrashDisk.isTemporary(call.path) else { continue }
      if call.kind == "sync" {
        makeSafe(now.node(parts(call.path)), by: call.number)
      } else if call.kind == "sync-all" {
        for index in effects.indices where effects[index].safeFrom == nil {
          effects[index].safeFrom = call.number
        }
      } else if let kind = kind(of: call, range: range, now: now, next: count) {
        let effect = Effect(number: call.number, kind: kind)
        effects.append(effect)
        apply(effect, .all, to: &now)
        count += 1
      }
    }
  }

  private func parts(_ path: String) -> [String] {
    guard path != start.place else { return [] }
    return path.dropFirst(start.place.count + 1).split(separator: "/").map(String.init)
  }

  private mutating func makeSafe(_ node: Int?, by number: Int) {
    for index in effects.indices where effects[index].home == node {
      if effects[index].safeFrom == nil { effects[index].safeFrom = number }
    }
  }

  private func kind(of call: Call, range: Range<Int>, now: CrashDisk, next: Int) -> Effect.Kind? {
    let path = parts(call.path)
    let node = now.node(path)
    guard let name = path.last, let folder = now.node(path.dropLast()) else { return nil }
    switch call.kind {
    case "create", "mkdir":
      return .entry(folder: folder, name: name, node: next, isFolder: call.kind == "mkdir")
    case "unlink", "rmdir": return node.map { _ in .removal(folder: folder, name: name) }
    case "open-empty": return node.map { .size(node: $0, size: 0) }
    case "truncate": return node.map { .size(node: $0, size: Int(call.other) ?? 0) }
    case "write": return node.map { .bytes(node: $0, offset: call.offset, range: range) }
    case "rename":
      let other = parts(call.other)
      guard let node, let to = other.last, let toFolder = now.node(other.dropLast()) else {
        return nil
      }
      return .move(fromFolder: folder, from: name, toFolder: toFolder, to: to, node: node)
    default: return nil
    }
  }

  private func apply(_ effect: Effect, _ rest: Rest, to disk: inout CrashDisk) {
    switch effect.kind {
    case .entry(let folder, let name, let node, let isFolder):
      // Whatever became of its name, its content may come by another.
      disk.add(isFolder ? .folder([:]) : .file([]), as: node)
      if rest == .all { disk.setEntry(name, of: folder, to: node) }
    case .removal(let folder, let name):
      if rest == .all { disk.setEntry(name, of: folder, to: nil) }
    case .move(let fromFolder, let from, let toFolder, let to, let node):
      guard rest == .all else { return }
      disk.setEntry(from, of: fromFolder, to: nil)
      disk.setEntry(to, of: toFolder, to: node)
    case .bytes(let node, let offset, let range):
      if rest == .nothing { return }
      let zeros = Array(repeating: UInt8(0), count: rest == .zeros ? range.count : 0)
      disk.write(rest == .zeros ? zeros[...] : data[range], to: node, at: offset)
    case .size(let node, let size): if rest == .all { disk.cut(node, to: size) }
    }
  }

  // MARK: - States

  private func build(after number: Int, _ rest: (Int, Effect) -> Rest) -> CrashDisk {
    var disk = start
    for (place, effect) in effects.enumerated() where effect.number <= number {
      apply(effect, isSafe(effect, number) ? .all : rest(place, effect), to: &disk)
    }
    return disk
  }

  private func isSafe(_ effect: Effect, _ number: Int) -> Bool {
    effect.safeFrom.map { $0 <= number } ?? false
  }

  /// What is there without a crash, or after a crash that was only the program's.
  func whole(after number: Int) -> CrashDisk { build(after: number) { _, _ in .all } }

  /// The states that a crash may leave which differ most: nothing that is not safe; all names and
  /// no bytes; all names and zeros for bytes.
  func mainStates(after number: Int) -> [CrashDisk] {
    [
      build(after: number) { _, _ in .nothing },
      build(after: number) { _, effect in effect.isContent ? .nothing : .all },
      build(after: number) { _, effect in effect.isContent ? .zeros : .all },
    ]
  }

  /// Further states: all but one thing that is not safe, and some where chance decides.
  func moreStates(after number: Int, chance: Int, seed: UInt64) -> [CrashDisk] {
    var states: [CrashDisk] = []
    for (place, effect) in effects.enumerated()
    where effect.number <= number && !isSafe(effect, number) {
      states.append(build(after: number) { other, _ in other == place ? .nothing : .all })
    }
    for turn in 0..<chance { states.append(random(after: number, seed: seed &+ UInt64(turn))) }
    return states
  }

  private func random(after number: Int, seed: UInt64) -> CrashDisk {
    var numbers = SeededNumbers(seed: seed &* 7_919 &+ UInt64(number))
    return build(after: number) { _, effect in
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0, 1: .all
      case 2 where effect.isContent: .zeros
      default: .nothing
      }
    }
  }

  /// One state, as the seed says: half the time nothing that is not safe, else by chance.
  func state(after number: Int, seed: UInt64) -> CrashDisk {
    seed.isMultiple(of: 2)
      ? build(after: number) { _, _ in .nothing } : random(after: number, seed: seed)
  }
}
