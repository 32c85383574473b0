/// Whole numbers as a node packs them.
///
/// Of widths below 8 bits the lowest bits of a byte come first, and the numbers are unsigned. Wider
/// ones are little-endian and signed, but for object keys, which are unsigned.
enum PackedIntegers {
  /// Unpacks all numbers; `bytes` must hold `count` of `width` bits.
  static func unpack(
    _ bytes: [UInt8],
    width: Int,
    count: Int,
    isSigned: Bool = true
  ) -> [Int64] {
    switch width {
    case 0: Array(repeating: 0, count: count)
    case 1, 2, 4: bits(bytes, width: width, count: count)
    case 8: isSigned ? bytes.map { Int64(Int8(bitPattern: $0)) } : bytes.map(Int64.init)
    default: words(bytes, size: width / 8, count: count, isSigned: isSigned)
    }
  }

  private static func bits(_ bytes: [UInt8], width: Int, count: Int) -> [Int64] {
    let mask = UInt8(1 << width) - 1
    let inByte = 8 / width
    return (0..<count).map { index in
      let (place, rest) = index.quotientAndRemainder(dividingBy: inByte)
      return Int64(bytes[place] >> UInt8(rest * width) & mask)
    }
  }

  private static func words(
    _ bytes: [UInt8],
    size: Int,
    count: Int,
    isSigned: Bool
  ) -> [Int64] {
    let spare = 64 - 8 * size
    return (0..<count).map { index in
      let number = Bytes.unsigned(bytes, index * size, size)
      guard isSigned else { return Int64(bitPattern: number) }
      return (Int64(bitPattern: number) << Int64(spare)) >> Int64(spare)
    }
  }
}
