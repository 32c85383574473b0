/// An address of the Internet Protocol, version 4 or 6.
package struct IPAddress: Hashable, Sendable {
  /// 4 or 16 bytes, the first one first.
  package let bytes: [UInt8]

  /// Reads `192.0.2.1` or `2001:db8::1`, with or without a zone (`fe80::1%eth0`).
  ///
  /// The older forms of version 4 (`127.1`, `0x7f000001`, `2130706433`, `0177.0.0.1`) are not: only the
  /// system's resolver knows what it makes of them.
  package init?(_ text: some StringProtocol) {
    let plain = text.prefix { $0 != "%" }
    guard let bytes = plain.contains(":") ? Self.version6(plain) : Self.version4(plain) else {
      return nil
    }
    self.bytes = bytes
  }

  private static func version4(_ text: some StringProtocol) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { part -> UInt8? in
      let isPlain = part == "0" || part.first != "0"
      guard isPlain, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return UInt8(part)
    }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  private static func version6(_ text: some StringProtocol) -> [UInt8]? {
    // “::” is once for as many zeros as are missing.
    let text = String(text)
    guard let gap = text.firstRange(of: "::") else {
      return groups(text).flatMap { $0.count == 16 ? $0 : nil }
    }
    guard let head = groups(text[..<gap.lowerBound]), let tail = groups(text[gap.upperBound...]),
      head.count + tail.count <= 14
    else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// Groups of four hexadecimal digits, the last two of which may be written as version 4.
  private static func groups(_ text: some StringProtocol) -> [UInt8]? {
    if text.isEmpty { return [] }
    var bytes: [UInt8] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(".") {
        guard let last = version4(part) else { return nil }
        bytes += last
      } else {
        guard (1...4).contains(part.count), part.allSatisfy(\.isHexDigit),
          let group = UInt16(part, radix: 16)
        else { return nil }
        bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    return bytes
  }
}

extension IPAddress {
  /// Whether it is one that any machine of the Internet may have: not this machine, its link, a private
  /// network, nor a range that was skipped, whichever way it is written.
  ///
  /// <https://www.iana.org/assignments/iana-ipv4-special-registry>,
  /// <https://www.iana.org/assignments/iana-ipv6-special-registry>
  package var isPublic: Bool {
    if bytes.count == 4 { return !Self.reserved4.contains { $0.holds(bytes) } }
    if let inner = embedded { return inner.isPublic }
    return Self.global6.holds(bytes) && !Self.reserved6.contains { $0.holds(bytes) }
  }

  /// The address of version 4 that one of version 6 leads to: mapped, translated, or by 6to4.
  private var embedded: IPAddress? {
    let head = Array(bytes[..<12])
    let zeros = [UInt8](repeating: 0, count: 10)
    if head == zeros + [0xFF, 0xFF] || head == [0, 0x64, 0xFF, 0x9B] + zeros[..<8] {
      return IPAddress(bytes: Array(bytes[12...]))
    }
    if bytes[0] == 0x20, bytes[1] == 0x02 { return IPAddress(bytes: Array(bytes[2..<6])) }
    return nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Whether it is this machine itself.
  var isLoopback: Bool {
    if bytes.count == 4 { return bytes[0] == 127 }
    return embedded?.isLoopback ?? (bytes == [UInt8](repeating: 0, count: 15) + [1])
  }

  /// Whether it begins with the same bits as another.
  func begins(with other: IPAddress, bits: Int) -> Bool {
    bytes.count == other.bytes.count && (0...bytes.count * 8).contains(bits)
      && Range(bits: bits, start: other.bytes).holds(bytes)
  }

  /// All addresses that begin with the same bits.
  private struct Range {
    let start: [UInt8]
    let bits: Int

    init(bits: Int, start: [UInt8]) {
      self.start = start
      self.bits = bits
    }

    init(_ bits: Int, _ start: UInt8...) { self.init(bits: bits, start: start) }

    func holds(_ bytes: [UInt8]) -> Bool {
      start.indices.allSatisfy { index in
        let left = max(0, 8 - max(0, bits - index * 8))
        return bytes[index] >> UInt8(left) == start[index] >> UInt8(left)
      }
    }
  }

  private static let reserved4 = [
    Range(8, 0), Range(8, 10), Range(10, 100, 64), Range(8, 127), Range(16, 169, 254),
    Range(12, 172, 16), Range(24, 192, 0, 0), Range(24, 192, 0, 2), Range(24, 192, 88, 99),
    Range(16, 192, 168), Range(15, 198, 18), Range(24, 198, 51, 100), Range(24, 203, 0, 113),
    Range(3, 224),
  ]

  private static let global6 = Range(3, 0x20)
  private static let reserved6 = [
    Range(23, 0x20, 0x01, 0x00), Range(32, 0x20, 0x01, 0x0D, 0xB8), Range(20, 0x3F, 0xFF, 0x00),
  ]
}
