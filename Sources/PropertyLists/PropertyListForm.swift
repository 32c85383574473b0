import TextCodecs

/// The forms a property list comes in, distinguished by its first bytes.
package enum PropertyListForm: String, Hashable, Sendable {
  case binary, otherBinary, xml, oldStyle, typedStream, cappuccino

  /// Recognises the form, or gives `nil` when the bytes begin like none of them.
  package init?(_ bytes: some Collection<UInt8>) {
    if bytes.starts(with: "bplist00".utf8) {
      self = .binary
    } else if bytes.starts(with: "bplist".utf8) {
      self = .otherBinary
    } else if bytes.starts(with: [0x04, 0x0B] + Array("streamtyped".utf8)) {
      self = .typedStream
    } else if let form = Self.textForm(of: bytes) {
      self = form
    } else {
      return nil
    }
  }

  /// What the form is called in a message.
  package var words: String {
    switch self {
    case .binary: "a binary property list"
    case .otherBinary: "a binary property list of another version than 00"
    case .xml: "an XML property list"
    case .oldStyle: "an old-style (ASCII) property list"
    case .typedStream: "a typed stream (NSArchiver)"
    case .cappuccino: "a property list of Cappuccino (280NPLIST)"
    }
  }

  private static func textForm(of bytes: some Collection<UInt8>) -> PropertyListForm? {
    // Marks of byte order and the zero bytes of wider encodings are passed over: only the first
    // letters count here, and the reader of the form looks again.
    let letters = bytes.prefix(512).filter { $0 > 0x20 && $0 < 0x7F }
    guard let first = letters.first else { return nil }
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "'"):
      return .oldStyle
    case UInt8(ascii: "/"):
      return letters.starts(with: "//".utf8) || letters.starts(with: "/*".utf8) ? .oldStyle : nil
    case UInt8(ascii: "<"):
      // `<0fbd>` is data; no element has a name of hexadecimal digits only.
      let name = letters.dropFirst().prefix { $0 != UInt8(ascii: ">") }
      let isData =
        name.first == UInt8(ascii: "*") || name.allSatisfy { Hexadecimal.value(of: $0) != nil }
      return isData ? .oldStyle : .xml
    default:
      if letters.starts(with: "280NPLIST".utf8) { return .cappuccino }
      // A `.strings` file: a word, then an equals sign.
      let word = letters.prefix { OldStyleScanner.isWordPart($0) }
      let isPair = !word.isEmpty && letters.dropFirst(word.count).first == UInt8(ascii: "=")
      return isPair ? .oldStyle : nil
    }
  }
}

/// How large a property list may be.
package struct PropertyListLimits: Hashable, Sendable {
  /// How deep containers may lie in one another.
  package let depth: Int
  /// How many values the list may have when every shared one is counted each time.
  package let nodeCount: Int
  /// How many bytes an archive may have as JSON, when every shared object is written each time.
  package let textSize: Int
  /// How many bytes a text or data may have to be held, of a list that is read from its file: a sixteenth once
  /// those of its part have twice as many.
  package let heldSize: Int

  package init(
    depth: Int,
    nodeCount: Int,
    textSize: Int = 64 << 20,
    heldSize: Int = 1 << 20
  ) {
    self.depth = depth
    self.nodeCount = nodeCount
    self.textSize = textSize
    self.heldSize = heldSize
  }

  /// Enough for every list found in practice, and harmless for the stack and the memory.
  package static let standard = PropertyListLimits(depth: 200, nodeCount: 16 << 20)
}
