/// One step through an XML document, without the words that go with it.
///
/// Who asks for steps gets no names and no text, and asks for those it needs. Millions of elements
/// are passed so, with nothing made for each.
package struct XMLStep: Sendable {
  /// What a step passes: the start of an element, a text, or an end.
  package enum Kind: Sendable { case start, text, end }

  package let kind: Kind
  /// The element's name as a number: a name has the same one in the whole document.
  package let name: Int
}

extension XMLEventReader {
  /// The next step, or `nil` at the end of a sound document.
  ///
  /// - Parameter passesSpaces: Whether texts of nothing but white space are passed over.
  /// - Returns: The step, whose name or text can be asked for until the next one.
  /// - Throws: ``XMLError`` where the document is not sound.
  package func step(passesSpaces: Bool = false) throws(XMLError) -> XMLStep? {
    while true {
      if let step = unsafe sink.pointee.step(passesSpaces: passesSpaces) { return step }
      guard try refill() else { return nil }
    }
  }

  /// The name that a step gave as a number.
  package func name(_ number: Int) -> String { unsafe sink.pointee.names[number] }

  /// Puts the text of the element that just began in place of `text`, and passes over its end.
  ///
  /// - Throws: ``XMLError`` for an element inside.
  package func take(into text: inout [UInt8]) throws(XMLError) {
    text.removeAll(keepingCapacity: true)
    if unsafe sink.pointee.takeLeaf(into: &text) { return }
    while let step = try step() {
      switch step.kind {
      case .text: unsafe sink.pointee.appendText(to: &text)
      case .start: throw unexpected("an element “\(name(step.name))” inside of text")
      case .end: return
      }
    }
  }

  /// Lends that text in pieces instead, valid for the time of the call.
  ///
  /// - Throws: ``XMLError`` for an element inside.
  package func takePieces(_ body: (UnsafeBufferPointer<UInt8>) -> Void) throws(XMLError) {
    while let step = try step() {
      switch step.kind {
      case .text: unsafe sink.pointee.lendText(body)
      case .start: throw unexpected("an element “\(name(step.name))” inside of text")
      case .end: return
      }
    }
  }

  /// The same text as a string; bytes that are no character have been refused before.
  package func takeString() throws(XMLError) -> String {
    if let string = takeParsedString() { return string }
    return String(decoding: try text(limit: .max), as: UTF8.self)
  }
}

extension XMLEventReader {
  /// The same string, where all of it was parsed with what was given before; else `nil`, and nothing is taken.
  package func takeParsedString() -> String? { unsafe sink.pointee.takeLeafString() }
}

extension XMLEventSink {
  /// The next step, or `nil` when all are given.
  mutating func step(passesSpaces: Bool) -> XMLStep? {
    while given < entries.count {
      let entry = entries[given]
      given += 1
      switch entry.kind {
      case .start:
        noteGiven(line: entry.line, depth: 1)
        return XMLStep(kind: .start, name: Int(entry.name))
      case .end:
        noteGiven(line: entry.line, depth: -1)
        return XMLStep(kind: .end, name: Int(entry.name))
      case .text:
        noteGiven(line: entry.line, depth: 0)
        if passesSpaces, isBlank(entry) { continue }
        return XMLStep(kind: .text, name: 0)
      }
    }
    return nil
  }

  private func isBlank(_ entry: Entry) -> Bool {
    for place in entry.start..<entry.end {
      let byte = text[place]
      guard byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) else { return false }
    }
    return true
  }

  /// Adds the text of the step given last.
  func appendText(to bytes: inout [UInt8]) {
    let entry = entries[given - 1]
    unsafe bytes.append(contentsOf: text.elements(entry.start..<entry.end))
  }

  /// Lends the text of the step given last.
  func lendText(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let entry = entries[given - 1]
    unsafe body(text.elements(entry.start..<entry.end))
  }

  /// Takes a text and the end behind it, or nothing when something else comes next.
  mutating func takeLeaf(into bytes: inout [UInt8]) -> Bool {
    guard isLeafAhead else { return false }
    passLeaf()
    let entry = entries[given - 2]
    unsafe bytes.append(contentsOf: text.elements(entry.start..<entry.end))
    return true
  }

  /// The same, as a string.
  mutating func takeLeafString() -> String? {
    guard isLeafAhead else { return nil }
    passLeaf()
    let entry = entries[given - 2]
    return unsafe String(decoding: text.elements(entry.start..<entry.end), as: UTF8.self)
  }

  /// Whether a whole text comes next and then the end of its element.
  private var isLeafAhead: Bool {
    given + 1 < entries.count && entries[given].kind == .text && entries[given + 1].kind == .end
  }

  private mutating func passLeaf() {
    given += 2
    noteGiven(line: entries[given - 1].line, depth: -1)
  }
}
