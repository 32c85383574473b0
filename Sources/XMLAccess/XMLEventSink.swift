import CLibXML2

/// What libxml2's callbacks fill: the events of the piece just parsed.
///
/// Only the reader that owns the parser has one, at one address for as long as it lives, and
/// libxml2 calls it while that reader feeds it. Events hold no references: names and attributes lie
/// in tables of their own.
@safe
struct XMLEventSink: ~Copyable {
  /// One event.
  struct Entry: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable { case start, text, end }
    let kind: Kind
    /// The place of the name in ``names``.
    let name: Int32
    /// The place of the attributes in ``attributes``, or -1 if there are no such values.
    let attributes: Int32
    let line: Int32
    /// The text's first byte in ``text`` and the one after its last.
    let start: Int
    var end: Int
  }

  private(set) var entries = Arena<Entry>(capacity: 1 << 12)
  private(set) var text = Arena<UInt8>(capacity: XMLInput.pieceSize)
  /// The whole ``text``, once slices of it were given.
  private var sharedText: [UInt8] = []
  private(set) var attributes: [[XMLAttribute]] = []
  /// The document's names, each once, in the order in which they were found.
  private(set) var names: [String] = []
  private(set) var documentType: String?
  private(set) var hasRoot = false
  private(set) var depth = 0
  /// The first thing that stops the reading.
  private(set) var failure: XMLError?
  private var hasFailed = false
  /// The names of the open elements, the outermost first.
  private var open: [Int32] = []
  /// How many of the events were given, and where the last one of them is.
  var given = 0
  private(set) var givenLine = 0
  private(set) var givenDepth = 0

  private let path: String?
  private let limits: XMLLimits
  /// The instruction that represents a character.
  private let characterTarget: String?
  /// Lines that were passed over before the document.
  let lineOffset: Int
  private var parser: xmlParserCtxtPtr?
  /// The places of names by their addresses: libxml2 keeps each name once for as long as the parser
  /// lives.
  private var places: [Address: Int32] = [:]
  /// The addresses found last, by some of their bits, with the places of their names.
  private var recent: [(address: Address, place: Int32)]

  /// Where libxml2 keeps a name's two parts; the prefix is zero if it is missing.
  private struct Address: Hashable {
    var prefix = 0
    var local = 0
  }

  private static let recentCount = 64

  init(path: String?, limits: XMLLimits, characterTarget: String?, lineOffset: Int) {
    self.path = path
    self.limits = limits
    self.characterTarget = characterTarget
    self.lineOffset = lineOffset
    unsafe parser = nil
    recent = Array(repeating: (Address(), 0), count: Self.recentCount)
  }

  mutating func attach(_ parser: xmlParserCtxtPtr) {
    unsafe self.parser = unsafe parser
  }

  /// The next event, or `nil` when all are given.
  mutating func next() -> XMLEvent? {
    guard given < entries.count else { return nil }
    let entry = entries[given]
    given += 1
    givenLine = Int(entry.line)
    switch entry.kind {
    case .start:
      givenDepth += 1
      let list = entry.attributes < 0 ? [] : attributes[Int(entry.attributes)]
      return .start(name: names[Int(entry.name)], attributes: list)
    case .text:
      if sharedText.isEmpty { sharedText = unsafe Array(text.elements(0..<text.count)) }
      return .text(sharedText[entry.start..<entry.end])
    case .end:
      givenDepth -= 1
      return .end(name: names[Int(entry.name)])
    }
  }

  /// Keeps where the event given last is.
  mutating func noteGiven(line: Int32, depth step: Int) {
    givenLine = Int(line)
    givenDepth += step
  }

  /// Forgets the events, once they are all given.
  mutating func removeAll() {
    given = 0
    entries.removeAll()
    text.removeAll()
    sharedText = []
    if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
  }

  /// Keeps the first failure and asks libxml2 to stop.
  mutating func fail(
    _ cause: XMLError.Cause,
    _ reason: String,
    line: Int? = nil,
    column: Int = 0
  ) {
    if let parser = unsafe parser { unsafe xmlStopParser(parser) }
    guard !hasFailed else { return }
    hasFailed = true
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
  mutating func start(name: Int32, attributes list: [XMLAttribute]) {
    guard !hasFailed else { return }
    depth += 1
    hasRoot = true
    guard depth <= limits.depth else {
      return fail(.beyondLimit, "elements lie more than \(limits.depth) deep")
    }
    var place: Int32 = -1
    if !list.isEmpty {
      place = Int32(attributes.count)
      attributes.append(list)
    }
    open.append(name)
    add(.start, name: name, attributes: place, from: 0, to: 0)
  }

  /// libxml2 ends no element but the innermost one.
  mutating func end() {
    guard !hasFailed, let name = open.popLast() else { return }
    depth -= 1
    add(.end, name: name, from: 0, to: 0)
  }

  mutating func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !hasFailed, depth > 0 else { return }
    let start = text.count
    unsafe text.append(bytes)
    let end = text.count
    if entries.count > 0, entries[entries.count - 1].kind == .text {
      entries.changeLast { $0.end = end }
    } else {
      add(.text, name: 0, from: start, to: end)
    }
  }

  private mutating func add(
    _ kind: Entry.Kind,
    name: Int32,
    attributes: Int32 = -1,
    from start: Int,
    to end: Int
  ) {
    entries.append(
      Entry(
        kind: kind,
        name: name,
        attributes: attributes,
        line: Int32(clamping: line),
        start: start,
        end: end
      )
    )
  }

  mutating func instruction(target: String, content: String) {
    guard !hasFailed, let characterTarget, target == characterTarget else { return }
    guard let scalar = UInt32(content).flatMap({ Unicode.Scalar($0) }) else { return }
    let bytes = Array(String(Character(scalar)).utf8)
    unsafe bytes.withUnsafeBufferPointer { unsafe characters($0) }
  }

  mutating func begin(_ type: XMLDocumentType) {
    documentType = type.name
    guard type.isKnown else { return fail(.forbidden, type.refusal) }
  }

  /// The place of the name at an address, prefix included.
  mutating func name(
    _ local: UnsafePointer<xmlChar>,
    prefix: UnsafePointer<xmlChar>?
  ) -> Int32 {
    let address = Address(prefix: Int(bitPattern: prefix), local: Int(bitPattern: local))
    let slot = (address.local >> 3) & (Self.recentCount - 1)
    if recent[slot].address == address { return recent[slot].place }
    if let place = places[address] {
      recent[slot] = (address, place)
      return place
    }
    let name =
      unsafe (prefix.map { unsafe String(cString: $0) + ":" } ?? "") + String(cString: local)
    if name.utf8.count > limits.nameSize {
      fail(.beyondLimit, "a name of \(name.utf8.count) bytes")
    } else if places.count >= limits.nameCount {
      fail(.beyondLimit, "more than \(limits.nameCount) different names")
    }
    let place = Int32(names.count)
    names.append(name)
    places[address] = place
    recent[slot] = (address, place)
    return place
  }
}
