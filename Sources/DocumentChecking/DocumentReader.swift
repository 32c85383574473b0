package import Files
import JSONText

/// The documents of a file, one after the other: JSON Lines, or one document over many lines.
///
/// Lines are read as a stream: memory follows the longest. One document is held whole, but for an
/// array that is taken apart.
package final class DocumentReader {
  /// One document, or a part of one; the bytes are valid for as long as the call takes.
  @safe
  package struct Piece {
    package enum Part: Hashable, Sendable {
      case document
      /// The file is one array, whose elements follow.
      case arrayBegins
      case element
    }

    package let bytes: UnsafeRawBufferPointer
    /// The line it begins on, counted from one.
    package let line: Int
    package let part: Part
  }

  /// From so many bytes on, an array in one line is taken apart too, where arrays are.
  private static let largeArray = 1 << 20

  private let name: String
  private let lines: LineReader
  private let splitsArrays: Bool
  private let layout: DocumentCheck.Layout

  /// Reads from where the file is.
  ///
  /// - Parameters:
  ///   - file: The file, which the reader closes.
  ///   - layout: How it holds its documents.
  ///   - splitsArrays: Whether one array is given element by element.
  package init(
    _ file: consuming InputFile,
    layout: DocumentCheck.Layout,
    splitsArrays: Bool = false
  ) {
    name = file.path
    lines = LineReader(file, longest: DocumentCheck.largestDocument)
    self.layout = layout
    self.splitsArrays = splitsArrays
  }

  /// Calls `body` with each piece, in order.
  package func forEach(
    _ body: (Piece) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    var whole: [UInt8] = []
    var splitter: ArraySplitter?
    var isWhole = layout == .whole
    var isBegun = false
    while let line = try next() {
      let isEmpty = unsafe Self.isEmpty(line.bytes)
      if !isBegun, !isEmpty {
        isBegun = true
        if layout == .auto { isWhole = unsafe !isDocument(line.bytes) }
        let first = unsafe line.bytes.first { !Self.isSpace($0) }
        if isWhole, splitsArrays, first == UInt8(ascii: "[") {
          splitter = ArraySplitter(file: name)
          unsafe try body(Piece(bytes: line.bytes, line: line.number, part: .arrayBegins))
        }
      }
      if splitter != nil {
        unsafe try splitter?.take(line.bytes, line: line.number, body)
      } else if isWhole || !isBegun {
        unsafe whole.append(contentsOf: line.bytes)
        if line.isEnded { whole.append(0x0A) }
        guard whole.count <= DocumentCheck.largestDocument else {
          throw .tooLarge(file: name, limit: DocumentCheck.largestDocument)
        }
      } else if splitsArrays, unsafe isLargeArray(line.bytes) {
        unsafe try body(Piece(bytes: line.bytes, line: line.number, part: .arrayBegins))
        var splitter = ArraySplitter(file: name)
        unsafe try splitter.take(line.bytes, line: line.number, body)
        try splitter.finish()
      } else if !isEmpty {
        unsafe try body(Piece(bytes: line.bytes, line: line.number, part: .document))
      }
    }
    try splitter?.finish()
    // A file of lines may hold none; one that says that it is a document has to hold it.
    if !isBegun, layout == .auto, name.hasSuffix(".json") { isWhole = true }
    guard isWhole, splitter == nil else { return }
    unsafe try whole.withUnsafeBufferPointer { whole throws(DocumentError) in
      unsafe try body(Piece(bytes: UnsafeRawBufferPointer(whole), line: 1, part: .document))
    }
  }

  /// Whether each line is a document, as the first line shows.
  ///
  /// Says no where a look at that line does not state.
  func holdsLines() throws(DocumentError) -> Bool {
    guard layout == .auto else { return layout == .lines }
    return try reading { () throws(LineReader.Failure) in
      try lines.peek { line in
        guard let line else { return false }
        return unsafe isDocument(line.bytes)
      }
    }
  }

  /// The next whole lines, or `nil` after the last.
  func nextBlock() throws(DocumentError) -> LineReader.Block? {
    try reading { () throws(LineReader.Failure) in try lines.nextBlock() }
  }

  /// As ``nextBlock()``, in memory that is the caller's.
  func takeBlock(
    reusing spare: inout [UInt8]
  ) throws(DocumentError) -> LineReader.OwnBlock? {
    try reading { () throws(LineReader.Failure) in try lines.takeBlock(reusing: &spare) }
  }

  private func next() throws(DocumentError) -> LineReader.Line? {
    try reading { () throws(LineReader.Failure) in try lines.next() }
  }

  private func reading<Answer>(
    _ body: () throws(LineReader.Failure) -> Answer
  ) throws(DocumentError) -> Answer {
    do throws(LineReader.Failure) {
      return try body()
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .tooLong(let line): throw .lineTooLong(file: name, line: line)
      }
    }
  }

  private func isDocument(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Of its own, for it may be large, and another one is held while the documents are checked.
    let trial = JSONDocument()
    do throws(JSONError) {
      guard unsafe Self.isArray(bytes) else {
        unsafe try trial.parse(bytes)
        return true
      }
      return unsafe try trial.parseElements(bytes) { _ in true }
    } catch {
      return false
    }
  }

  /// Whether a line has nothing in it but white space.
  @inline(__always)
  static func isEmpty(_ line: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place < line.count, unsafe isSpace(line[place]) { place += 1 }
    return place == line.count
  }

  /// Whether a document, if it is one, is an array.
  static func isArray(_ document: UnsafeRawBufferPointer) -> Bool {
    unsafe document.first { !isSpace($0) && $0 != 0x0A } == UInt8(ascii: "[")
  }

  private func isLargeArray(_ line: UnsafeRawBufferPointer) -> Bool {
    unsafe Self.isArray(line) && line.count >= Self.largeArray
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }
}
