/// A member's name, prepared once so that many documents can be asked for it quickly.
///
/// Names are compared by their bytes: `é` written as one scalar is another name than `e` followed
/// by a combining accent.
package struct JSONName: Hashable, Sendable, CustomStringConvertible {
  /// The name in UTF-8, unescaped.
  package let bytes: [UInt8]
  /// A hash of the bytes, the same that the tape holds beside each name.
  package let fingerprint: UInt32

  package init(_ text: String) {
    self.init(bytes: Array(text.utf8))
  }

  package init(bytes: [UInt8]) {
    self.bytes = bytes
    fingerprint = unsafe bytes.withUnsafeBytes { unsafe Self.fingerprint(of: $0) }
  }

  package var description: String {
    String(decoding: bytes, as: UTF8.self)
  }

  package static func == (left: JSONName, right: JSONName) -> Bool {
    left.fingerprint == right.fingerprint && left.bytes == right.bytes
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(fingerprint)
  }

  /// Folds the first eight bytes, the last eight bytes and the count into 32 bits.
  @inlinable
  @inline(__always)
  package static func fingerprint(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    let count = bytes.count
    guard count > 0, let base = bytes.baseAddress else { return 0 }
    var first: UInt64
    var last: UInt64 = 0
    if count >= 8 {
      first = unsafe base.loadUnaligned(as: UInt64.self)
      last = unsafe base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    } else if count >= 4 {
      first = UInt64(unsafe base.loadUnaligned(as: UInt32.self))
      last = UInt64(unsafe base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    } else {
      first = UInt64(unsafe bytes[0])
      first |= UInt64(unsafe bytes[count / 2]) << 8
      first |= UInt64(unsafe bytes[count &- 1]) << 16
    }
    first ^= 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: count)
    let product = first.multipliedFullWidth(by: last ^ 0xE703_7ED1_A0B4_28DB)
    let folded = product.high ^ product.low
    return UInt32(truncatingIfNeeded: folded ^ folded >> 32)
  }
}

extension JSONName: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value)
  }
}
