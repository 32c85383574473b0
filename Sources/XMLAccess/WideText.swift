/// Text in UTF-16 or UTF-32 that comes in pieces and is given as UTF-8.
package struct WideText {
  /// The encoding's name for a person.
  package let name: String
  /// The number of bytes of the mark that says so; zero where only the zero bytes state it.
  package let markSize: Int
  /// The number of bytes of a unit.
  package let width: Int
  private var transcoder: UnicodeTranscoder

  /// Takes the first bytes of a text; `nil` when it is of neither encoding.
  package init?(firstBytes: [UInt8]) {
    guard let (encoding, markSize) = XMLEncoding.guess(firstBytes),
      let transcoder = UnicodeTranscoder(encoding)
    else { return nil }
    switch encoding {
    case .utf16BigEndian, .utf16LittleEndian: (name, width) = ("UTF-16", 2)
    default: (name, width) = ("UTF-32", 4)
    }
    self.markSize = markSize
    self.transcoder = transcoder
  }

  /// The next piece as UTF-8, or `nil` when it holds what is no character.
  package mutating func utf8(_ piece: [UInt8]) -> [UInt8]? { transcoder.utf8(piece) }

  /// Whether the text may end here: no unit and no pair is half.
  package var isComplete: Bool { transcoder.isComplete }
}
