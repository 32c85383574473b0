/// The header of a node: eight bytes, behind which its elements lie packed.
///
/// | byte | what |
/// |---|---|
/// | 0–3 | `AAAA`, which nothing checks |
/// | 4 | bit 7 inner node, bit 6 has references, bit 5 context, bits 4–3 kind, bits 2–0 width code |
/// | 5–7 | the count, highest byte first |
struct Node: Hashable {
  /// What a node's width counts.
  enum Kind: Hashable {
    /// Bits an element: whole numbers and references.
    case bits
    /// Bytes an element: short strings, floating-point numbers, decimals, fixed sizes.
    case bytes
    /// Nothing; the count is the number of bytes.
    case blob
  }

  static let headerSize = 8

  /// The node's offset in the file, in bytes.
  let offset: Int
  let kind: Kind
  /// Bits or bytes an element, as ``kind`` says: 0, 1, 2, 4, 8, 16, 32 or 64.
  let width: Int
  /// How many elements there are; 8 bytes may claim 16,777,215 of width 0.
  let count: Int
  let isInner: Bool
  let hasReferences: Bool
  /// A flag whose meaning depends on what the node is for.
  let hasContext: Bool

  /// Reads a header.
  ///
  /// - Returns: `nil` for the fourth kind, which no release writes.
  init?(header: UInt64, at offset: Int) {
    let flags = UInt8(truncatingIfNeeded: header >> 32)
    switch flags >> 3 & 3 {
    case 0: kind = .bits
    case 1: kind = .bytes
    case 2: kind = .blob
    case _: return nil
    }
    self.offset = offset
    width = (1 << Int(flags & 7)) >> 1
    // The count's bytes are the highest three of the number, in the other order.
    count = Int(header.byteSwapped & 0xFF_FFFF)
    isInner = flags & 0x80 != 0
    hasReferences = flags & 0x40 != 0
    hasContext = flags & 0x20 != 0
  }

  /// Where the elements begin.
  var contentOffset: Int { offset + Self.headerSize }

  /// The bytes that the elements take, without those that fill the last eight up.
  var contentSize: Int {
    switch kind {
    case .bits: (count * width + 7) / 8
    case .bytes: count * width
    case .blob: count
    }
  }
}

/// An element of a node that has references: an offset, nothing, or a number.
enum Element: Hashable {
  /// The offset of a node, an even number other than zero.
  case reference(Int64)
  case nothing
  /// A number, stored as twice itself plus one.
  case number(UInt64)

  init(_ value: Int64) {
    if value == 0 {
      self = .nothing
    } else if value & 1 == 0 {
      self = .reference(value)
    } else {
      self = .number(UInt64(bitPattern: value) >> 1)
    }
  }
}
