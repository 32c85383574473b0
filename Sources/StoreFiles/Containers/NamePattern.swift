/// A pattern for the name of a file or folder: `*` represents any characters, `?` one.
enum NamePattern {
  /// Whether the pattern fits the whole name.
  package static func matches(_ pattern: Substring, _ name: Substring) -> Bool {
    matches(Array(pattern.unicodeScalars), Array(name.unicodeScalars))
  }

  /// Goes back to the last star where the rest does not fit.
  private static func matches(_ pattern: [Unicode.Scalar], _ text: [Unicode.Scalar]) -> Bool {
    var (place, read) = (0, 0)
    var star: (place: Int, read: Int)?
    while read < text.count {
      if place < pattern.count, pattern[place] == "*" {
        star = (place, read)
        place += 1
      } else if place < pattern.count, pattern[place] == "?" || pattern[place] == text[read] {
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
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
