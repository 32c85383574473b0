import ManagedObjectModels

/// Short names for the stores of a container: the file's name without its extension, and as many
/// folders before it as distinguishes it from the others.
package struct PartNames {
  /// The names, in the order of the paths; no two are the same.
  package let names: [String]

  /// Beyond so many folders, those that still have one name are numbered.
  private static let depthLimit = 32

  package init(_ paths: [String]) {
    var names: [Int: String] = [:]
    var taken: Set<String> = []
    var depth = 1
    while names.count < paths.count {
      let waiting = paths.indices.filter { names[$0] == nil }
      let groups = Dictionary(grouping: waiting) { Self.name(of: paths[$0], depth: depth) }
      for (name, group) in groups.sorted(by: { precedes($0.key, $1.key) }) {
        guard depth > Self.depthLimit || (group.count == 1 && !taken.contains(name)) else {
          continue
        }
        for index in group {
          let free = Self.free(name, among: taken)
          names[index] = free
          taken.insert(free)
        }
      }
      depth += 1
    }
    self.names = paths.indices.compactMap { names[$0] }
  }

  /// The name itself, or with the first number that makes it another than those that are taken.
  private static func free(_ name: String, among taken: Set<String>) -> String {
    guard taken.contains(name) else { return name }
    var number = 2
    while taken.contains("\(name)-\(number)") { number += 1 }
    return "\(name)-\(number)"
  }

  /// The parts of the path; a database of Couchbase Lite is its folder.
  private static func place(of path: String) -> ArraySlice<Substring> {
    let parts = path.split(separator: "/")
    let folder = parts.dropLast()
    return parts.last == "db.sqlite3" && folder.last?.hasSuffix(".cblite2") == true
      ? folder : parts[...]
  }

  private static func name(of path: String, depth: Int) -> String {
    var parts = place(of: path).suffix(depth).map(String.init)
    if let last = parts.popLast() {
      let dot = last.lastIndex(of: ".").flatMap { $0 == last.startIndex ? nil : $0 }
      parts.append(String(last[..<(dot ?? last.endIndex)]))
    }
    let text = parts.joined(separator: "-").utf8.map { byte in
      byte > 0x20 && byte != 0x7F ? byte : UInt8(ascii: "-")
    }
    return String(decoding: text, as: UTF8.self)
  }
}
