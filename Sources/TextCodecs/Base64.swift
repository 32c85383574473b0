/// Bytes as text in base 64 (RFC 4648, section 4), and back.
package enum Base64 {
  private static let digits: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// The length of the padded text of `count` bytes.
  @inlinable
  package static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

  /// Writes the text, padded and unbroken; the target must have ``length(of:)`` bytes.
  package static func write(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
    let digits = unsafe digits.utf8Start
    var (index, place) = unsafe (0, target)
    while index &+ 3 <= source.count {
      let group =
        unsafe UInt32(source[index]) << 16 | UInt32(source[index &+ 1]) << 8
        | UInt32(source[index &+ 2])
      let four =
        unsafe UInt32(digits[Int(group >> 18)])
        | UInt32(digits[Int(group >> 12 & 63)]) << 8
        | UInt32(digits[Int(group >> 6 & 63)]) << 16 | UInt32(digits[Int(group & 63)]) << 24
      unsafe place.storeBytes(of: four.littleEndian, as: UInt32.self)
      index &+= 3
      unsafe place += 4
    }
    let left = source.count - index
    guard left > 0 else { return }
    let second = left > 1 ? unsafe UInt32(source[index + 1]) << 8 : 0
    let group = unsafe UInt32(source[index]) << 16 | second
    let last = left > 1 ? unsafe digits[Int(group >> 6 & 63)] : UInt8(ascii: "=")
    unsafe place.storeBytes(of: digits[Int(group >> 18)], as: UInt8.self)
    unsafe place.storeBytes(of: digits[Int(group >> 12 & 63)], toByteOffset: 1, as: UInt8.self)
    unsafe place.storeBytes(of: last, toByteOffset: 2, as: UInt8.self)
    unsafe place.storeBytes(of: UInt8(ascii: "="), toByteOffset: 3, as: UInt8.self)
  }

  /// The text, padded and unbroken.
  package static func text(_ bytes: [UInt8]) -> String {
    let length = length(of: bytes.count)
    return unsafe String(unsafeUninitializedCapacity: length) { target in
      guard let start = target.baseAddress else { return 0 }
      unsafe bytes.withUnsafeBytes { unsafe write($0, to: UnsafeMutableRawPointer(start)) }
      return length
    }
  }

  /// The text without its padding.
  package static func unpadded(_ bytes: [UInt8]) -> [UInt8] {
    Array(text(bytes).utf8.prefix { $0 != UInt8(ascii: "=") })
  }

  /// The bytes of a text which may have white space anywhere and lack its padding, as property lists and
  /// XML stores have it.
  ///
  /// `nil` when it holds other characters, something after the padding, or a lone last digit.
  package static func bytes(spaced text: [UInt8]) -> [UInt8]? {
    decoded(text[...], isSpaced: true)?.bytes
  }

  /// The bytes of a text that has its padding and nothing else, as JSON Schema asks for it.
  ///
  /// What the last digit says beyond the last byte does not count.
  package static func bytes(padded text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    return decoded(text.dropLast(padding), isSpaced: false)?.bytes
  }

  /// The bytes of a text without padding that is the only one for them, as age headers have it.
  package static func bytes(unpadded text: some Collection<UInt8>) -> [UInt8]? {
    guard let (bytes, isCanonical) = decoded(Array(text)[...], isSpaced: false), isCanonical else {
      return nil
    }
    return bytes
  }

  /// Whether ``bytes(padded:)`` gives the bytes of a text that comes in pieces.
  package struct PaddedCheck {
    private var digitCount = 0
    private var paddingCount = 0
    private var isSound = true

    package init() {}

    /// Takes the next piece.
    package mutating func take(_ piece: some Sequence<UInt8>) {
      let values = Base64.values
      for byte in piece {
        if values[Int(byte)] < 64, paddingCount == 0 {
          digitCount &+= 1
        } else if byte == UInt8(ascii: "="), paddingCount < 2 {
          paddingCount += 1
        } else {
          return isSound = false
        }
      }
    }

    /// Whether all that was taken is such a text.
    package var isPassed: Bool { isSound && (digitCount + paddingCount).isMultiple(of: 4) }
  }

  /// The bytes, and whether the last digit says nothing beyond the last of them.
  private static func decoded(
    _ text: ArraySlice<UInt8>,
    isSpaced: Bool
  ) -> (bytes: [UInt8], isCanonical: Bool)? {
    var decoder = Decoder(isSpaced: isSpaced, textSize: text.count)
    unsafe text.withUnsafeBufferPointer { unsafe decoder.add($0) }
    return decoder.finish()
  }

  /// The value of each byte as a digit; 255 for every other byte.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for value in 0..<digits.utf8CodeUnitCount {
      values[Int(unsafe digits.utf8Start[value])] = UInt8(value)
    }
    return values
  }()

  /// Decodes a text that comes in pieces.
  package struct Decoder {
    private var bytes: [UInt8] = []
    private var group: UInt32 = 0
    private var digitCount = 0
    private var isPadded = false
    private var isSound = true
    private let isSpaced: Bool

    /// A text which may have white space anywhere and lack its padding; see ``Base64/bytes(spaced:)``.
    package init() { self.init(isSpaced: true, textSize: 0) }

    fileprivate init(isSpaced: Bool, textSize: Int) {
      self.isSpaced = isSpaced
      bytes.reserveCapacity(textSize / 4 * 3 + 2)
    }

    /// Takes the next piece.
    package mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
      let values = Base64.values
      for index in text.indices {
        let byte = unsafe text[index]
        let value = values[Int(byte)]
        if value < 64 {
          guard !isPadded else { return isSound = false }
          group = group << 6 | UInt32(value)
          digitCount &+= 1
          guard digitCount & 3 == 0 else { continue }
          bytes.append(UInt8(truncatingIfNeeded: group >> 16))
          bytes.append(UInt8(truncatingIfNeeded: group >> 8))
          bytes.append(UInt8(truncatingIfNeeded: group))
        } else if !isSpaced {
          return isSound = false
        } else if byte == UInt8(ascii: "=") {
          isPadded = true
        } else if byte != 0x20, byte < 0x09 || byte > 0x0D {
          return isSound = false
        }
      }
    }

    /// How many bytes it holds.
    package var count: Int { bytes.count }

    /// Gives the bytes so far, and holds them no more.
    package mutating func takeDecoded() -> [UInt8] {
      defer { bytes.removeAll(keepingCapacity: true) }
      return bytes
    }

    /// The bytes that were not taken; `nil` for a text that is not sound.
    package consuming func decoded() -> [UInt8]? { finish()?.bytes }

    fileprivate consuming func finish() -> (bytes: [UInt8], isCanonical: Bool)? {
      guard isSound else { return nil }
      switch digitCount & 3 {
      case 1: return nil
      case 2:
        bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        return (bytes, group & 0xF == 0)
      case 3:
        bytes.append(UInt8(truncatingIfNeeded: group >> 10))
        bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        return (bytes, group & 0x3 == 0)
      default: return (bytes, true)
      }
    }
  }
}
