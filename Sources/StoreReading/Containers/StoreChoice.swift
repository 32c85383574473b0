/// A store of a container that a person named.
package struct StoreChoice: Hashable, Sendable {
  /// What the store is called: `settings`.
  package let name: String
  /// The path in the container; `*` represents any characters of one folder or file name.
  package let pattern: String

  package init(name: String, pattern: String) {
    self.name = name
    self.pattern = pattern
  }

  /// Whether the path is meant.
  package func matches(_ path: String) -> Bool {
    let wanted = pattern.split(separator: "/")
    let parts = path.split(separator: "/")
    guard wanted.count == parts.count else { return false }
    return zip(wanted, parts).allSatisfy { Self.matches(Array($0.0.utf8), Array($0.1.utf8)) }
  }

  /// Goes back to the last star where the rest does not fit.
  private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var (place, read) = (0, 0)
    var star: (place: Int, read: Int)?
    while read < text.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        star = (place, read)
        place += 1
      } else if place < pattern.count, pattern[place] == text[read] {
        place += 1
        read += 1
      } else if let last = star {
        star = (last.place, last.read + 1)
        place = last.place + 1
        read = last.read + 1
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
