/// Numbers in bytes, the lowest byte first.
enum Bytes {
  /// `count` bytes from `start` on, at most eight, as an unsigned number.
  static func unsigned(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
    var number: UInt64 = 0
    for place in 0..<count { number |= UInt64(bytes[start + place]) << UInt64(8 * place) }
    return number
  }

  /// The lowest `count` bytes of a number.
  static func littleEndian(_ number: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }
}
