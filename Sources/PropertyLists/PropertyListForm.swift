/// The forms a property list comes in, told apart by its first bytes.
package enum PropertyListForm: String, Hashable, Sendable {
  case binary, otherBinary, xml, oldStyle, typedStream

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
    }
  }

  private static func textForm(of bytes: some Collection<UInt8>) -> PropertyListForm? {
    // Marks of byte order and the zero bytes of wider encodings are passed over: only the first
    // letters count here, and the reader of the form looks again.
    let letters = bytes.prefix(128).filter { $0 > 0x20 && $0 < 0x7F }
    let starts = { (text: String) in letters.starts(with: text.utf8) }
    if starts("<?xml") || starts("<plist") || starts("<!DOCTYPEplist") || starts("<!--") {
      return .xml
    }
    if starts("{") || starts("(") || starts("//") || starts("/*") { return .oldStyle }
    return nil
  }
}

extension PropertyList {
  /// Reads a property list of any form that is supported; today that is the binary one.
  package init(bytes: [UInt8], limits: PropertyListLimits = .standard) throws(PropertyListError) {
    guard let form = PropertyListForm(bytes) else { throw .unknownForm }
    guard form == .binary else { throw .unsupportedForm(form) }
    self = try BinaryPropertyList.read(bytes, limits: limits)
  }
}

/// How large a property list may be.
package struct PropertyListLimits: Hashable, Sendable {
  /// How deep containers may lie in one another.
  package let depth: Int
  /// How many values the list may have when every shared one is counted each time.
  package let nodeCount: Int

  package init(depth: Int, nodeCount: Int) {
    self.depth = depth
    self.nodeCount = nodeCount
  }

  /// Enough for every list met in practice, and harmless for the stack and the memory.
  package static let standard = PropertyListLimits(depth: 200, nodeCount: 16 << 20)
}
