import CLibXML2

/// Reads an XML document from front to back, one event at a time.
///
/// The caller pulls, so that code for a format is written straight on:
///
/// ```swift
/// let reader = try XMLEventReader(path: path)
/// while let event = try reader.next() {
///   guard case .start(let name, let attributes) = event else { continue }
///   …
/// }
/// ```
///
/// Memory does not grow with the document: 64 KiB are parsed at a time. Nothing outside the document
/// is ever opened: no DTD is loaded, and a DOCTYPE is refused that is not one of Apple's or declares
/// something itself. The encoding is that of the byte order mark, else the declared one; white space
/// before the declaration is passed over. Events before a fault are given first, then the fault is
/// thrown, at this and every further call. What is collected from a document is therefore sound only
/// once ``next()`` gave `nil`.
@safe
package final class XMLEventReader {
  /// The file, or `nil` when the document was given as bytes.
  package let path: String?
  /// The line of the event given last, counted from one.
  package var line: Int { unsafe sink.pointee.givenLine }
  /// How many elements are open after the event given last.
  package var depth: Int { unsafe sink.pointee.givenDepth }

  private var input: XMLInput
  /// Lives at this address until the reader goes, for libxml2 writes there.
  let sink: UnsafeMutablePointer<XMLEventSink>
  private let parser: xmlParserCtxtPtr
  private var guardian: XMLGuard
  private var surrogates: SurrogateReferences?
  private var transcoder: UnicodeTranscoder?
  private var firstPiece: [UInt8]?
  private var isFed = false

  /// What a reader takes beyond plain XML.
  package struct Tolerance: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// References to control characters, such as `&#8;`, in text.
    package static let controlCharacterReferences = Tolerance(rawValue: 1)
    /// A character as two references to surrogates, such as `&#55357;&#57313;`.
    package static let surrogatePairs = Tolerance(rawValue: 2)
    /// The same, and a reference to half of a pair, or to no character, which is read as U+FFFD.
    package static let replacedReferences = Tolerance(rawValue: 4)
  }

  /// Opens a file.
  package convenience init(
    path: String,
    limits: XMLLimits = .standard,
    tolerance: Tolerance = []
  ) throws(XMLError) {
    try self.init(XMLInput(path: path), path, limits, tolerance)
  }

  /// Takes a document in memory.
  package convenience init(
    bytes: [UInt8],
    limits: XMLLimits = .standard,
    tolerance: Tolerance = []
  ) throws(XMLError) {
    try self.init(XMLInput(bytes: bytes), nil, limits, tolerance)
  }

  private init(
    _ input: consuming XMLInput,
    _ path: String?,
    _ limits: XMLLimits,
    _ tolerance: Tolerance
  ) throws(XMLError) {
    var start = try XMLStart(&input)
    let target =
      tolerance.contains(.controlCharacterReferences)
      ? "ferry-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))" : nil
    let sink = UnsafeMutablePointer<XMLEventSink>.allocate(capacity: 1)
    unsafe sink.initialize(
      to: XMLEventSink(
        path: path,
        limits: limits,
        characterTarget: target,
        lineOffset: start.lineCount
      )
    )
    guard let parser = unsafe XMLCallbacks.parser(for: sink, ignoresDeclaredEncoding: start.isUTF8)
    else {
      unsafe sink.deinitialize(count: 1)
      unsafe sink.deallocate()
      throw XMLError(.unreadable, path: path, reason: "there is no memory to read it")
    }
    self.path = path
    self.input = input
    unsafe self.sink = unsafe sink
    unsafe self.parser = unsafe parser
    guardian = XMLGuard(limits, characterTarget: target)
    let replaces = tolerance.contains(.replacedReferences)
    let hasReferences = replaces || tolerance.contains(.surrogatePairs)
    surrogates = hasReferences ? SurrogateReferences(replaces: replaces) : nil
    transcoder = start.transcoder
    firstPiece = start.takePiece()
  }

  deinit {
    if let document = unsafe parser.pointee.myDoc { unsafe xmlFreeDoc(document) }
    unsafe xmlFreeParserCtxt(parser)
    unsafe sink.deinitialize(count: 1)
    unsafe sink.deallocate()
  }

  /// The name in the DOCTYPE; known with the first event, `nil` when it is missing.
  package var documentType: String? { unsafe sink.pointee.documentType }

  /// The number of bytes read so far; a little more than those of the events given.
  package var offset: Int { input.offset }

  /// How many references to no character became U+FFFD in the pieces parsed so far.
  package var replacedCount: Int { surrogates?.replacedCount ?? 0 }

  /// The next event, or `nil` at the end of a sound document.
  package func next() throws(XMLError) -> XMLEvent? {
    while true {
      if let event = unsafe sink.pointee.next() { return event }
      guard try refill() else { return nil }
    }
  }

  /// Parses on once every event is given; `false` at the end of a sound document.
  func refill() throws(XMLError) -> Bool {
    if let failure = unsafe sink.pointee.failure { throw failure }
    guard !isFed else { return false }
    unsafe sink.pointee.removeAll()
    try feed()
    return true
  }

  /// An error about the event given last.
  package func unexpected(_ reason: String) -> XMLError {
    XMLError(.unexpected, path: path, line: line, reason: reason)
  }
}

