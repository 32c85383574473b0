/// The names of fields that a destination keeps for itself.
package struct ReservedNames: Hashable, Sendable {
  /// Names, and beginnings of names with `*` behind them: `_*`.
  let patterns: [String]

  func hold(_ name: String) -> Bool {
    patterns.contains { pattern in
      pattern.last == "*" ? name.hasPrefix(pattern.dropLast()) : name == pattern
    }
  }
}
