/// A store of a container that a person named.
package struct StoreChoice: Hashable, Sendable {
  /// What the store is called: `settings`.
  package let name: String
  /// The path in the container; in one folder or file name, `*` represents any characters and `?` one.
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
    return zip(wanted, parts).allSatisfy { NamePattern.matches($0.0, $0.1) }
  }
}
