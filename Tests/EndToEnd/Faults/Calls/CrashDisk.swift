import Foundation
import TestSupport

/// Files and folders by number, so that a name can be lost and what it led to be kept.
struct CrashDisk: Sendable {
  enum Node: Hashable, Sendable {
    case file([UInt8])
    case folder([String: Int])
  }

  /// The folder that all of it lies in.
  static let root = 0
  let place: String
  private(set) var nodes: [Int: Node] = [CrashDisk.root: .folder([:])]

  /// Reads what lies at and below a folder; what is temporary is not kept.
  init(of place: String) throws {
    self.place = place
    for name in try FileManager.default.subpathsOfDirectory(atPath: place).sorted() {
      guard !Self.isTemporary("\(place)/\(name)") else { continue }
      var isFolder: ObjCBool = false
      let path = "\(place)/\(name)"
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
      let number = nodes.count
      if isFolder.boolValue {
        nodes[number] = .folder([:])
      } else {
        nodes[number] = .file([UInt8](try Data(contentsOf: URL(filePath: path))))
      }
      let parts = name.split(separator: "/").map(String.init)
      guard let parent = node(parts.dropLast()), let last = parts.last else { continue }
      setEntry(last, of: parent, to: number)
    }
  }

  /// Whether a path is in the folder for temporary files, which no crash has to spare.
  static func isTemporary(_ path: String) -> Bool { path.contains("/state.temporary") }

  /// The number of what a path leads to.
  func node(_ parts: some Sequence<String>) -> Int? {
    var number = Self.root
    for part in parts {
      guard case .folder(let entries) = nodes[number], let next = entries[part] else { return nil }
      number = next
    }
    return number
  }

  // MARK: - Changing

  mutating func add(_ node: Node, as number: Int) { nodes[number] = node }

  mutating func setEntry(_ name: String, of folder: Int, to node: Int?) {
    guard case .folder(var entries) = nodes[folder] else { return }
    entries[name] = node
    nodes[folder] = .folder(entries)
  }

  mutating func write(_ bytes: ArraySlice<UInt8>, to number: Int, at offset: Int) {
    guard case .file(var content) = nodes[number] else { return }
    nodes[number] = nil
    let end = offset + bytes.count
    if content.count < end { content += Array(repeating: 0, count: end - content.count) }
    content.replaceSubrange(offset..<end, with: bytes)
    nodes[number] = .file(content)
  }

  mutating func cut(_ number: Int, to size: Int) {
    guard case .file(let content) = nodes[number] else { return }
    let missing = max(0, size - content.count)
    nodes[number] = .file(Array(content.prefix(size)) + Array(repeating: 0, count: missing))
  }

  // MARK: - Looking

  /// The files by their path below the folder; folders end in `/` and have no bytes.
  func tree() -> [String: [UInt8]] {
    var tree: [String: [UInt8]] = [:]
    collect(Self.root, "", into: &tree)
    return tree
  }

  private func collect(_ number: Int, _ path: String, into tree: inout [String: [UInt8]]) {
    switch nodes[number] {
    case .file(let bytes): tree[path] = bytes
    case .folder(let entries):
      if !path.isEmpty { tree[path + "/"] = [] }
      for (name, node) in entries {
        collect(node, path.isEmpty ? name : "\(path)/\(name)", into: &tree)
      }
    case nil: return
    }
  }

  /// Makes a real folder hold exactly this.
  func replace(_ folder: String) throws {
    let files = FileManager.default
    for name in try files.contentsOfDirectory(atPath: folder) {
      try files.removeItem(atPath: "\(folder)/\(name)")
    }
    for (name, bytes) in tree().sorted(by: { $0.key < $1.key }) {
      let path = "\(folder)/\(name)"
      if name.hasSuffix("/") {
        try files.createDirectory(
          atPath: path,
          withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700]
        )
      } else {
        guard
          files.createFile(
            atPath: path,
            contents: Data(bytes),
            attributes: [.posixPermissions: 0o600]
          )
        else { throw TestSupportError("cannot make \(path)") }
      }
    }
  }
}
