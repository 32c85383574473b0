// MARK: - Strings

extension JSONParser {
  /// Reads a string whose first byte inside the quotes is at `start`; gives the position after it.
  @inline(__always)
  mutating func string(_ source: Source, _ start: Int) throws(Fault) -> Int {
    let position = unsafe Self.plainEnd(source, start)
    guard unsafe position < source.end, unsafe source[position] == UInt8(ascii: "\"") else {
      return unsafe try uncommonString(source, start, from: position)
    }
    append(JSONTapeEntry(.string, offset: start, length: position &- start))
    return position &+ 1
  }

  /// Reads on in a string that has more in it than printable ASCII.
  @inline(never)
  private mutating func uncommonString(
    _ source: Source,
    _ start: Int,
    from middle: Int
  ) throws(Fault) -> Int {
    var position = middle
    var flags: UInt8 = 0
    while true {
      guard unsafe position < source.end else { throw Fault("the string does not end", position) }
      let byte = unsafe source[position]
      if byte == UInt8(ascii: "\"") {
        append(JSONTapeEntry(.string, flags: flags, offset: start, length: position &- start))
        return position &+ 1
      }
      if byte == UInt8(ascii: "\\") {
        flags |= JSONTapeEntry.hasEscapes
        position = unsafe try escape(source, position)
      } else if byte >= 0x80 {
        flags |= JSONTapeEntry.hasNonASCII
        position = unsafe try nonASCII(source, position)
      } else {
        throw Fault("a control character inside a string must be escaped", position)
      }
      position = unsafe Self.plainEnd(source, position)
    }
  }

  /// The first position from `position` on that is a quote, a backslash, a control character, a
  /// byte above 127 or the end.
  @inline(__always)
  static func plainEnd(_ source: Source, _ start: Int) -> Int {
    var position = start
    let lastWord = unsafe source.end &- 8
    while position <= lastWord {
      let loaded = unsafe source.base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let word = UInt64(littleEndian: loaded)
      let stops = stops(in: word)
      if stops != 0 { return position &+ stops.trailingZeroBitCount &>> 3 }
      position &+= 8
    }
    while unsafe position < source.end {
      let byte = unsafe source[position]
      if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        break
      }
      position &+= 1
    }
    return position
  }

  /// The high bit of each byte of `word` that ends a plain run; exact up to the lowest one.
  @inline(__always)
  private static func stops(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    let isQuote = (quotes &- ones) & ~quotes
    let isSlash = (slashes &- ones) & ~slashes
    let isControl = (word &- (ones &* 0x20)) & ~word
    return (isQuote | isSlash | isControl | word) & (ones &* 0x80)
  }

  /// Checks a run of characters above 127 and gives the position after it.
  @inline(__always)
  private func nonASCII(_ source: Source, _ start: Int) throws(Fault) -> Int {
    var position = start
    repeat {
      let length = unsafe UTF8Check.sequenceLength(
        at: source.base + position,
        available: source.end - position
      )
      guard length > 0 else { throw Fault("the bytes are not UTF-8", position) }
      position &+= length
    } while unsafe position < source.end && source[position] >= 0x80
    return position
  }

  /// Checks the escape at `start` and gives the position after it.
  @inline(__always)
  private func escape(_ source: Source, _ start: Int) throws(Fault) -> Int {
    guard unsafe start + 1 < source.end else { throw Fault("the string does not end", start) }
    switch unsafe source[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    case UInt8(ascii: "u"):
      let first = unsafe try unit(source, start)
      if first & 0xFC00 == 0xDC00 { throw Fault("a lone surrogate", start) }
      guard first & 0xFC00 == 0xD800 else { return start + 6 }
      guard unsafe start + 7 < source.end, unsafe source[start + 6] == UInt8(ascii: "\\"),
        unsafe source[start + 7] == UInt8(ascii: "u"),
        unsafe try unit(source, start + 6) & 0xFC00 == 0xDC00
      else { throw Fault("a lone surrogate", start) }
      return start + 12
    default:
      throw Fault("a backslash before a character that needs none", start)
    }
  }

  /// The number of the `\uXXXX` at `start`.
  @inline(__always)
  private func unit(_ source: Source, _ start: Int) throws(Fault) -> UInt32 {
    guard unsafe start + 6 <= source.end else { throw Fault("the string does not end", start) }
    var value: UInt32 = 0
    for offset in 2..<6 {
      guard let digit = unsafe JSONEscapes.hexadecimalDigit(source[start + offset]) else {
        throw Fault("an escape needs four hexadecimal digits", start)
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}

// MARK: - Numbers

extension JSONParser {
  /// Reads a number and gives the position after it.
  @inline(__always)
  mutating func number(_ source: Source, _ start: Int) throws(Fault) -> Int {
    var position = start
    if unsafe source[position] == UInt8(ascii: "-") { position &+= 1 }
    let first = position
    position = unsafe Self.digitsEnd(source, position)
    guard position > first else { throw Fault("a number needs a digit", position) }
    if position - first > 1, unsafe source[first] == UInt8(ascii: "0") {
      throw Fault("a number does not begin with a zero that stands before digits", first)
    }
    var flags = JSONTapeEntry.isPlainInteger
    if unsafe position < source.end {
      let byte = unsafe source[position]
      if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
        flags = 0
        position = unsafe try fraction(source, position)
      }
    }
    append(JSONTapeEntry(.number, flags: flags, offset: start, length: position &- start))
    return position
  }

  /// Reads what follows a number's whole digits and gives the position after it.
  @inline(__always)
  private func fraction(_ source: Source, _ start: Int) throws(Fault) -> Int {
    var position = start
    if unsafe source[position] == UInt8(ascii: ".") {
      position = unsafe Self.digitsEnd(source, start + 1)
      guard position > start + 1 else {
        throw Fault("a number needs a digit after its point", position)
      }
    }
    guard unsafe position < source.end, unsafe source[position] | 0x20 == UInt8(ascii: "e") else {
      return position
    }
    position &+= 1
    if unsafe position < source.end,
      unsafe source[position] == UInt8(ascii: "+") || source[position] == UInt8(ascii: "-")
    {
      position &+= 1
    }
    let first = position
    position = unsafe Self.digitsEnd(source, position)
    guard position > first else { throw Fault("a number needs a digit in its exponent", position) }
    guard position - first <= DecimalForm.longestExponent else {
      throw Fault(
        "an exponent of more than \(DecimalForm.longestExponent) digits is not read",
        first
      )
    }
    return position
  }

  @inline(__always)
  private static func digitsEnd(_ source: Source, _ start: Int) -> Int {
    var position = start
    while unsafe position < source.end, unsafe source[position] &- UInt8(ascii: "0") < 10 {
      position &+= 1
    }
    return position
  }
}
