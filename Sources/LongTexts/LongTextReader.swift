package import Files
import JSONText
import TextCodecs

/// Reads a long text without JSON's escapes: its UTF-8, in pieces that may end inside of a character.
package final class LongTextReader {
  private let body: LongBodyReader
  /// How an escape begins that goes on in the next piece.
  private var rest: [UInt8] = []

  fileprivate init(_ body: LongBody) { self.body = body.reader() }

  /// The next piece, or `nil` after the last.
  ///
  /// - Throws: ``LongTextFault``, also behind the last piece of a text that is no longer the same.
  package func next() throws(LongTextFault) -> [UInt8]? {
    while let piece = try body.next() {
      let raw = rest + piece
      let end = Self.endOfEscapes(in: raw)
      rest = Array(raw[end...])
      if end > 0 { return Self.unescaped(raw[..<end]) }
    }
    return nil
  }

  /// The place behind the last escape that is whole, or of the end where none is begun.
  private static func endOfEscapes(in raw: [UInt8]) -> Int {
    raw.withUnsafeBytes { bytes in
      var start = 0
      while let place = UnsafeRawBufferPointer(rebasing: bytes[start...])
        .firstPlace(of: UInt8(ascii: "\\")).map({ $0 + start })
      {
        let end = place + length(ofEscape: bytes[place...])
        guard end <= bytes.count else { return place }
        start = end
      }
      return bytes.count
    }
  }

  /// How many bytes an escape has, as far as it is there; two that make up one character count as one.
  private static func length(ofEscape raw: Slice<UnsafeRawBufferPointer>) -> Int {
    let opening = Array(raw.prefix(4))
    guard opening.count > 1, opening[1] == UInt8(ascii: "u") else { return 2 }
    guard opening.count == 4 else { return 6 }
    let isFirstHalf =
      opening[2] | 0x20 == UInt8(ascii: "d")
      && [UInt8(ascii: "8"), UInt8(ascii: "9"), UInt8(ascii: "a"), UInt8(ascii: "b")]
        .contains(opening[3] | (opening[3] > UInt8(ascii: "9") ? 0x20 : 0))
    return isFirstHalf ? 12 : 6
  }

  private static func unescaped(_ raw: ArraySlice<UInt8>) -> [UInt8] {
    raw.withUnsafeBytes { raw in
      [UInt8](unsafeUninitializedCapacity: raw.count) { target, count in
        guard let start = target.baseAddress else { return }
        count = JSONEscapes.unescape(raw, to: UnsafeMutableRawPointer(start))
      }
    }
  }
}

extension LongTexts {
  /// A long text to be read without JSON's escapes.
  package func reader(of text: LongText) throws(LongTextFault) -> LongTextReader {
    LongTextReader(try content(of: text))
  }

  /// Passes canonical JSON on in pieces, with its long texts as canonical JSON has them, in whatever escapes they came.
  ///
  /// - Throws: What the body throws, and ``LongTextFault``.
  package func forEachPiece(
    ofCanonical json: [UInt8],
    _ body: ([UInt8]) throws -> Void
  ) throws {
    guard LongText.mayBeIn(json) else { return try body(json) }
    let (rest, found) = LongText.emptied(json)
    var start = 0
    for (text, place) in found {
      try body(Array(rest[start..<place]))
      let reader = try reader(of: text)
      while let piece = try reader.next() { try body(LongStringWriter.escaped(piece)) }
      start = place
    }
    try body(Array(rest[start...]))
  }
}

/// A string of JSON whose text comes in pieces of UTF-8, of which a long one is not held.
package struct LongStringWriter: ~Copyable {
  private var filter: LongTextFilter

  /// Takes the place where a long text goes.
  ///
  /// - Throws: `FileError` where that cannot be written.
  package init(_ texts: LongTexts) throws(FileError) {
    filter = LongTextFilter(texts, .written)
    try filter.take([UInt8(ascii: "\"")])
  }

  /// Takes in the next piece.
  package mutating func take(_ utf8: [UInt8]) throws(FileError) {
    try filter.take(Self.escaped(utf8))
  }

  /// A piece of a text as canonical JSON has it.
  static func escaped(_ utf8: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(utf8.count + utf8.count / 16)
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
      case 0x08: escaped += [UInt8(ascii: "\\"), UInt8(ascii: "b")]
      case 0x09: escaped += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
      case 0x0A: escaped += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      case 0x0C: escaped += [UInt8(ascii: "\\"), UInt8(ascii: "f")]
      case 0x0D: escaped += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
      case 0..<0x20:
        escaped += Array("\\u00".utf8)
        escaped += [Hexadecimal.digit(byte >> 4, .lower), Hexadecimal.digit(byte & 15, .lower)]
      default: escaped.append(byte)
      }
    }
    return escaped
  }

  /// The string, once the last piece has passed: with a stand-in in its quotes where it is a long one.
  package consuming func finished() throws(FileError) -> [UInt8] {
    try filter.take([UInt8(ascii: "\"")])
    return filter.finished()
  }
}
