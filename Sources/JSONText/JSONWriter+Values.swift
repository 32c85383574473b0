// MARK: - Numbers

extension JSONWriter {
  package mutating func integer(_ value: Int64) {
    separate()
    unsafe write(atMost: 20) { room in
      guard value < 0 else { return unsafe Self.writeDigits(value.magnitude, to: room) }
      unsafe room.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      return unsafe 1 + Self.writeDigits(value.magnitude, to: room + 1)
    }
  }

  package mutating func unsigned(_ value: UInt64) {
    separate()
    unsafe write(atMost: 20) { unsafe Self.writeDigits(value, to: $0) }
  }

  /// Writes a finite number as shortly as reads back the same.
  package mutating func double(_ value: Double) {
    guard let micros = Self.micros(value.magnitude) else {
      number(JSONNumber(value))
      return
    }
    separate()
    unsafe write(atMost: 20) { room in
      var place = unsafe room
      if value < 0 {
        unsafe place.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
        unsafe place += 1
      }
      unsafe place += Self.writeDigits(micros / 1_000_000, to: place)
      var (rest, count) = (micros % 1_000_000, 6)
      guard rest > 0 else { return unsafe place - room }
      while rest % 10 == 0 {
        rest /= 10
        count -= 1
      }
      unsafe place.storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
      var digit = count
      while digit > 0 {
        unsafe place.storeBytes(
          of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10),
          toByteOffset: digit,
          as: UInt8.self
        )
        rest /= 10
        digit -= 1
      }
      return unsafe place - room + 1 + count
    }
  }

  /// The number in millionths, when these are it exactly and are its shortest digits.
  ///
  /// No two numbers of fifteen digits are the same double, so none is shorter.
  @inline(__always)
  private static func micros(_ magnitude: Double) -> UInt64? {
    guard magnitude >= 0.0001, magnitude < 900_000_000 else { return nil }
    let micros = UInt64(magnitude * 1_000_000 + 0.5)
    return Double(micros) / 1_000_000 == magnitude ? micros : nil
  }

  /// Writes a number in decimal, which takes at most 20 bytes, and gives their count.
  @unsafe
  @inline(__always)
  private static func writeDigits(_ value: UInt64, to room: UnsafeMutableRawPointer) -> Int {
    var rest = value
    var count = 1
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    rest = value
    var place = count
    repeat {
      place -= 1
      unsafe room.storeBytes(
        of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10),
        toByteOffset: place,
        as: UInt8.self
      )
      rest /= 10
    } while rest > 0
    return count
  }
}

// MARK: - Strings

extension JSONWriter {
  package mutating func string(_ value: String) {
    separate()
    quote(value)
  }

  /// Writes a string, or refuses bytes that are not UTF-8 and writes nothing.
  package mutating func string(utf8: UnsafeRawBufferPointer) throws(JSONError) {
    let (start, neededComma) = (used, needsComma)
    separate()
    if let fault = unsafe quote(utf8, isWellFormed: false) {
      (used, needsComma) = (start, neededComma)
      throw unsafe JSONError("the bytes are not UTF-8", at: fault, in: utf8)
    }
  }

  /// Writes a string that the parser has checked.
  mutating func string(wellFormed utf8: UnsafeRawBufferPointer) {
    separate()
    unsafe quote(wellFormed: utf8)
  }

  /// Writes a string of ASCII that needs no escapes: `body` puts at most `count` bytes into the
  /// room and gives their count, or `nil`, and then nothing is written and the answer is `false`.
  package mutating func string(
    atMost count: Int,
    plain body: (UnsafeMutableRawPointer) -> Int?
  ) -> Bool {
    let (start, neededComma) = (used, needsComma)
    separate()
    var isWritten = true
    unsafe write(atMost: count + 2) { room in
      guard let written = unsafe body(room + 1) else {
        isWritten = false
        return 0
      }
      unsafe room.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
      unsafe room.storeBytes(of: UInt8(ascii: "\""), toByteOffset: written + 1, as: UInt8.self)
      return written + 2
    }
    if !isWritten { (used, needsComma) = (start, neededComma) }
    return isWritten
  }

  mutating func quote(_ value: String) {
    var value = value
    value.withUTF8 { unsafe quote(wellFormed: UnsafeRawBufferPointer($0)) }
  }

  mutating func quote(wellFormed utf8: UnsafeRawBufferPointer) {
    _ = unsafe quote(utf8, isWellFormed: true)
  }

  /// Writes a text between quotes with the shortest escapes; gives the place of the first byte that
  /// is no UTF-8, where that is not known before.
  private mutating func quote(_ utf8: UnsafeRawBufferPointer, isWellFormed: Bool) -> Int? {
    let count = utf8.count
    // What is left always has its room, and the closing quote.
    reserve(count + 2)
    append(UInt8(ascii: "\""))
    var index = 0
    if let source = utf8.baseAddress {
      while true {
        let (from, left) = unsafe (source + index, count - index)
        var copied = 0
        unsafe write(atMost: left) { room in
          copied = unsafe Self.copyPlain(from, left, to: room)
          return copied
        }
        index += copied
        if index == count { break }
        let byte = unsafe utf8[index]
        if byte < 0x80 {
          escape(byte)
        } else if isWellFormed {
          append(byte)
        } else {
          return index
        }
        index += 1
      }
    }
    append(UInt8(ascii: "\""))
    return nil
  }

  /// Copies well-formed UTF-8 up to the first byte that must be escaped or is at fault.
  @unsafe
  private static func copyPlain(
    _ source: UnsafeRawPointer,
    _ count: Int,
    to target: UnsafeMutableRawPointer
  ) -> Int {
    var index = 0
    while index < count {
      if index + 8 <= count {
        let word = unsafe source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        unsafe target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
        let stops = stops(UInt64(littleEndian: word))
        if stops == 0 {
          index += 8
          continue
        }
        index += stops.trailingZeroBitCount >> 3
      }
      let byte = unsafe source.load(fromByteOffset: index, as: UInt8.self)
      if byte < 0x80 {
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
        unsafe target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        index += 1
      } else {
        let copied = unsafe copySequences(source + index, count - index, to: target + index)
        if copied == 0 { break }
        index += copied
      }
    }
    return index
  }

  /// Copies sequences of more than one byte, as many as follow each other.
  @unsafe
  private static func copySequences(
    _ source: UnsafeRawPointer,
    _ count: Int,
    to target: UnsafeMutableRawPointer
  ) -> Int {
    var index = 0
    while index < count, unsafe source.load(fromByteOffset: index, as: UInt8.self) >= 0x80 {
      let length = unsafe UTF8Check.sequenceLength(at: source + index, available: count - index)
      if length == 0 { break }
      for place in index..<index + length {
        let byte = unsafe source.load(fromByteOffset: place, as: UInt8.self)
        unsafe target.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
      }
      index += length
    }
    return index
  }

  /// The high bit of each byte that cannot just be copied: quotes, backslashes, controls, and all
  /// that is not ASCII; exact up to the first.
  @inline(__always)
  private static func stops(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    let isQuote = (quotes &- ones) & ~quotes
    let isSlash = (slashes &- ones) & ~slashes
    let isControl = (word &- (ones &* 0x20)) & ~word
    return (isQuote | isSlash | isControl | word) & (ones &* 0x80)
  }

  private mutating func escape(_ byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0..<0x20:
      for digit in [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")] { append(digit) }
      append(Self.hexadecimal[Int(byte >> 4)])
      append(Self.hexadecimal[Int(byte & 15)])
    default: append(byte)
    }
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)
}
