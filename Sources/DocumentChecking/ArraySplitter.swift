/// Takes one array apart, line by line, without holding more than an element.
///
/// Only brackets, commas and texts are distinguished here; anyone who takes an element reads it strictly,
/// and so finds whatever else is wrong.
struct ArraySplitter {
  private let file: String
  private var element: [UInt8] = []
  private var elementLine = 1
  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  private var isEnded = false
  private var count = 0
  private var line = 1

  init(file: String) { self.file = file }

  /// Takes the bytes of a line, and gives each element that ends in it.
  mutating func take(
    _ bytes: UnsafeRawBufferPointer,
    line: Int,
    _ body: (DocumentReader.Piece) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    self.line = line
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      if isInText {
        element.append(byte)
        takeText(byte)
      } else {
        try takeByte(byte, body)
      }
    }
    if !element.isEmpty { element.append(0x0A) }
    guard element.count <= DocumentCheck.largestDocument else {
      throw .tooLarge(file: file, limit: DocumentCheck.largestDocument)
    }
  }

  private mutating func takeText(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInText = false
    }
  }

  private mutating func takeByte(
    _ byte: UInt8,
    _ body: (DocumentReader.Piece) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0D
    if isEnded {
      guard isSpace else { throw malformed("something follows the array's end") }
      return
    }
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      depth += 1
      if depth == 1 { return }
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      depth -= 1
      if depth == 0 {
        guard byte == UInt8(ascii: "]") else { throw malformed("the array ends with a brace") }
        if count > 0 || !element.isEmpty { try give(body) }
        isEnded = true
        return
      }
    case UInt8(ascii: ",") where depth == 1:
      try give(body)
      return
    case UInt8(ascii: "\""): isInText = true
    default: break
    }
    if element.isEmpty {
      if isSpace { return }
      elementLine = line
    }
    element.append(byte)
  }

  private mutating func give(
    _ body: (DocumentReader.Piece) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    guard !element.isEmpty else { throw malformed("an element is missing before this place") }
    count += 1
    unsafe try element.withUnsafeBufferPointer { element throws(DocumentError) in
      let bytes = UnsafeRawBufferPointer(element)
      unsafe try body(DocumentReader.Piece(bytes: bytes, line: elementLine, part: .element))
    }
    element.removeAll(keepingCapacity: element.capacity < 1 << 20)
  }

  /// Sees that the array came to its end.
  func finish() throws(DocumentError) {
    guard isEnded else { throw malformed("the array has no end") }
  }

  private func malformed(_ reason: String) -> DocumentError {
    .malformed(file: file, line: line, reason: reason)
  }
}
