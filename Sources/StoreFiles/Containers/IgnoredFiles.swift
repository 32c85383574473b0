/// Files of a folder that a person knows, so that they are neither opened nor reported one by one.
///
/// | a pattern | means |
/// |---|---|
/// | without a slash: `*.log` | each file and folder of that name, wherever it lies |
/// | with a slash: `files/cache*` | the file or folder at that path, from the folder that is read |
///
/// A folder that is meant is left out with all that is in it. `*` represents any characters of one name,
/// `?` one.
package struct IgnoredFiles: Hashable, Sendable {
  package let patterns: [String]

  package init(_ patterns: [String] = []) {
    self.patterns = patterns
  }

  /// The first pattern that means this path or a folder that it lies in.
  package func pattern(for path: String) -> String? {
    patterns.isEmpty ? nil : patterns.first { Self.matches($0, path) }
  }

  private static func matches(_ pattern: String, _ path: String) -> Bool {
    let wanted = pattern.split(separator: "/").filter { $0 != "." }
    let parts = path.split(separator: "/")
    guard let first = wanted.first else { return false }
    if wanted.count == 1, !pattern.dropLast().contains("/") {
      return parts.contains { NamePattern.matches(first, $0) }
    }
    return wanted.count <= parts.count
      && zip(wanted, parts).allSatisfy { NamePattern.matches($0.0, $0.1) }
  }
}
