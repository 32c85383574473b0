// Internet addresses: https://www.rfc-editor.org/rfc/rfc3986, …/rfc5321, …/rfc4291

extension ByteReader {
  mutating func takeIPv4() -> Bool {
    for part in 0..<4 {
      if part > 0, !take(0x2E) { return false }
      let first = next
      var value = 0
      var count = 0
      while Self.isDigit(next), count < 4 {
        value = value * 10 + Int(next - 0x30)
        count += 1
        position += 1
      }
      guard count > 0, count == 1 || first != 0x30, value <= 255 else { return false }
    }
    return true
  }

  mutating func takeIPv6() -> Bool {
    var groups = 0
    var hasGap = false
    if next == 0x3A {
      guard peek(1) == 0x3A else { return false }
      position += 2
      hasGap = true
    }
    while Self.isHexadecimal(next) {
      let start = position
      let count = skip { Self.isHexadecimal($0) }
      if next == 0x2E {
        position = start
        groups += 2
        guard takeIPv4() else { return false }
        return hasGap ? groups < 8 : groups == 8
      }
      guard count <= 4 else { return false }
      groups += 1
      guard next == 0x3A else { break }
      if peek(1) == 0x3A {
        guard !hasGap else { return false }
        hasGap = true
        position += 2
      } else {
        guard Self.isHexadecimal(peek(1)) else { return false }
        position += 1
      }
    }
    return hasGap ? groups < 8 : groups == 8
  }

  // MARK: Mail

  mutating func takeMailbox(isInternational: Bool) -> Bool {
    let start = position
    if take(0x22) {
      guard takeQuoted(isInternational) else { return false }
    } else {
      repeat {
        let count = skip { Self.isAtomText($0) || isInternational && $0 >= 0x80 }
        guard count > 0 else { return false }
      } while take(0x2E)
    }
    guard position - start <= 64, take(0x40) else { return false }
    if take(0x5B) { return takeAddressLiteral() }
    let domain = unsafe rest
    return unsafe isInternational
      ? Hostname.acceptsInternational(domain) : Hostname.accepts(domain)
  }

  private mutating func takeQuoted(_ isInternational: Bool) -> Bool {
    while !isAtEnd, next != 0x22 {
      if take(0x5C) {
        guard next >= 0x20, next < 0x7F else { return false }
      } else {
        let byte = next
        guard byte >= 0x20, byte < 0x7F || isInternational && byte >= 0x80 else { return false }
      }
      position += 1
    }
    return take(0x22)
  }

  private mutating func takeAddressLiteral() -> Bool {
    let isSix =
      takeLetter(0x69) && takeLetter(0x70) && takeLetter(0x76) && take(0x36) && take(0x3A)
    return (isSix ? takeIPv6() : takeIPv4()) && take(0x5D) && isAtEnd
  }

  private static func isAtomText(_ byte: UInt8) -> Bool {
    ByteSet(low: 0xA3FF_ACFA_0000_0000, high: 0x7FFF_FFFF_C7FF_FFFE).contains(byte)
  }

  // MARK: URI and IRI

