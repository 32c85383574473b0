/// Bytes as text with a checksum: BIP 173, <https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki>,
/// without its limit of 90 characters, as age has it.
enum Bech32 {
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let generator: [UInt32] = [
    0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3,
  ]
  private static let checksumLength = 6

  /// The text of `bytes` under a prefix in lower case.
  static func text(prefix: String, _ bytes: [UInt8]) -> String {
    let values = regrouped(bytes, from: 8, to: 5, isPadded: true) ?? []
    let sum = checksum(expanded(prefix) + values + [UInt8](repeating: 0, count: checksumLength))
    let checks = (0..<checksumLength).map { UInt8((sum ^ 1) >> (5 * UInt32(5 - $0)) & 31) }
    return prefix + "1"
      + String(decoding: (values + checks).map { alphabet[Int($0)] }, as: UTF8.self)
  }

  /// The prefix in lower case, and the bytes; `nil` for text with another checksum, of both cases,
  /// or that is not the shortest of its bytes.
  static func bytes(of text: String) -> (prefix: String, bytes: [UInt8])? {
    let lower = text.lowercased()
    // Letters of other alphabets have some of these for their small ones.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    guard text == lower || text == text.uppercased(), let mark = lower.lastIndex(of: "1"),
      mark > lower.startIndex
    else { return nil }
    let prefix = String(lower[..<mark])
    guard prefix.utf8.allSatisfy({ (33...126).contains($0) }) else { return nil }
    var values: [UInt8] = []
    for byte in lower[lower.index(after: mark)...].utf8 {
      guard let value = alphabet.firstIndex(of: byte) else { return nil }
      values.append(UInt8(value))
    }
    guard values.count >= checksumLength, checksum(expanded(prefix) + values) == 1,
      let bytes = regrouped(values.dropLast(checksumLength), from: 5, to: 8, isPadded: false)
    else { return nil }
    return (prefix, bytes)
  }

  private static func expanded(_ prefix: String) -> [UInt8] {
    prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 }
  }

  private static func checksum(_ values: [UInt8]) -> UInt32 {
    var sum: UInt32 = 1
    for value in values {
      let top = sum >> 25
      sum = (sum & 0x1ff_ffff) << 5 ^ UInt32(value)
      for (bit, word) in generator.enumerated() where top >> UInt32(bit) & 1 == 1 { sum ^= word }
    }
    return sum
  }

  /// The same bits in groups of another size; `nil` where bits that only pad are not zero.
  private static func regrouped(
    _ values: some Sequence<UInt8>,
    from size: UInt32,
    to newSize: UInt32,
    isPadded: Bool
  ) -> [UInt8]? {
    var (bits, count): (UInt32, UInt32) = (0, 0)
    var groups: [UInt8] = []
    let mask: UInt32 = 1 << newSize - 1
    for value in values {
      bits = (bits << size | UInt32(value)) & 0xfff
      count += size
      while count >= newSize {
        count -= newSize
        groups.append(UInt8(bits >> count & mask))
      }
    }
    let rest = bits & (1 << count - 1)
    if isPadded {
      if count > 0 { groups.append(UInt8(rest << (newSize - count) & mask)) }
    } else if count >= size || rest != 0 {
      return nil
    }
    return groups
  }
}
