/// A password or a token: usable, and never printed.
///
/// Every way of turning it into text gives `•••`. Anyone who needs the real text says so by reading
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
