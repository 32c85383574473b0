import TextCodecs
package import XMLAccess

/// Reads the XML form, strictly.
///
/// | Element | Text | Value |
/// |---|---|---|
/// | `integer` | decimal or `0x…` digits with a sign, from `Int64.min` to `UInt64.max` | integer |
/// | `real` | a decimal number, `nan`, `inf`, `infinity` | real |
/// | `date` | `[-]YYYY-MM-DDThh:mm:ssZ`, with years of four and more digits | date |
/// | `data` | base 64 with white space anywhere, padded or not | data |
/// | `string`, `key` | kept as it is | string |
/// | `true`, `false` | none | boolean |
/// | `dict` with the one key `CF$UID` and an integer | | UID |
///
/// White space around numbers and dates is passed over. `plist` may be missing around the value,
/// and the DOCTYPE and the declaration before it; a `plist` without a value is refused.
struct XMLPropertyList {
  private let reader: XMLEventReader
  private let limits: PropertyListLimits
  /// Where long leaves go; `nil` where every leaf is held.
  private let scratch: LeafScratch?
  private var nodeCount = 0
  private(set) var notes: [PropertyListNote] = []
  /// What the names of the document mean, by their numbers.
  private var elements: [Element?] = []
  /// The text of the leaf at hand; its memory is used again and again.
  private var text: [UInt8] = []
  /// How many members the dictionary had that ended last: its siblings mostly have as many.
  private var usualCount = 0
  /// Whether a plist element is around the value.
  private var isWrapped = false
  private var state = State.before

  /// What a name means.
  private enum Element: String {
    case plist, dict, array, key, string, integer, real, date, data
    case yes = "true"
    case no = "false"
    /// No element of property lists.
    case other = ""
  }

  init(_ reader: XMLEventReader, limits: PropertyListLimits, _ scratch: LeafScratch? = nil) {
    self.reader = reader
    self.limits = limits
    self.scratch = scratch
  }

  /// Reads a document from its first to its last byte.
  mutating func document() throws(PropertyListError) -> PropertyList {
    let (element, step) = try begin()
    let value = try value(element, step, depth: 0)
    try finish()
    return value
  }

  /// Reads the element of this name that just began: `plist`, or a value.
  mutating func root(_ name: String) throws(PropertyListError) -> PropertyList {
    try root(Element(rawValue: name) ?? .other, nil)
  }

  private mutating func root(
    _ element: Element,
    _ step: XMLStep?
  ) throws(PropertyListError) -> PropertyList {
    guard element == .plist else { return try value(element, step, depth: 0) }
    let inner = try inside()
    let value = try value(self.element(inner), inner, depth: 0)
    try endPlist()
    return value
  }

  /// The outermost value, which just began.
  private mutating func begin() throws(PropertyListError) -> (Element, XMLStep) {
    guard let first = try part(), first.kind == .start else { throw refused("it has no value") }
    let element = element(first)
    guard element == .plist else { return (element, first) }
    isWrapped = true
    let inner = try inside()
    return (self.element(inner), inner)
  }

  private func inside() throws(PropertyListError) -> XMLStep {
    guard let inner = try part(), inner.kind == .start else {
      throw refused("its plist element holds no value")
    }
    return inner
  }

  private func endPlist() throws(PropertyListError) {
    guard try part()?.kind == .end else { throw refused("its plist element holds two values") }
  }

  /// Reads what is behind the outermost value.
  private func finish() throws(PropertyListError) {
    if isWrapped { try endPlist() }
    // libxml2 refuses whatever follows the root; this lets it look.
    guard try part() == nil else { throw refused("something follows the value") }
  }
}

// MARK: - Parts

extension XMLPropertyList {
  /// Where a document is that is read part by part.
  enum State {
    case before, members
    case elements(ofMember: Bool)
    case after, over
  }

