import CLibXML2

/// What libxml2's callbacks fill: the events of the piece just parsed.
///
/// Only the reader that owns the parser has one, and libxml2 calls it while that reader feeds it.
@safe
final class XMLEventSink {
  /// One event, its text as a range of ``text``.
  struct Entry {
    enum Kind { case start, text, end }
    let kind: Kind
    let name: String
    let attributes: [XMLAttribute]
    var text: Range<Int>
    let line: Int
  }

  private(set) var entries: [Entry] = []
  private(set) var text: [UInt8] = []
  private(set) var documentType: String?
  private(set) var hasRoot = false
  private(set) var depth = 0
  /// The first thing that stops the reading.
  private(set) var failure: XMLError?

  private let path: String?
  private let limits: XMLLimits
  /// The instruction that stands for a character.
  private let characterTarget: String?
  /// Lines that were passed over before the document.
  var lineOffset = 0
  private var parser: xmlParserCtxtPtr?
  /// Names by their address: libxml2 keeps each name once for as long as the parser lives.
  private var names: [UnsafePointer<xmlChar>: String] = unsafe [:]

  init(path: String?, limits: XMLLimits, characterTarget: String?) {
    self.path = path
    self.limits = limits
    self.characterTarget = characterTarget
    unsafe parser = nil
  }

  func attach(_ parser: xmlParserCtxtPtr) {
    unsafe self.parser = unsafe parser
  }

  /// Forgets the events, once they are all given.
  func removeAll() {
    entries.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
  }

  /// Keeps the first failure and tells libxml2 to stop.
  func fail(_ cause: XMLError.Cause, _ reason: String, line: Int? = nil, column: Int = 0) {
    if let parser = unsafe parser { unsafe xmlStopParser(parser) }
    guard failure == nil else { return }
    failure = XMLError(
      cause,
      path: path,
      line: line ?? self.line,
      column: column,
      reason: reason
    )
  }

  var line: Int {
    guard let input = unsafe parser?.pointee.input else { return 0 }
    return Int(unsafe input.pointee.line) + lineOffset
  }
}

// MARK: - What libxml2 calls

extension XMLEventSink {
  func start(name: String, attributes: [XMLAttribute]) {
    guard failure == nil else { return }
    depth += 1
    hasRoot = true
    guard depth <= limits.depth else {
      return fail(.beyondLimit, "elements lie more than \(limits.depth) deep")
    }
    entries.append(
      Entry(kind: .start, name: name, attributes: attributes, text: 0..<0, line: line)
    )
  }

  func end(name: String) {
    guard failure == nil else { return }
    depth -= 1
    entries.append(Entry(kind: .end, name: name, attributes: [], text: 0..<0, line: line))
  }

  func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard failure == nil, depth > 0 else { return }
    let start = text.count
    unsafe text.append(contentsOf: bytes)
    if let last = entries.indices.last, entries[last].kind == .text {
      entries[last].text = entries[last].text.lowerBound..<text.count
    } else {
      entries.append(
        Entry(kind: .text, name: "", attributes: [], text: start..<text.count, line: line)
      )
    }
  }

  func instruction(target: String, content: String) {
    guard failure == nil, let characterTarget, target == characterTarget else { return }
    guard let scalar = UInt32(content).flatMap({ Unicode.Scalar($0) }) else { return }
    let bytes = Array(String(Character(scalar)).utf8)
    unsafe bytes.withUnsafeBufferPointer { unsafe characters($0) }
  }

  func begin(documentType name: String) {
    documentType = name
  }

  /// The name at an address, prefix included.
  func name(_ local: UnsafePointer<xmlChar>, prefix: UnsafePointer<xmlChar>?) -> String {
    guard let prefix = unsafe prefix else { return unsafe name(local) }
    return unsafe name(prefix) + ":" + name(local)
  }

  private func name(_ address: UnsafePointer<xmlChar>) -> String {
    if let name = unsafe names[address] { return name }
    let name = unsafe String(cString: address)
    if name.utf8.count > limits.nameSize {
      fail(.beyondLimit, "a name of \(name.utf8.count) bytes")
    } else if unsafe names.count >= limits.nameCount {
      fail(.beyondLimit, "more than \(limits.nameCount) different names")
    } else {
      unsafe names[address] = name
    }
    return name
  }
}
