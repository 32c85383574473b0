/// Percent-encoding, as RFC 3986 has it for addresses.
package enum PercentCoding {
  /// Whether a byte means the same in every part of an address: RFC 3986, section 2.3.
  @inlinable
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Appends bytes, all of them encoded but for those that are plain.
  @inlinable
  package static func append(
    _ bytes: some Sequence<UInt8>,
    to text: inout [UInt8],
    _ letters: Hexadecimal.Letters = .upper,
    plain isPlain: (UInt8) -> Bool = isUnreserved
  ) {
    for byte in bytes {
      if isPlain(byte) {
        text.append(byte)
      } else {
        text.append(UInt8(ascii: "%"))
        text.append(Hexadecimal.digit(byte >> 4, letters))
        text.append(Hexadecimal.digit(byte & 15, letters))
      }
    }
  }

  /// The text, all bytes of it encoded but for those that are plain.
  package static func encoded(
    _ text: String,
    _ letters: Hexadecimal.Letters = .upper,
    plain isPlain: (UInt8) -> Bool
  ) -> String {
    var bytes: [UInt8] = []
    append(text.utf8, to: &bytes, letters, plain: isPlain)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text, all but unreserved characters encoded; characters of `kept` stay as they are.
  package static func encoded(_ text: String, keeping kept: String = "") -> String {
    let kept = Array(kept.utf8)
    return encoded(text) { isUnreserved($0) || kept.contains($0) }
  }

  /// What an encoded text says; a percent sign without two hexadecimal digits after it is kept.
  package static func decoded(_ text: some StringProtocol) -> String {
    String(decoding: bytes(text, isStrict: false) ?? [], as: UTF8.self)
  }

  /// What an encoded text says; `nil` if two hexadecimal digits are missing after a percent sign, or if the
  /// bytes are not UTF-8.
  package static func strictlyDecoded(_ text: some StringProtocol) -> String? {
    bytes(text, isStrict: true).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes of an encoded text; a percent sign without digits is kept, or makes a strict reading `nil`.
  private static func bytes(_ text: some StringProtocol, isStrict: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = Hexadecimal.bytes(digits, .eitherCase)
      {
        bytes += value
        rest = rest.dropFirst(2)
      } else if isStrict, byte == UInt8(ascii: "%") {
        return nil
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
