/// A whole number in as many bytes as it needs, the lowest seven bits first.
struct Varint {
  let value: UInt64
  /// The place behind it.
  let end: Int

  /// `nil` where the bytes end before it, or it has more than 64 bits.
  init?(in bytes: DocumentBytes, at start: Int, before limit: Int) {
    var value: UInt64 = 0
    var place = start
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard place < min(limit, bytes.count) else { return nil }
      let byte = bytes[place]
      place += 1
      guard shift < 63 || byte <= 1 else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 {
        self.value = value
        end = place
        return
      }
    }
    return nil
  }
}
