import TextCodecs

// MARK: - Strings

extension JSONParser {
  /// Reads a string that has more in it than printable ASCII; its first byte is at `start`, and
  /// nothing uncommon lies before `middle`.
  @inline(never)
  static func uncommonString(
    _ source: Source,
    _ start: Int,
    from middle: Int
  ) throws(Fault) -> Scalar {
    var position = middle
    var flags: UInt8 = 0
    /// How many bytes more than code points.
    var excess = 0
    while true {
      guard unsafe position < source.end else { throw Fault("the string does not end", position) }
      let byte = unsafe source[position]
      if byte == UInt8(ascii: "\"") {
        let length = position &- start
        let entry = JSONTapeEntry(
          .string,
          flags: flags,
          offset: start,
          length: length,
          link: UInt32(truncatingIfNeeded: length &- excess)
        )
        return Scalar(entry: entry, position: position &+ 1)
      }
      let before = position
      if byte == UInt8(ascii: "\\") {
        flags |= JSONTapeEntry.hasEscapes
        position = unsafe try escape(source, position)
        excess &+= position &- before &- 1
      } else if byte >= 0x80 {
        flags |= JSONTapeEntry.hasNonASCII
        var characters = 0
        position = unsafe try nonASCII(source, position, &characters)
        excess &+= position &- before &- characters
      } else {
        throw Fault("a control character inside a string must be escaped", position)
      }
      position = unsafe plainEnd(source, position)
    }
  }

  /// Checks a run of characters above 127 and gives the position after it.
  @inline(__always)
  private static func nonASCII(
    _ source: Source,
    _ start: Int,
    _ characters: inout Int
  ) throws(Fault) -> Int {
    var position = start
    repeat {
      let length = unsafe UTF8Check.sequenceLength(
        at: source.base + position,
        available: source.end - position
      )
      guard length > 0 else { throw Fault("the bytes are not UTF-8", position) }
      position &+= length
      characters &+= 1
    } while unsafe position < source.end && source[position] >= 0x80
    return position
  }

  /// Checks the escape at `start` and gives the position after it.
  @inline(__always)
  private static func escape(_ source: Source, _ start: Int) throws(Fault) -> Int {
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
  private static func unit(_ source: Source, _ start: Int) throws(Fault) -> UInt32 {
    guard unsafe start + 6 <= source.end else { throw Fault("the string does not end", start) }
    var value: UInt32 = 0
    for offset in 2..<6 {
      guard let digit = unsafe Hexadecimal.value(of: source[start + offset]) else {
        throw Fault("an escape needs four hexadecimal digits", start)
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}

// MARK: - Numbers

extension JSONParser {
  /// Reads a number.
  @inline(__always)
  static func number(_ source: Source, _ start: Int) throws(Fault) -> Scalar {
    var position = start
    if unsafe source[position] == UInt8(ascii: "-") { position &+= 1 }
    let first = position
    position = unsafe digitsEnd(source, position)
    guard position > first else { throw Fault("a number needs a digit", position) }
    if position - first > 1, unsafe source[first] == UInt8(ascii: "0") {
      throw Fault("a number does not begin with a zero before further digits", first)
    }
    var flags = JSONTapeEntry.isPlainInteger
    if unsafe position < source.end {
      let byte = unsafe source[position]
      if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
        flags = 0
        position = unsafe try fraction(source, position)
      }
    }
    let entry = JSONTapeEntry(.number, flags: flags, offset: start, length: position &- start)
    return Scalar(entry: entry, position: position)
  }

  /// Reads what follows a number's whole digits and gives the position after it.
  @inline(__always)
  private static func fraction(_ source: Source, _ start: Int) throws(Fault) -> Int {
    var position = start
    if unsafe source[position] == UInt8(ascii: ".") {
      position = unsafe digitsEnd(source, start + 1)
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
    position = unsafe digitsEnd(source, position)
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
