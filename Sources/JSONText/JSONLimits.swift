/// How deep and how large a document may be.
package struct JSONLimits: Hashable, Sendable {
  /// How many arrays and objects may lie inside each other.
  package let maximumDepth: Int
  /// How many bytes one document may have; never more than 4 GiB less 64 bytes.
  package let maximumBytes: Int

  package init(maximumDepth: Int = 128, maximumBytes: Int = Self.largestDocument) {
    precondition(maximumDepth > 0, "a document needs at least one level")
    precondition(maximumBytes > 0, "a document needs at least one byte")
    self.maximumDepth = maximumDepth
    self.maximumBytes = min(maximumBytes, Self.largestDocument)
  }

  /// The largest document whose places fit in 32 bits.
  package static let largestDocument = Int(UInt32.max) - 64

  /// 128 levels, and as many bytes as fit in 32-bit places.
  package static let standard = Self()
}
