/// How large and how deep one value of Fleece may be.
///
/// Pointers may lead to one value many times, so what a value holds when it is written out is not bounded
/// by the number of its bytes.
package struct FleeceLimits: Hashable, Sendable {
  /// Arrays and dictionaries inside one another.
  package let depth: Int
  /// Values of all kinds, each counted as often as it is reached.
  package let valueCount: Int
  /// The bytes of texts, names and data together, each counted as often as it is reached.
  package let byteCount: Int

  package init(depth: Int = 100, valueCount: Int = 2_000_000, byteCount: Int = 64 << 20) {
    self.depth = depth
    self.valueCount = valueCount
    self.byteCount = byteCount
  }

  /// 100 levels, two million values and 64 MiB.
  package static let standard = FleeceLimits()
}