  /// The next part, or `nil` at the end of a sound document.
  mutating func next() throws(PropertyListError) -> PropertyListPart? {
    scratch?.beginPart()
    switch state {
    case .before:
      let (element, step) = try begin()
      switch element {
      case .dict:
        try count(depth: 0)
        state = .members
        return try next()
      case .array:
        try count(depth: 0)
        state = .elements(ofMember: false)
        return .array(name: nil)
      default:
        state = .after
        return .whole(try value(element, step, depth: 0))
      }
    case .members:
      guard let (name, _, inner) = try key() else {
        state = .after
        return try next()
      }
      guard element(inner) == .array else {
        return .member(name: name, try value(element(inner), inner, depth: 1))
      }
      try count(depth: 1)
      state = .elements(ofMember: true)
      return .array(name: name)
    case .elements(let isOfMember):
      guard let inner = try part(), inner.kind == .start else {
        state = isOfMember ? .members : .after
        return .end
      }
      return .element(try value(element(inner), inner, depth: isOfMember ? 2 : 1))
    case .after:
      try finish()
      state = .over
      return nil
    case .over:
      return nil
    }
  }
}

// MARK: - Steps

extension XMLPropertyList {
  /// A start or an end; the white space before it is passed over.
  private func part() throws(PropertyListError) -> XMLStep? {
    let step: XMLStep?
    do throws(XMLError) {
      step = try reader.step(passesSpaces: true)
    } catch {
      throw .malformedXML(error)
    }
    if let step, step.kind == .text { throw refused("text between two elements") }
    return step
  }

  private mutating func element(_ step: XMLStep) -> Element {
    if step.name < elements.count, let known = elements[step.name] { return known }
    while elements.count <= step.name { elements.append(nil) }
    let element = Element(rawValue: reader.name(step.name)) ?? .other
    elements[step.name] = element
    return element
  }

  private func string() throws(PropertyListError) -> String {
    do throws(XMLError) { return try reader.takeString() } catch { throw .malformedXML(error) }
  }

  private mutating func takeText() throws(PropertyListError) {
    do throws(XMLError) { try reader.take(into: &text) } catch { throw .malformedXML(error) }
  }

  private func refused(_ reason: String) -> PropertyListError {
    .malformedXML(reader.unexpected(reason))
  }

  /// What an element is called in a message.
  private func words(_ element: Element, _ step: XMLStep?) -> Substring {
    (step.map { reader.name($0.name) } ?? element.rawValue).prefix(60)
  }
}

// MARK: - Containers

extension XMLPropertyList {
  private mutating func value(
    _ element: Element,
    _ step: XMLStep?,
    depth: Int
  ) throws(PropertyListError) -> PropertyList {
    try count(depth: depth)
    switch element {
    case .string: return try longString()
    case .dict: return try dictionary(depth: depth)
    case .array:
      var values: [PropertyList] = []
      while let inner = try part(), inner.kind == .start {
        values.append(try value(self.element(inner), inner, depth: depth + 1))
      }
      return .array(values)
    case .yes, .no:
      guard try part()?.kind == .end else {
        throw refused("an element inside of \(element.rawValue)")
      }
      return .boolean(element == .yes)
    case .integer, .real, .date, .data: return try leaf(element)
    case .plist, .key, .other:
      throw refused("“\(words(element, step))” is not an element of property lists")
    }
  }

  /// Counts a value that begins.
  private mutating func count(depth: Int) throws(PropertyListError) {
    nodeCount += 1
    guard nodeCount <= limits.nodeCount else {
      throw .beyondLimit("more than \(limits.nodeCount) values")
    }
    guard depth <= limits.depth else {
      throw .beyondLimit("containers lie more than \(limits.depth) deep")
    }
  }

  /// The next name of a dictionary with its line and the start of its value; `nil` at its end.
  private mutating func key() throws(PropertyListError) -> (String, line: Int, XMLStep)? {
    guard let step = try part(), step.kind == .start else { return nil }
    let element = element(step)
    guard element == .key else {
      throw refused("a “\(words(element, step))” where a key belongs")
    }
    let line = reader.line
    let name = try string()
    guard let inner = try part(), inner.kind == .start else {
      throw refused("the key “\(name.prefix(60))” has no value")
    }
    return (name, line, inner)
  }

