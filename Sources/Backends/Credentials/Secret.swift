/// A password or a token: usable, and never printed.
///
/// Every way of turning it into text gives `•••`. Whoever needs the real text says so by reading
/// ``exposed``, and keeps the result no longer than the request that carries it.
package struct Secret: Hashable, Sendable {
  /// The real text.
  package let exposed: String

  package init(_ text: String) {
    exposed = text
  }

  private static let mask = "•••"
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { Self.mask }
  package var debugDescription: String { Self.mask }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What must not appear in any message: the credentials and tokens that were in use.
struct Redaction: Sendable {
  private(set) var secrets: Set<Secret> = []

  /// Adds a secret; one too short to be told from ordinary words is left out.
  mutating func add(_ secret: Secret) {
    if secret.exposed.utf8.count >= 4 { secrets.insert(secret) }
  }

  /// The text with every secret replaced.
  func redacted(_ text: String) -> String {
    var text = text
    let longestFirst = secrets.sorted { $0.exposed.utf8.count > $1.exposed.utf8.count }
    for secret in longestFirst where text.contains(secret.exposed) {
      text = text.replacing(secret.exposed, with: secret.description)
    }
    return text
  }
}
