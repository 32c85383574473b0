// MARK: - Numbers

extension JSONWriter {
  package mutating func integer(_ value: Int64) {
    separate()
    unsafe write(atMost: JSONDigits.integerCapacity) { unsafe JSONDigits.write(value, to: $0) }
  }

  package mutating func unsigned(_ value: UInt64) {
    separate()
    unsafe write(atMost: JSONDigits.integerCapacity) { unsafe JSONDigits.write(value, to: $0) }
  }

  /// Writes a finite number as shortly as reads back the same.
  package mutating func double(_ value: Double) {
    separate()
    unsafe write(atMost: JSONDigits.doubleCapacity) { unsafe JSONDigits.write(value, to: $0) }
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
  /// space and gives their count, or `nil`, and then nothing is written and the answer is `false`.
  package mutating func string(
    atMost count: Int,
    plain body: (UnsafeMutableRawPointer) -> Int?
  ) -> Bool {
    let (start, neededComma) = (used, needsComma)
    separate()
    var isWritten = true
    unsafe write(atMost: count + 2) { target in
      guard let written = unsafe body(target + 1) else {
        isWritten = false
        return 0
      }
      unsafe target.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
      unsafe target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: written + 1, as: UInt8.self)
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
    // What is left always has its space, and the closing quote.
    reserve(count + 2)
    append(UInt8(ascii: "\""))
    var index = 0
    if let source = utf8.baseAddress {
      while true {
        let (from, left) = unsafe (source + index, count - index)
        var copied = 0
        unsafe write(atMost: left) { target in
          copied = unsafe JSONQuoting.copyPlain(from, left, to: target)
          return copied
        }
        index += copied
        if index == count { break }
        let byte = unsafe utf8[index]
        if byte < 0x80 {
          unsafe write(atMost: 6) { unsafe JSONQuoting.escape(byte, to: $0) }
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
}
