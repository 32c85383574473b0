/// JSON written into one growing buffer, with the commas where they belong.
///
/// The caller writes names before values inside objects and closes what it opened; the writer
/// checks neither.
package struct JSONWriter: Sendable {
  /// What has been written.
  package private(set) var bytes: [UInt8]
  private var needsComma = false
  private var depth = 0

  package init(reservingCapacity capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Forgets what has been written and keeps the room.
  package mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
    depth = 0
  }

  package mutating func beginObject() {
    begin(UInt8(ascii: "{"))
  }

  package mutating func endObject() {
    end(UInt8(ascii: "}"))
  }

  package mutating func beginArray() {
    begin(UInt8(ascii: "["))
  }

  package mutating func endArray() {
    end(UInt8(ascii: "]"))
  }

  package mutating func boolean(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? Self.trueBytes : Self.falseBytes)
  }

  package mutating func null() {
    separate()
    bytes.append(contentsOf: Self.nullBytes)
  }

  package mutating func number(_ value: JSONNumber) {
    separate()
    bytes.append(contentsOf: value.literal.utf8)
  }

  /// Writes digits that are known to be a JSON number.
  package mutating func number(literal: UnsafeRawBufferPointer) {
    separate()
    unsafe bytes.append(contentsOf: literal)
  }

  /// Writes bytes that are known to be one JSON value.
  package mutating func raw(_ value: [UInt8]) {
    separate()
    bytes.append(contentsOf: value)
  }

  /// Writes bytes that are known to be one JSON value.
  package mutating func raw(_ value: UnsafeRawBufferPointer) {
    separate()
    unsafe bytes.append(contentsOf: value)
  }

  /// Ends a line of JSON lines.
  package mutating func endLine() {
    precondition(depth == 0, "a line of JSON lines holds whole values")
    bytes.append(0x0A)
  }

  private static let trueBytes = Array("true".utf8)
  private static let falseBytes = Array("false".utf8)
  private static let nullBytes = Array("null".utf8)

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
    depth += 1
  }

  private mutating func end(_ bracket: UInt8) {
    precondition(depth > 0, "nothing is open")
    bytes.append(bracket)
    depth -= 1
    needsComma = depth > 0
  }

  /// Writes the comma that the value before asks for.
  @inline(__always)
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = depth > 0
  }
}

// MARK: - Names

extension JSONWriter {
  package mutating func name(_ name: String) {
    string(name)
    endName()
  }

  package mutating func name(_ name: StaticString) {
    separate()
    if name.hasPointerRepresentation {
      let utf8 = unsafe UnsafeRawBufferPointer(
        start: name.utf8Start,
        count: name.utf8CodeUnitCount
      )
      unsafe quote(utf8)
    } else {
      quote(name.description)
    }
    endName()
  }

  /// Writes a name that is known to be UTF-8.
  package mutating func name(_ name: [UInt8]) {
    separate()
    unsafe name.withUnsafeBytes { unsafe quote($0) }
    endName()
  }

  package mutating func name(_ name: JSONName) {
    self.name(name.bytes)
  }

  /// Writes a name that the parser has checked.
  mutating func name(wellFormed name: UnsafeRawBufferPointer) {
    separate()
    unsafe quote(name)
    endName()
  }

  private mutating func endName() {
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }
}

// MARK: - Numbers and strings

extension JSONWriter {
  package mutating func integer(_ value: Int64) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    digits(value.magnitude)
  }

  package mutating func unsigned(_ value: UInt64) {
    separate()
    digits(value)
  }

  /// Writes a finite number as shortly as reads back the same.
  package mutating func double(_ value: Double) {
    number(JSONNumber(value))
  }

  package mutating func string(_ value: String) {
    separate()
    quote(value)
  }

  /// Writes a string, or refuses bytes that are not UTF-8 and writes nothing.
  package mutating func string(utf8: UnsafeRawBufferPointer) throws(JSONError) {
    if let fault = unsafe UTF8Check.firstFault(in: utf8) {
      throw unsafe JSONError("the bytes are not UTF-8", at: fault, in: utf8)
    }
    separate()
    unsafe quote(utf8)
  }

  /// Writes a string that the parser has checked.
  mutating func string(wellFormed utf8: UnsafeRawBufferPointer) {
    separate()
    unsafe quote(utf8)
  }

  private mutating func digits(_ value: UInt64) {
    var rest = value
    var places = 1
    while rest >= 10 {
      rest /= 10
      places += 1
    }
    let start = bytes.count
    for _ in 0..<places {
      bytes.append(0)
    }
    rest = value
    for place in (start..<start + places).reversed() {
      bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  private mutating func quote(_ value: String) {
    var value = value
    value.withUTF8 { unsafe quote(UnsafeRawBufferPointer($0)) }
  }

  /// Writes well-formed UTF-8 between quotes with the shortest escapes.
  private mutating func quote(_ utf8: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    var index = 0
    let count = utf8.count
    while index < count {
      index = unsafe Self.plainEnd(utf8, index)
      if index > start {
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start..<index]))
      }
      if index < count {
        unsafe escape(utf8[index])
        index += 1
      }
      start = index
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// The first index from `start` on of a byte that must be escaped, or the count.
  private static func plainEnd(_ utf8: UnsafeRawBufferPointer, _ start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = start
    while index + 8 <= utf8.count {
      let word = UInt64(
        littleEndian: unsafe utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      )
      let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
      let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
      let isQuote = (quotes &- ones) & ~quotes
      let isSlash = (slashes &- ones) & ~slashes
      let isControl = (word &- (ones &* 0x20)) & ~word
      let stops = (isQuote | isSlash | isControl) & (ones &* 0x80)
      if stops != 0 { return index + stops.trailingZeroBitCount >> 3 }
      index += 8
    }
    while index < utf8.count {
      let byte = unsafe utf8[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      index += 1
    }
    return index
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0..<0x20:
      bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
      bytes.append(Self.hexadecimal[Int(byte >> 4)])
      bytes.append(Self.hexadecimal[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)
}
