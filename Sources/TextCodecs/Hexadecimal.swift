/// Bytes as pairs of hexadecimal digits, and back.
package enum Hexadecimal {
  /// The case of the letters, which are the digits ten to fifteen.
  package enum Letters: Sendable { case lower, upper }

  /// Which texts are read as bytes.
  package enum Form: Sendable {
    /// Small letters only, for what has one spelling: digests, and names made of them.
    case lowerCase
    /// Letters of either case, also both.
    case eitherCase
    /// Letters of either case, and white space anywhere: data in a property list.
    case spaced
  }

  /// Two digits for each byte.
  @inlinable
  package static func text(_ bytes: some Sequence<UInt8>, _ letters: Letters = .lower) -> String {
    let text = bytes.withContiguousStorageIfAvailable {
      unsafe self.text(UnsafeRawBufferPointer($0), letters)
    }
    return unsafe text ?? Array(bytes).withUnsafeBytes { unsafe self.text($0, letters) }
  }

  /// Two digits for each byte.
  package static func text(
    _ bytes: UnsafeRawBufferPointer,
    _ letters: Letters = .lower
  ) -> String {
    unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { target in
      guard let start = target.baseAddress else { return 0 }
      unsafe write(bytes, to: UnsafeMutableRawPointer(start), letters)
      return 2 * bytes.count
    }
  }

  /// All digits of a number, also the zeros in front.
  package static func text(
    _ number: some FixedWidthInteger & UnsignedInteger,
    _ letters: Letters = .lower
  ) -> String {
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe text($0, letters) }
  }

  /// Writes two digits for each byte; the target must have twice as many.
  package static func write(
    _ source: UnsafeRawBufferPointer,
    to target: UnsafeMutableRawPointer,
    _ letters: Letters
  ) {
    var place = 0
    while place &+ 4 <= source.count {
      let four = unsafe source.loadUnaligned(fromByteOffset: place, as: UInt32.self)
      unsafe target.storeBytes(
        of: eight(UInt32(bigEndian: four), letters).bigEndian,
        toByteOffset: 2 &* place,
        as: UInt64.self
      )
      place &+= 4
    }
    while place < source.count {
      let byte = unsafe source[place]
      let pair = unsafe target + 2 &* place
      unsafe pair.storeBytes(of: digit(byte >> 4, letters), as: UInt8.self)
      unsafe pair.storeBytes(of: digit(byte & 15, letters), toByteOffset: 1, as: UInt8.self)
      place &+= 1
    }
  }

  /// The digit of a number below sixteen.
  @inlinable
  @inline(__always)
  package static func digit(_ value: UInt8, _ letters: Letters) -> UInt8 {
    value < 10 ? 0x30 &+ value : (letters == .lower ? 0x57 : 0x37) &+ value
  }

  /// The eight digits of a number, the first in the highest byte, all computed at once.
  @inlinable
  @inline(__always)
  package static func eight(_ number: UInt32, _ letters: Letters) -> UInt64 {
    var spread = UInt64(number)
    spread = (spread & 0xFFFF_0000) << 16 | spread & 0xFFFF
    spread = spread << 8 & 0x00FF_0000_00FF_0000 | spread & 0x0000_00FF_0000_00FF
    spread = spread << 4 & 0x0F00_0F00_0F00_0F00 | spread & 0x000F_000F_000F_000F
    let isLetter = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return spread &+ 0x3030_3030_3030_3030 &+ isLetter &* (letters == .lower ? 39 : 7)
  }

  /// The value of a digit, whose letter may be of either case; `nil` for any other character.
  @inlinable
  @inline(__always)
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  /// The bytes of an even number of digits; `nil` for what the form does not have.
  package static func bytes(_ text: some Sequence<UInt8>, _ form: Form) -> [UInt8]? {
    let bytes = text.withContiguousStorageIfAvailable {
      unsafe read(UnsafeRawBufferPointer($0), form)
    }
    return unsafe bytes ?? Array(text).withUnsafeBytes { unsafe read($0, form) }
  }

  private static func read(_ text: UnsafeRawBufferPointer, _ form: Form) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var high: UInt8?
    for place in 0..<text.count {
      let digit = unsafe text[place]
      if form == .spaced, digit == 0x20 || digit >= 0x09 && digit <= 0x0D { continue }
      guard let value = value(of: digit), form != .lowerCase || digit & 0x60 != 0x40 else {
        return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }
}

extension Sequence<UInt8> {
  /// The bytes as pairs of hexadecimal digits in lower case.
  package var hexadecimal: String { Hexadecimal.text(self) }
}
