package import LongTexts
package import Records

extension Arena {
  /// A text of a row; one that is a stand-in is read in pieces.
  @unsafe
  package func text(_ bytes: UnsafeRawBufferPointer, _ texts: LongTexts) -> Cell {
    guard let text = unsafe LongText(standIn: bytes) else { return unsafe .text(keep(bytes)) }
    return lend(LargeValue(text, of: texts))
  }

  /// JSON of a row in canonical form, which stays where it lies; of it the texts that have stand-ins are read in
  /// pieces.
  @unsafe
  package func json(lent bytes: UnsafeRawBufferPointer, _ texts: LongTexts) -> Cell {
    guard unsafe LongText.mayBeIn(bytes) else { return unsafe .json(bytes) }
    let (json, found) = unsafe LongText.emptied(Array(bytes))
    return lend(LargeValue(json: json, texts: found.map { (LargeValue($0, of: texts), $1) }))
  }
}

extension LargeValue {
  /// A long text, read from where it lies.
  fileprivate convenience init(_ text: LongText, of texts: LongTexts) {
    let pieces = LongTextPieceReader(text, of: texts)
    unsafe self.init(isText: true, count: text.count) { buffer, offset in
      unsafe try pieces.fill(buffer, at: offset)
    }
  }
}

/// Reads a long text from front to back; going back to a piece that has passed begins again.
private final class LongTextPieceReader {
  private let text: LongText
  private let texts: LongTexts
  private var reader: LongTextReader?
  private var piece: [UInt8] = []
  /// How many bytes of the text lie before the piece.
  private var start = 0

  init(_ text: LongText, of texts: LongTexts) {
    self.text = text
    self.texts = texts
  }

  /// Fills the whole of a buffer with the bytes that begin at an offset.
  @unsafe
  func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
  ) throws(LongTextFault) {
    if reader == nil || offset < start {
      (reader, piece, start) = (try texts.reader(of: text), [], 0)
    }
    var filled = 0
    while filled < buffer.count {
      let first = offset + filled - start
      guard first < piece.count else {
        start += piece.count
        guard let next = try reader?.next() else { throw .changed(text) }
        piece = next
        continue
      }
      let part = piece[first...].prefix(buffer.count - filled)
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyBytes(from: part)
      filled += part.count
    }
  }
}
