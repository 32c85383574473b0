import TextCodecs

/// Reads a format from the front of some bytes; what was not read stays.
@safe
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  let count: Int
  var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = bytes
    count = bytes.count
  }

  /// The byte at `place`, which is checked.
  func byte(at place: Int) -> UInt8 {
    precondition(place >= 0 && place < count, "a place outside the text")
    return unsafe bytes[place]
  }

  /// The bytes that are still to be read.
  var rest: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: bytes[position...])
  }

  var isAtEnd: Bool { position == count }

  /// The next byte, or zero at the end; a zero byte is in no format.
  @inline(__always)
  var next: UInt8 { position < count ? unsafe bytes[position] : 0 }

  @inline(__always)
  func peek(_ offset: Int) -> UInt8 {
    position &+ offset < count ? unsafe bytes[position &+ offset] : 0
  }

  /// Eight bytes from `offset` on, the first the lowest; they must be there.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    precondition(position &+ offset &+ 8 <= count, "a place outside the text")
    return UInt64(
      littleEndian: unsafe bytes.loadUnaligned(
        fromByteOffset: position &+ offset,
        as: UInt64.self
      )
    )
  }

  @inline(__always)
  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte, !isAtEnd else { return false }
    position &+= 1
    return true
  }

  /// Takes a letter given in lower case, in either case.
  mutating func takeLetter(_ lower: UInt8) -> Bool {
    guard next | 0x20 == lower else { return false }
    position += 1
    return true
  }

  /// Takes exactly `count` digits.
  @inline(__always)
  mutating func takeNumber(_ count: Int) -> Int? {
    guard position &+ count <= self.count else { return nil }
    var value = 0
    for offset in 0..<count {
      let digit = unsafe bytes[position &+ offset] &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    position &+= count
    return value
  }

  /// Takes as many bytes as `isTaken` says and gives how many.
  @discardableResult
  @inline(__always)
  mutating func skip(while isTaken: (UInt8) -> Bool) -> Int {
    let start = position
    while !isAtEnd, isTaken(next) {
      position &+= 1
    }
    return position &- start
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  static func isHexadecimal(_ byte: UInt8) -> Bool { Hexadecimal.value(of: byte) != nil }
}

/// Some of the 128 ASCII characters, a bit for each.
struct ByteSet {
  let low: UInt64
  let high: UInt64

  @inline(__always)
  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    byte < 0x80 && (byte < 0x40 ? low : high) &>> UInt64(byte) & 1 == 1
  }
}
