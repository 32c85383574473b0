/// How a document begins: its encoding, and its first bytes without what comes before the markup.
struct XMLStart {
  private(set) var transcoder: UnicodeTranscoder?
  /// Whether the parser gets UTF-8 and may ignore what the document says of its encoding.
  let isUTF8: Bool
  /// The lines of white space before the markup.
  private(set) var lineCount = 0
  private var piece: [UInt8]

  init(_ input: inout XMLInput) throws(XMLError) {
    piece = try input.next()
    guard let (encoding, markSize) = XMLEncoding.guess(piece) else {
      throw XMLError(.encoding, path: input.path, reason: "its text is EBCDIC")
    }
    piece.removeFirst(markSize)
    transcoder = UnicodeTranscoder(encoding)
    guard transcoder == nil else {
      isUTF8 = true
      try dropSpacesOfWideText(encoding)
      return
    }
    let spaces = piece.prefix { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    lineCount = spaces.count { $0 == 0x0A }
    piece.removeFirst(spaces.count)
    guard markSize == 0, let name = XMLEncoding.declaredName(in: piece) else {
      isUTF8 = true
      return
    }
    guard let declared = XMLEncoding.named(name) else {
      throw XMLError(
        .encoding,
        path: input.path,
        line: 1,
        reason: "it says that its encoding is “\(name.prefix(40))”, and that is not read"
      )
    }
    isUTF8 = declared == .utf8
  }

  /// The first bytes; they are kept only once.
  mutating func takePiece() -> [UInt8] {
    let first = piece
    piece = []
    return first
  }

  private mutating func dropSpacesOfWideText(_ encoding: XMLEncoding) throws(XMLError) {
    let width = encoding == .utf32BigEndian || encoding == .utf32LittleEndian ? 4 : 2
    let isBig = encoding == .utf32BigEndian || encoding == .utf16BigEndian
    var place = 0
    while place + width <= piece.count {
      let unit = Array(piece[place..<(place + width)])
      let low = isBig ? unit[width - 1] : unit[0]
      let isSmall = unit.reduce(0) { $0 + Int($1) } == Int(low)
      guard isSmall, [0x20, 0x09, 0x0A, 0x0D].contains(low) else { break }
      if low == 0x0A { lineCount += 1 }
      place += width
    }
    piece.removeFirst(place)
  }
}
