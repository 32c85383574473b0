package import JSONText
import Records
import TextCodecs

/// A string of a record whose text is written only where the record goes, in pieces.
struct LargeText {
  /// Where the text belongs in the record's JSON: between two quotes.
  let place: Int
  let value: LargeValue
  /// Whether the text is that of the bytes in base 64; else it is the value itself, in JSON's escapes.
  let isBase64: Bool

  /// How many bytes are taken at a time, a multiple of three.
  private static let pieceSize = 3 << 16

  /// How many bytes the text has in JSON; `nil` for a text that is not UTF-8, and for one that cannot be
  /// read.
  var size: Int? {
    if isBase64 { return Base64.length(of: value.count) }
    var size = 0
    return forEachPiece { size += $0.count } ? size : nil
  }

  /// Gives the text as it is in JSON, in pieces; `false` where ``size`` is `nil`.
  ///
  /// Of the value so many bytes count as `limit` says, a multiple of three, and of a text only whole characters.
  func forEachPiece<Failure>(
    upTo limit: Int = .max,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { memory.deallocate() }
    var writer = JSONWriter()
    var offset = 0
    let end = min(value.count, limit)
    while offset < end {
      let buffer = UnsafeMutableRawBufferPointer(
        rebasing: memory[..<min(Self.pieceSize, end - offset)]
      )
      guard value.read(at: offset, into: buffer) else { return false }
      let isLast = offset + buffer.count == value.count
      let piece = isBase64 || isLast ? buffer[...] : Self.wholeCharacters(buffer)
      // The limit lies inside of a character.
      if piece.isEmpty { break }
      writer.reset()
      guard write(UnsafeRawBufferPointer(rebasing: piece), to: &writer) else { return false }
      try writer.withBytes { (text) throws(Failure) in
        try body(UnsafeRawBufferPointer(rebasing: text[1..<(text.count - 1)]))
      }
      offset += piece.count
    }
    return true
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to writer: inout JSONWriter) -> Bool {
    if isBase64 {
      writer.base64(bytes)
      return true
    }
    do throws(JSONError) { try writer.string(utf8: bytes) } catch { return false }
    return true
  }

  /// The bytes without a character at their end that is not whole.
  private static func wholeCharacters(
    _ bytes: UnsafeMutableRawBufferPointer
  ) -> Slice<UnsafeMutableRawBufferPointer> {
    let last = bytes.suffix(3)
    guard let lead = last.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return bytes[...] }
    let length = bytes[lead] >= 0xF0 ? 4 : bytes[lead] >= 0xE0 ? 3 : bytes[lead] >= 0xC0 ? 2 : 1
    return lead + length > bytes.count ? bytes[..<lead] : bytes[...]
  }
}

extension JSONWriter {
  /// Writes bytes as a string in base 64.
  mutating func base64(_ bytes: UnsafeRawBufferPointer) {
    let length = Base64.length(of: bytes.count)
    _ = string(atMost: length) { buffer in
      Base64.write(bytes, to: buffer)
      return length
    }
  }
}

extension RecordWriter {
  /// Gives the bytes that were written, with the large texts of the last record in their places, in pieces;
  /// `false` where a value could not be read, as `Row.failure` says.
  ///
  /// The last record is at the end of what was written, and those before it have no large texts. Of a large
  /// value so many bytes count as `limit` says, a multiple of three.
  package func forEachPiece<Failure>(
    of written: JSONWriter,
    valuesUpTo limit: Int = .max,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    try written.withBytes { (bytes) throws(Failure) in
      var start = 0
      for text in large {
        try body(UnsafeRawBufferPointer(rebasing: bytes[start..<text.place]))
        guard try text.forEachPiece(upTo: limit, body) else { return false }
        start = text.place
      }
      try body(UnsafeRawBufferPointer(rebasing: bytes[start...]))
      return true
    }
  }

  /// The same, held; `nil` where a value could not be read.
  package func bytes(of written: JSONWriter, valuesUpTo limit: Int = .max) -> [UInt8]? {
    guard !large.isEmpty else { return written.bytes }
    var bytes: [UInt8] = []
    return forEachPiece(of: written, valuesUpTo: limit, { bytes += $0 }) ? bytes : nil
  }
}
