/// Where the end of a JSON value is.
struct JSONScan {
  private var depth = 0
  private var isInText = false
  private var isEscaped = false

  /// Whether the value is not yet at its end.
  var isOpen: Bool { depth > 0 || isInText }

  /// Whether the value, no bracket or text being open, ends where this byte begins.
  private func ends(before byte: UInt8) -> Bool {
    guard !isOpen else { return false }
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"): return true
    default: return JSONMargin.isSpace(byte)
    }
  }

  /// Takes bytes up to the end of the value, and gives its place; `nil` where it goes on behind them.
  mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
    for place in bytes.indices {
      let byte = unsafe bytes[place]
      if ends(before: byte) { return place }
      if ends(with: byte) { return place + 1 }
    }
    return nil
  }

  /// Takes the byte, and says whether the value ends with it.
  private mutating func ends(with byte: UInt8) -> Bool {
    if isInText {
      takeText(byte)
    } else {
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: return false
      }
    }
    return !isOpen
  }

  private mutating func takeText(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInText = false
    }
  }
}
