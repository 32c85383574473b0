package import Files

/// JSON that passes in pieces, of which all is held but its long texts: a stand-in takes the place of each.
///
/// What is no JSON stays none.
package struct LongTextFilter: ~Copyable {
  /// Where a long text can be read again.
  package enum Keeping {
    /// The JSON comes from a file, from an offset on, and the text is there.
    case inFile(FileSource)
    /// The text is written to a file of its own.
    case written
  }

  /// What passed, so far.
  package private(set) var output: [UInt8] = []
  private let texts: LongTexts
  private let keeping: Keeping
  /// How many bytes lie before the next piece.
  private var position: Int64
  private var isInText = false
  private var isEscaped = false
  /// Where the text in which the piece ended begins, in the output and in all that passed.
  private var start = 0
  private var startPosition: Int64 = 0
  /// Works on a text that may be a long one; `nil` in all others.
  private var digester: TextDigester?
  /// Whether the text is a long one, and no longer held.
  private var isLong = false
  private var file: WrittenText?

  package init(_ texts: LongTexts, _ keeping: Keeping, from offset: Int64 = 0) {
    self.texts = texts
    self.keeping = keeping
    position = offset
  }

  /// Takes in the next piece.
  package mutating func take(_ piece: [UInt8]) throws(FileError) {
    try piece.withUnsafeBufferPointer { bytes throws(FileError) in
      try take(UnsafeRawBufferPointer(bytes))
    }
  }

  /// The same, of bytes that are lent.
  package mutating func take(_ piece: UnsafeRawBufferPointer) throws(FileError) {
    var index = 0
    while index < piece.count {
      let rest = UnsafeRawBufferPointer(rebasing: piece[index...])
      if isInText {
        let end = textEnd(in: rest)
        try takeText(UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.count)]))
        index += end ?? rest.count
        guard end != nil else { continue }
        try finishText(before: position + Int64(index))
        output.append(UInt8(ascii: "\""))
        index += 1
        isInText = false
      } else {
        let quote = rest.firstPlace(of: UInt8(ascii: "\""))
        let count = quote.map { $0 + 1 } ?? rest.count
        output += rest[..<count]
        index += count
        guard quote != nil else { continue }
        isInText = true
        start = output.count
        startPosition = position + Int64(index)
      }
    }
    position += Int64(piece.count)
  }

  /// All that passed, once the last piece has.
  package consuming func finished() -> [UInt8] {
    // A long text without an end is no JSON, whatever is left of it.
    output
  }

  /// The place of the quote that ends the text.
  private mutating func textEnd(in bytes: UnsafeRawBufferPointer) -> Int? {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        return index
      }
      index += 1
    }
    return nil
  }

  private mutating func takeText(_ raw: UnsafeRawBufferPointer) throws(FileError) {
    guard !isLong else {
      digester?.take(raw)
      try file?.write(raw)
      return
    }
    output += raw
    // In escapes a text is never shorter than it is.
    guard output.count - start > LongText.mostHeld else { return }
    if digester == nil {
      digester = TextDigester()
      output.withUnsafeBytes { digester?.take(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    } else {
      digester?.take(raw)
    }
    guard let count = digester?.count, count > LongText.mostHeld else { return }
    isLong = true
    if case .written = keeping {
      let file = try WrittenText(in: texts)
      try file.write(Array(output[start...]))
      self.file = file
    }
    output.removeLast(output.count - start)
  }

  private mutating func finishText(before end: Int64) throws(FileError) {
    defer {
      digester = nil
      isLong = false
      file = nil
    }
    if isLong {
      guard let text = digester?.finish() else {
        // What is no text makes no JSON.
        return output.append(0xFF)
      }
      switch keeping {
      case .inFile(let source): note(text, .inFile(source), before: end)
      case .written:
        // The file goes where the text lies somewhere already.
        if texts.place(of: text)?.isLasting == true { break }
        if let source = try file?.finish(as: text) {
          texts.note(text, LongTextPlace(source: source, offset: 0, size: Int(end - startPosition)))
        }
      }
      output += text.standIn
      return
    }
    let isMarked = output.withUnsafeBytes { LongText.beginsWithMark($0[start...]) }
    guard isMarked else { return }
    var digester = TextDigester()
    output.withUnsafeBytes { digester.take(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    guard let text = digester.finish() else { return }
    texts.note(text, LongTextPlace(held: Array(output[start...])))
    output.removeLast(output.count - start)
    output += text.standIn
  }

  private func note(_ text: LongText, _ keeping: Keeping, before end: Int64) {
    guard case .inFile(let source) = keeping else { return }
    let size = Int(end - startPosition)
    texts.note(text, LongTextPlace(source: source, offset: startPosition, size: size))
  }
}

/// A long text on its way into a file of its own.
private final class WrittenText {
  private let folder: String
  private var file: OutputFile?
  private let path: String

  init(in texts: LongTexts) throws(FileError) {
    folder = try texts.folder()
    path = "\(folder)/\(UInt64.random(in: .min ... .max))"
    file = try OutputFile(creating: path, isDigested: false)
  }

  deinit {
    guard file != nil else { return }
    file = nil
    try? Folder.remove(path)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) { try file?.write(bytes) }

  func write(_ bytes: [UInt8]) throws(FileError) { try file?.write(bytes) }

  /// Ends the file, from which the text is read from then on.
  func finish(as text: LongText) throws(FileError) -> FileSource {
    _ = try file.take()?.finishUnsynced()
    return FileSource(path)
  }
}
