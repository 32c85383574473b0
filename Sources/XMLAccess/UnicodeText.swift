/// Text as UTF-8, from whichever form of Unicode it is written in.
package enum UnicodeText {
  /// The text in UTF-8 and without its mark, or `nil` when the bytes are no UTF-8, -16 or -32.
  ///
  /// The form is reported by the mark, else by where the first four bytes are zero.
  package static func utf8(_ bytes: [UInt8]) -> [UInt8]? {
    guard let (encoding, markSize) = XMLEncoding.guess(bytes) else { return nil }
    let text = markSize == 0 ? bytes : Array(bytes[markSize...])
    guard var transcoder = UnicodeTranscoder(encoding) else {
      return String(validating: text, as: UTF8.self) == nil ? nil : text
    }
    let utf8 = transcoder.utf8(text)
    return transcoder.isComplete ? utf8 : nil
  }
}
