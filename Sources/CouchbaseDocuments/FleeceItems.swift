/// The items of an array or a dictionary, and where they lie.
package struct FleeceItems: Hashable, Sendable {
  let start: Int
  package let count: Int
  /// The bytes of one value.
  let width: Int
  /// What they point to lies before this place.
  let floor: Int
  /// How many collections they lie in.
  let depth: Int
  /// How many bytes of texts and data were counted before them.
  let byteCount: Int
  /// The same behind the last of them.
  var endByteCount = 0
  /// The arrays in them that are not held either, in the order in which they are reached.
  var longArrays: [FleeceItems] = []

  var isWide: Bool { width == 4 }

  func isPlaced(like other: FleeceItems) -> Bool {
    start == other.start && count == other.count && byteCount == other.byteCount
  }
}

/// Reads the items of an array that is not held, one at a time.
package struct FleeceItemReader {
  private var pass: FleecePass
  private let items: FleeceItems
  private var next = 0

  init(_ items: FleeceItems, _ pass: FleecePass) { (self.items, self.pass) = (items, pass) }

  /// The next item, or `nil` behind the last.
  ///
  /// - Throws: ``FleeceError`` only where the bytes are others than when the array was found.
  package mutating func take() throws(FleeceError) -> FleeceValue? {
    guard next < items.count else { return nil }
    defer { next += 1 }
    return try pass.item(items.start + next * items.width, items)
  }
}
