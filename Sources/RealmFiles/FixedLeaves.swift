/// Values of a fixed number of bytes, in blocks of eight behind a byte of null bits.
struct FixedSizeLeaf: Leaf {
  let count: Int
  private let bytes: [UInt8]
  private let size: Int
  /// Whether the leaf was never written: all of it is null.
  private let isUnwritten: Bool
  private let make: @Sendable ([UInt8]) -> RealmValue

  /// The node counts bytes: of the blocks, each with `8 × size` bytes and one more.
  init(
    _ node: Node,
    _ pass: ReadPass,
    size: Int,
    _ make: @escaping @Sendable ([UInt8]) -> RealmValue
  ) throws(RealmError) {
    let blockSize = 8 * size + 1
    let blockCount = (node.count + blockSize - 1) / blockSize
    count = (node.count - blockCount) / size
    isUnwritten = node.kind == .bytes && node.width == 0
    bytes = isUnwritten ? [] : try pass.content(of: node)
    guard isUnwritten || bytes.count == node.count else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "single bytes are expected in a node")
    }
    self.size = size
    self.make = make
  }

  func value(at index: Int) -> RealmValue {
    let (block, place) = index.quotientAndRemainder(dividingBy: 8)
    let start = block * (8 * size + 1)
    if isUnwritten || bytes[start] >> UInt8(place) & 1 == 1 { return .null }
    let first = start + 1 + place * size
    return make(Array(bytes[first..<first + size]))
  }
}

/// Decimals of 4, 8 or 16 bytes; formats up to 23 have 16.
struct DecimalLeaf: Leaf {
  let count: Int
  private let bytes: [UInt8]
  private let width: Int
  /// What every value is where they have no bytes.
  private let common: RealmValue

  init(_ node: Node, _ pass: ReadPass) throws(RealmError) {
    guard node.kind == .bytes || node.width == 0, [0, 4, 8, 16].contains(node.width) else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "decimals are expected in a node")
    }
    count = node.count
    width = node.width
    bytes = width == 0 ? [] : try pass.content(of: node)
    common = node.hasContext ? .decimal(RealmDecimal()) : .null
  }

  func value(at index: Int) -> RealmValue {
    if width == 0 { return common }
    let start = index * width
    let low = Bytes.unsigned(bytes, start, min(width, 8))
    let high = width == 16 ? Bytes.unsigned(bytes, start + 8, 8) : 0
    let bits = UInt128(high) << 64 | UInt128(low)
    return RealmDecimal.reading(bits, byteCount: width).map(RealmValue.decimal) ?? .null
  }
}
