package import LongTexts
package import Records

extension Arena {
  /// A text of a row; one that is a stand-in is read in pieces.
  @unsafe
  package func text(_ bytes: UnsafeRawBufferPointer, _ texts: LongTexts) -> Cell {
    guard let text = unsafe LongText(standIn: bytes) else { return unsafe .text(keep(bytes)) }
    return lend(pieces.value(text, of: texts))
  }

  /// JSON of a row in canonical form, which stays where it lies; of it the texts that have stand-ins are read in
  /// pieces.
  @unsafe
  package func json(lent bytes: UnsafeRawBufferPointer, _ texts: LongTexts) -> Cell {
    guard unsafe LongText.mayBeIn(bytes) else { return unsafe .json(bytes) }
    let (json, found) = unsafe LongText.emptied(Array(bytes))
    return lend(LargeValue(json: json, texts: found.map { (pieces.value($0, of: texts), $1) }))
  }
}

/// Reads the long texts of a row, one at a time, each from front to back.
///
/// Another text, or a piece that has passed, is read from the text's beginning. So a row with any number of long
/// texts has one file open and one piece held.
final class LongTextPieceReader {
  private var text: LongText?
  private var reader: LongTextReader?
  private var piece: [UInt8] = []
  /// How many bytes of the text lie before the piece.
  private var start = 0

  /// A long text, read from where it lies.
  fileprivate func value(_ text: LongText, of texts: LongTexts) -> LargeValue {
    unsafe LargeValue(isText: true, count: text.count) { buffer, offset in
      unsafe try self.fill(buffer, at: offset, of: text, texts)
    }
  }

  /// Fills the whole of a buffer with the bytes that begin at an offset.
  ///
  /// - Throws: ``LongTextFault``, with the last bytes of a text that is no longer the same.
  @unsafe
  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    at offset: Int,
    of text: LongText,
    _ texts: LongTexts
  ) throws(LongTextFault) {
    if reader == nil || self.text != text || offset < start {
      (self.text, reader, piece, start) = (text, try texts.reader(of: text), [], 0)
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
    guard offset + filled == text.count else { return }
    // Behind the last piece it shows whether the text is still the same.
    guard try reader?.next() == nil else { throw .changed(text) }
    (reader, piece) = (nil, [])
  }
}