// MARK: - Whole elements

extension XMLEventReader {
  /// The text of the element that just began, to its end, which is passed over too.
  ///
  /// - Throws: ``XMLError`` for an element inside, and for more than `limit` bytes.
  package func text(limit: Int) throws(XMLError) -> [UInt8] {
    var text: [UInt8] = []
    while let event = try next() {
      switch event {
      case .text(let piece):
        guard piece.count <= limit - text.count else {
          throw XMLError(
            .beyondLimit,
            path: path,
            line: line,
            reason: "a text of more than \(limit) bytes"
          )
        }
        text += piece
      case .start(let name, _): throw unexpected("an element “\(name)” inside of text")
      case .end: return text
      }
    }
    return text
  }

  /// Passes over the rest of the element that just began, with all that is inside.
  package func skipElement() throws(XMLError) {
    let outside = depth - 1
    while depth > outside, try next() != nil {}
  }
}

// MARK: - Feeding

extension XMLEventReader {
  /// Parses one more piece of the document.
  private func feed() throws(XMLError) {
    let raw: [UInt8]
    if let piece = firstPiece {
      raw = piece
      firstPiece = nil
    } else {
      raw = try input.next()
    }
    var piece = raw
    if transcoder != nil {
      guard let text = transcoder?.utf8(raw), !raw.isEmpty || transcoder?.isComplete == true
      else {
        return unsafe sink.pointee.fail(.encoding, "bytes that are not characters of its encoding")
      }
      piece = text
    }
    isFed = raw.isEmpty
    if let rewritten = surrogates?.pass(piece, isLast: isFed) { piece = rewritten }
    do throws(XMLGuard.Refusal) {
      piece = try guardian.pass(piece, isLast: isFed)
    } catch {
      return unsafe sink.pointee.fail(refusal: error)
    }
    parse(piece)
    guard isFed, unsafe sink.pointee.failure == nil else { return }
    let isWellFormed = unsafe parser.pointee.wellFormed != 0
    if unsafe !sink.pointee.hasRoot || sink.pointee.depth > 0 || !isWellFormed {
      unsafe sink.pointee.fail(.malformed, "it ends before its root element does")
    }
  }

  private func parse(_ piece: [UInt8]) {
    unsafe piece.withUnsafeBytes { buffer in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      guard buffer.count > 0 else { return }
      _ = unsafe xmlParseChunk(parser, start, Int32(buffer.count), 0)
    }
    if isFed { _ = unsafe xmlParseChunk(parser, nil, 0, 1) }
  }
}
