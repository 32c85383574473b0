import CByteSearch
import TextCodecs

/// Texts between quotes with the shortest escapes, written into space that the caller has made sure of.
package enum JSONQuoting {
  /// The module that the text of so many bytes must have: each may become an escape of six.
  @inlinable
  @inline(__always)
  package static func capacity(for count: Int) -> Int { 6 &* count &+ 2 }

  /// Writes a text in quotes and gives the count of bytes, or `nil` for bytes that are not UTF-8.
  package static func write(
    _ utf8: UnsafeRawBufferPointer,
    to capacity: UnsafeMutableRawPointer
  ) -> Int? {
    unsafe capacity.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
    var place = 1
    if let source = utf8.baseAddress {
      let count = utf8.count
      var index = 0
      while true {
        let copied = unsafe copyPlain(source + index, count - index, to: capacity + place)
        index += copied
        place += copied
        if index == count { break }
        let byte = unsafe utf8[index]
        guard byte < 0x80 else { return nil }
        place += unsafe escape(byte, to: capacity + place)
        index += 1
      }
    }
    unsafe capacity.storeBytes(of: UInt8(ascii: "\""), toByteOffset: place, as: UInt8.self)
    return place + 1
  }

  /// Copies well-formed UTF-8 up to the first byte that must be escaped or is at fault.
  ///
  /// The space must have `count` bytes; what is behind the copied ones may be written over.
  @unsafe
  static func copyPlain(
    _ source: UnsafeRawPointer,
    _ count: Int,
    to target: UnsafeMutableRawPointer
  ) -> Int {
    var index = 0
    while index < count {
      unsafe index &+= ferry_copy_plain(
        (source + index).assumingMemoryBound(to: UInt8.self),
        count &- index,
        (target + index).assumingMemoryBound(to: UInt8.self)
      )
      guard index < count else { break }
      let byte = unsafe source.load(fromByteOffset: index, as: UInt8.self)
      guard byte >= 0x80 else { break }
      let copied = unsafe copySequences(source + index, count - index, to: target + index)
      if copied == 0 { break }
      index += copied
    }
    return index
  }

  /// Copies sequences of more than one byte, as many as follow each other.
  @unsafe
  @inline(__always)
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

  /// Writes the shortest escape of a byte and gives its length, at most six.
  @unsafe
  static func escape(_ byte: UInt8, to capacity: UnsafeMutableRawPointer) -> Int {
    let letter: UInt8
    switch byte {
    case 0x08: letter = UInt8(ascii: "b")
    case 0x09: letter = UInt8(ascii: "t")
    case 0x0A: letter = UInt8(ascii: "n")
    case 0x0C: letter = UInt8(ascii: "f")
    case 0x0D: letter = UInt8(ascii: "r")
    case 0..<0x20:
      let spelled: [UInt8] = [
        UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"),
        Hexadecimal.digit(byte >> 4, .lower), Hexadecimal.digit(byte & 15, .lower),
      ]
      unsafe UnsafeMutableRawBufferPointer(start: capacity, count: 6).copyBytes(from: spelled)
      return 6
    default: letter = byte
    }
    unsafe capacity.storeBytes(of: UInt8(ascii: "\\"), as: UInt8.self)
    unsafe capacity.storeBytes(of: letter, toByteOffset: 1, as: UInt8.self)
    return 2
  }
}
