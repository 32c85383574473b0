/// The name of a kind of record, as the store's own model spells it: `Hero`.
package struct EntityName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let text: String

  /// Refuses the empty name and any that could not be part of a file's name.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= 200, !text.hasPrefix(".") else { return nil }
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 != 0x7F }
    guard isPlain else { return nil }
    self.text = text
  }

  package var description: String { text }

  package static func < (left: EntityName, right: EntityName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension EntityName: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    guard let name = EntityName(text) else {
      preconditionFailure("“\(text)” cannot name an entity")
    }
    self = name
  }
}