  mutating func takeURI(isInternational: Bool, needsScheme: Bool) -> Bool {
    var hasScheme = false
    if Self.isLetter(next) {
      skip { byte in
        Self.isLetter(byte) || Self.isDigit(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
      }
      if take(0x3A) {
        hasScheme = true
      } else {
        position = 0
      }
    }
    guard hasScheme || !needsScheme else { return false }
    if next == 0x2F, peek(1) == 0x2F {
      position += 2
      guard takeAuthority(isInternational) else { return false }
      guard isAtEnd || next == 0x2F || next == 0x3F || next == 0x23 else { return false }
    } else if !hasScheme {
      // A relative path's first segment has no colon, or it would be a scheme.
      let start = position
      skip { $0 != 0x3A && $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
      if next == 0x3A { return false }
      position = start
    }
    guard takeText(isInternational, more: 0x2F, 0x3A) else { return false }
    if take(0x3F), !takeText(isInternational, more: 0x3F, 0x3A, isQuery: true) {
      return false
    }
    if take(0x23), !takeText(isInternational, more: 0x3F, 0x3A) { return false }
    return isAtEnd
  }

  /// Takes `pchar` and `/`, with two more bytes let in; gives false for a broken escape.
  private mutating func takeText(
    _ isInternational: Bool,
    more: UInt8,
    _ other: UInt8,
    isQuery: Bool = false
  ) -> Bool {
    while !isAtEnd {
      let byte = next
      if byte == 0x25 {
        guard takeEscape() else { return false }
      } else if byte >= 0x80 {
        guard isInternational, takeInternational(isQuery) else { return false }
      } else if Self.isUnreserved(byte) || Self.isSubDelimiter(byte) || byte == more
        || byte == other || byte == 0x40 || byte == 0x2F
      {
        position += 1
      } else {
        return true
      }
    }
    return true
  }

  private mutating func takeAuthority(_ isInternational: Bool) -> Bool {
    let start = position
    // What comes before an @ is the user; look for it first.
    var end = start
    while end < count, byte(at: end) != 0x2F, byte(at: end) != 0x3F,
      byte(at: end) != 0x23
    {
      if byte(at: end) == 0x40 {
        guard takeHostText(isInternational, isUser: true), position == end else {
          return false
        }
        position += 1
        break
      }
      end += 1
    }
    if take(0x5B) {
      let isFuture = next | 0x20 == 0x76
      guard isFuture ? takeFutureAddress() : takeIPv6(), take(0x5D) else {
        return false
      }
    } else {
      guard takeHostText(isInternational, isUser: false) else { return false }
    }
    if take(0x3A) { skip { Self.isDigit($0) } }
    return true
  }

  private mutating func takeFutureAddress() -> Bool {
    position += 1
    guard skip(while: { Self.isHexadecimal($0) }) > 0, take(0x2E) else {
      return false
    }
    return skip { Self.isUnreserved($0) || Self.isSubDelimiter($0) || $0 == 0x3A } > 0
  }

  private mutating func takeHostText(_ isInternational: Bool, isUser: Bool) -> Bool {
    while !isAtEnd {
      let byte = next
      if byte == 0x25 {
        guard takeEscape() else { return false }
      } else if byte >= 0x80 {
        guard isInternational, takeInternational(false) else { return false }
      } else if Self.isUnreserved(byte) || Self.isSubDelimiter(byte) || isUser && byte == 0x3A {
        position += 1
      } else {
        return true
      }
    }
    return true
  }

  mutating func takeEscape() -> Bool {
    guard take(0x25), Self.isHexadecimal(next), Self.isHexadecimal(peek(1))
    else { return false }
    position += 2
    return true
  }

  /// Takes one `ucschar`, or `iprivate` inside a query.
  ///
  /// https://www.rfc-editor.org/rfc/rfc3987#section-2.2
  mutating func takeInternational(_ isQuery: Bool) -> Bool {
    let lead = next
    let count = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    var scalar = UInt32(lead) & (count == 2 ? 0x1F : count == 3 ? 0x0F : 0x07)
    for offset in 1..<count {
      scalar = scalar << 6 | UInt32(peek(offset) & 0x3F)
    }
    position += count
    switch scalar {
    case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: return true
    case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: return isQuery
    case 0x10000...0xEFFFD: return scalar & 0xFFFF <= 0xFFFD && scalar & 0xFF000 != 0xE0000
    default: return false
    }
  }

  static func isUnreserved(_ byte: UInt8) -> Bool {
    ByteSet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE).contains(byte)
  }

  static func isSubDelimiter(_ byte: UInt8) -> Bool {
    ByteSet(low: 0x2800_1FD2_0000_0000, high: 0x0000_0000_0000_0000).contains(byte)
  }
}