  private mutating func dictionary(depth: Int) throws(PropertyListError) -> PropertyList {
    var members = MemberList(reserving: usualCount)
    while let (name, line, inner) = try key() {
      let value = try value(self.element(inner), inner, depth: depth + 1)
      if let dropped = members.append(name: name, value: value) {
        notes.append(.repeatedName(name, dropped: dropped, place: "line \(line)"))
      }
    }
    let found = members.members
    usualCount = min(found.count, MemberList.searchedCount)
    if found.count == 1, found[0].name == "CF$UID", case .integer(let number) = found[0].value,
      let uid = Int(exactly: number), uid >= 0
    {
      return .uid(uid)
    }
    return .dictionary(found)
  }
}

// MARK: - Leaves

extension XMLPropertyList {
  private mutating func leaf(_ element: Element) throws(PropertyListError) -> PropertyList {
    if element == .data { return try data() }
    let line = reader.line
    try takeText()
    switch element {
    case .integer:
      if let number = NumberText.plainInteger(text) { return .integer(number) }
      if let value = NumberText.integer(trimmedText) { return value }
    case .real:
      if let (value, isExact) = NumberText.real(trimmedText) {
        if !isExact {
          let words = String(decoding: trimmedText.prefix(60), as: UTF8.self)
          notes.append(.realBeyondDouble(words, place: "line \(line)"))
        }
        return .real(value)
      }
    default:
      if let seconds = ReferenceDate.seconds(text: trimmedText) {
        return .date(secondsSinceReferenceDate: seconds)
      }
    }
    let words = String(decoding: trimmedText.prefix(60), as: UTF8.self)
    throw refused("“\(words)” is not \(element == .date ? "a date" : "a number") as it is")
  }

  /// The string at hand, which may be a long one.
  private func longString() throws(PropertyListError) -> PropertyList {
    if let string = reader.takeParsedString() { return .string(string) }
    var writer = LeafWriter(isText: true, scratch)
    try takePieces { piece throws(PropertyListError) in
      try writer.take(UnsafeRawBufferPointer(piece))
    }
    return try writer.finished()
  }

  /// The data at hand, whose text is not held.
  private func data() throws(PropertyListError) -> PropertyList {
    var decoder = Base64.Decoder()
    var writer = LeafWriter(isText: false, scratch)
    try takePieces { piece throws(PropertyListError) in
      decoder.add(piece)
      if decoder.count >= LongLeaf.pieceSize { try writer.take(decoder.takeDecoded()) }
    }
    guard let rest = decoder.decoded() else { throw refused("data that is not base 64") }
    try writer.take(rest)
    return try writer.finished()
  }

  /// Takes the text of the leaf at hand in pieces.
  private func takePieces(
    _ body: (UnsafeBufferPointer<UInt8>) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    var fault: PropertyListError?
    do throws(XMLError) {
      try reader.takePieces { piece in
        guard fault == nil else { return }
        do throws(PropertyListError) { try body(piece) } catch { fault = error }
      }
    } catch {
      throw .malformedXML(error)
    }
    if let fault { throw fault }
  }

  /// The text without the white space around it.
  private var trimmedText: ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    var slice = text[...]
    while let last = slice.last, isSpace(last) { slice.removeLast() }
    return slice.drop(while: isSpace)
  }
}

extension PropertyList {
  /// Reads the list whose element just began in a larger XML document, to its end.
  ///
  /// - Parameters:
  ///   - element: The name of the element: `plist`, or that of a value.
  ///   - reader: The document; the element's start is the event given last.
  ///   - limits: How deep and large the list may be.
  /// - Throws: ``PropertyListError``, also for a name that comes twice.
  package init(
    element: String,
    of reader: XMLEventReader,
    limits: PropertyListLimits = .standard
  ) throws(PropertyListError) {
    var list = XMLPropertyList(reader, limits: limits)
    let value = try list.root(element)
    try PropertyListNote.refuseRepeatedNames(list.notes)
    self = value
  }
}
