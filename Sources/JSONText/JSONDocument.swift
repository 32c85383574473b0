/// A value inside a ``JSONDocument``, named by its place on the tape.
///
/// Means something only to the document it came from, and only until that parses again.
package struct JSONNode: Hashable, Sendable {
  /// The index of the value's entry on the tape.
  package let index: Int

  @inline(__always)
  package init(index: Int) {
    self.index = index
  }
}

/// One JSON document read into a flat tape, ready to be asked; made to be used again and again.
///
/// Parsing the next document reuses the space of the one before, and asks the system for none unless
/// the document is larger than all before it. Values are looked at where they lie: nothing is made
/// per member, and strings are unescaped only when a user asks for their text.
@safe
package final class JSONDocument {
  // Nothing is called from inside a change of these, so that no access can overlap another.
  @exclusivity(unchecked) private var parser: JSONParser
  @exclusivity(unchecked) private var source: UnsafeRawPointer
  private var ownBytes = ByteStore(capacity: 16)
  /// What the document was given to keep, and does not copy.
  private var keptBytes: [UInt8] = []
  private var scratch = ByteStore()
  private var isScratchInUse = false

  package init(limits: JSONLimits = .standard) {
    unsafe parser = JSONParser(limits: limits)
    unsafe source = UnsafeRawPointer(ownBytes.base)
  }

  /// Reads one value and the white space around it, without copying.
  ///
  /// The document keeps the address: `bytes` must stay as they are until the document parses again
  /// or is asked no more.
  ///
  /// - Throws: ``JSONError``; the document then holds nothing and must not be asked.
  package func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    unsafe source = bytes.baseAddress ?? UnsafeRawPointer(ownBytes.base)
    unsafe try parser.parse(bytes)
  }

  /// Reads an array and the white space around it, holding one element at a time: `body` is given each as
  /// the document's whole value, until it says that it wants no more.
  ///
  /// - Returns: Whether `body` wanted all of them, and so all was read.
  /// - Throws: ``JSONError`` for what ``parse(_:)`` does not take either, in the same words, and for what
  ///   is no array.
  package func parseElements(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (JSONNode) -> Bool
  ) throws(JSONError) -> Bool {
    unsafe source = bytes.baseAddress ?? UnsafeRawPointer(ownBytes.base)
    var next = unsafe try parser.beginElements(bytes)
    while let start = next {
      next = unsafe try parser.parseElement(bytes, from: start)
      guard body(root) else { return false }
    }
    return true
  }

  /// Reads one value from a copy of `bytes`, which the document keeps.
  package func parse(copying bytes: [UInt8]) throws(JSONError) {
    unsafe fill(bytes.count) { target in unsafe target.copyBytes(from: bytes) }
    try parseFilled()
  }

  /// Reads one value from bytes that the document keeps as they are.
  ///
  /// The memory of an array stays where it is for as long as it has an owner that does not change it.
  package func parse(keeping bytes: [UInt8]) throws(JSONError) {
    keptBytes = bytes
    let kept = unsafe keptBytes.withUnsafeBytes { unsafe $0 }
    unsafe try parse(kept)
  }

  /// Forgets what was read, and gives back the space of a large document, which must not be asked any more.
  package func forget() {
    unsafe parser.forget()
    keptBytes = []
    if ownBytes.count > Self.large { ownBytes = ByteStore(capacity: 16) }
    ownBytes.removeAll()
    unsafe source = UnsafeRawPointer(ownBytes.base)
  }

  /// From so many bytes on, the document's own ones are not kept for the next.
  private static let large = 1 << 20

  /// Gives the document bytes of its own, which ``parseFilled(after:)`` reads.
  ///
  /// - Parameters:
  ///   - size: How many there are.
  ///   - body: Writes all of them.
  /// - Throws: What `body` throws; the document then holds nothing and must not be asked.
  package func fill<Failure: Error>(
    _ size: Int,
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    ownBytes.removeAll()
    let start = unsafe ownBytes.reserve(size)
    unsafe try body(UnsafeMutableRawBufferPointer(start: start, count: size))
    ownBytes.commit(size)
  }

  /// Reads one value from the bytes that the document was given, after a mark of so many of them.
  package func parseFilled(after mark: Int = 0) throws(JSONError) {
    let bytes = unsafe UnsafeRawBufferPointer(start: ownBytes.base, count: ownBytes.count)
    unsafe try parse(UnsafeRawBufferPointer(rebasing: bytes[mark...]))
  }

  /// The whole value.
  package var root: JSONNode {
    precondition(unsafe parser.entryCount > 0, "nothing has been parsed")
    return JSONNode(index: 0)
  }

  /// The entries, for code that must be fast.
  package var tape: JSONTape {
    unsafe parser.tape(over: source)
  }

  /// The entry of `node`, whose index is checked.
  @inline(__always)
  private func entry(_ node: JSONNode) -> JSONTapeEntry {
    precondition(
      unsafe node.index >= 0 && node.index < parser.entryCount,
      "a node of another document"
    )
    return unsafe parser.entries[node.index]
  }

  @inline(__always)
  private func expect(_ kind: JSONKind, _ node: JSONNode) -> JSONTapeEntry {
    let entry = entry(node)
    precondition(entry.kind == kind, "the node is of another kind")
    return entry
  }
}

// MARK: - Containers

extension JSONDocument {
  package func kind(of node: JSONNode) -> JSONKind {
    entry(node).kind
  }

  /// How many of the bytes that were read lie before a value.
  package func offset(of node: JSONNode) -> Int {
    let entry = entry(node)
    return Int(entry.offset) - (entry.kind == .string ? 1 : 0)
  }

  /// The count of an array's elements or an object's members; zero for every other value.
  package func count(of node: JSONNode) -> Int {
    let entry = entry(node)
    return entry.kind == .array || entry.kind == .object ? Int(entry.length) : 0
  }

  /// The value of the member called `name`; `nil` when it is missing, or `node` is no object.
  package func member(of node: JSONNode, _ name: JSONName) -> JSONNode? {
    unsafe name.bytes.withUnsafeBytes { unsafe member(of: node, $0, name.fingerprint) }
  }

  /// The value of the member called `name`; `nil` when it is missing, or `node` is no object.
  package func member(of node: JSONNode, named name: String) -> JSONNode? {
    var name = name
    return name.withUTF8 {
      let bytes = UnsafeRawBufferPointer($0)
      return unsafe member(of: node, bytes, JSONName.fingerprint(of: bytes))
    }
  }

  private func member(
    of node: JSONNode,
    _ name: UnsafeRawBufferPointer,
    _ fingerprint: UInt32
  ) -> JSONNode? {
    let object = entry(node)
    guard object.kind == .object else { return nil }
    let tape = unsafe tape
    var index = node.index + 1
    while index < Int(object.link) {
      if unsafe tape[index].link == fingerprint,
        unsafe JSONParser.order(tape.name(at: index), name) == 0
      {
        return JSONNode(index: index + 1)
      }
      index = unsafe tape.indexAfter(index + 1)
    }
    return nil
  }

  /// Calls `body` with the unescaped name and the value of each member, in the order they came.
  package func forEachMember<Failure: Error>(
    of node: JSONNode,
    _ body: (_ name: UnsafeRawBufferPointer, _ value: JSONNode) throws(Failure) -> Void
  ) throws(Failure) {
    let object = expect(.object, node)
    var index = node.index + 1
    while index < Int(object.link) {
      unsafe try body(tape.name(at: index), JSONNode(index: index + 1))
      index = unsafe tape.indexAfter(index + 1)
    }
  }

  /// Calls `body` with each element, in order.
  package func forEachElement<Failure: Error>(
    of node: JSONNode,
    _ body: (JSONNode) throws(Failure) -> Void
  ) throws(Failure) {
    let array = expect(.array, node)
    var index = node.index + 1
    while index < Int(array.link) {
      try body(JSONNode(index: index))
      index = unsafe tape.indexAfter(index)
    }
  }
}

/// What is left of an array or an object that is gone through one value at a time.
package struct JSONChildren {
  fileprivate var next: Int
  fileprivate let end: Int
  fileprivate let hasNames: Bool
}

extension JSONDocument {
  /// The elements or members of a container; none of any other value.
  package func children(of node: JSONNode) -> JSONChildren {
    let entry = entry(node)
    let isContainer = entry.kind == .array || entry.kind == .object
    return JSONChildren(
      next: node.index + 1,
      end: isContainer ? Int(entry.link) : 0,
      hasNames: entry.kind == .object
    )
  }

  /// The next value, and the unescaped name of a member.
  package func next(_ children: inout JSONChildren) -> (name: String?, value: JSONNode)? {
    guard children.next < children.end else { return nil }
    let tape = unsafe tape
    let value = children.next + (children.hasNames ? 1 : 0)
    let name =
      unsafe children.hasNames
      ? String(decoding: tape.name(at: children.next), as: UTF8.self) : nil
    children.next = unsafe tape.indexAfter(value)
    return (name, JSONNode(index: value))
  }
}

// MARK: - Scalars

extension JSONDocument {
  /// Lends the unescaped UTF-8 of a string.
  package func withText<Answer, Failure: Error>(
    of node: JSONNode,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let string = expect(.string, node)
    let raw = unsafe tape.raw(at: node.index)
    guard string.flags & JSONTapeEntry.hasEscapes != 0 else { return unsafe try body(raw) }
    guard !isScratchInUse else {
      var inner = ByteStore(capacity: raw.count)
      return unsafe try Self.unescape(raw, into: &inner, body)
    }
    isScratchInUse = true
    defer { isScratchInUse = false }
    scratch.removeAll()
    let target = unsafe scratch.reserve(raw.count)
    let count = unsafe JSONEscapes.unescape(raw, to: target)
    return unsafe try body(UnsafeRawBufferPointer(start: target, count: count))
  }

  private static func unescape<Answer, Failure: Error>(
    _ raw: UnsafeRawBufferPointer,
    into store: inout ByteStore,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let target = unsafe store.reserve(raw.count)
    let count = unsafe JSONEscapes.unescape(raw, to: target)
    return unsafe try body(UnsafeRawBufferPointer(start: target, count: count))
  }

  /// The text of a string.
  package func text(of node: JSONNode) -> String {
    unsafe withText(of: node) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// How many bytes a string has between its quotes, escapes as they were written.
  package func writtenSize(ofText node: JSONNode) -> Int {
    _ = expect(.string, node)
    return unsafe tape.raw(at: node.index).count
  }

  /// The digits of a number as they were written; valid until the document parses again.
  package func numberLiteral(of node: JSONNode) -> UnsafeRawBufferPointer {
    _ = expect(.number, node)
    return unsafe tape.raw(at: node.index)
  }

  /// The number as a 64-bit integer; `nil` when it has a fraction, does not fit, or is no number.
  package func int64(of node: JSONNode) -> Int64? {
    let number = entry(node)
    guard number.kind == .number else { return nil }
    let digits = unsafe tape.raw(at: node.index)
    if number.flags & JSONTapeEntry.isPlainInteger != 0, number.length <= 18 {
      return unsafe JSONDigits.integer(digits)
    }
    return unsafe DecimalForm(digits)?.int64
  }

  /// The nearest double; `nil` when it is not finite, or `node` is no number.
  package func double(of node: JSONNode) -> Double? {
    let number = entry(node)
    guard number.kind == .number else { return nil }
    return unsafe JSONDigits.double(tape.raw(at: node.index))
  }

  /// The value of a boolean; `nil` for every other value.
  package func boolean(of node: JSONNode) -> Bool? {
    let entry = entry(node)
    guard entry.kind == .boolean else { return nil }
    return entry.flags & JSONTapeEntry.isTrue != 0
  }
}

// MARK: - Whole values

extension JSONDocument {
  /// The value as a value of its own, independent of the document.
  package func value(of node: JSONNode) -> JSONValue {
    switch kind(of: node) {
    case .null: return .null
    case .boolean: return .boolean(boolean(of: node) == true)
    case .number:
      let literal = unsafe String(decoding: numberLiteral(of: node), as: UTF8.self)
      return .number(JSONNumber(checked: literal))
    case .string: return .string(text(of: node))
    case .array:
      var elements: [JSONValue] = []
      elements.reserveCapacity(count(of: node))
      forEachElement(of: node) { elements.append(value(of: $0)) }
      return .array(elements)
    case .object:
      var members: [JSONObject.Member] = []
      members.reserveCapacity(count(of: node))
      unsafe forEachMember(of: node) { name, member in
        let name = unsafe String(decoding: name, as: UTF8.self)
        members.append(JSONObject.Member(name: name, value: value(of: member)))
      }
      return .object(JSONObject(distinct: members))
    }
  }

  /// The value in its canonical spelling.
  package func canonicalBytes(of node: JSONNode) -> [UInt8] {
    if let plain = unsafe canonicalSource(of: node) { return unsafe Array(plain) }
    var writer = JSONWriter()
    write(node, to: &writer)
    return writer.finished()
  }

  /// Whether the canonical spelling of a value is these bytes.
  package func isSpelled(_ bytes: [UInt8], at node: JSONNode) -> Bool {
    guard let plain = unsafe canonicalSource(of: node) else {
      return canonicalBytes(of: node) == bytes
    }
    return unsafe bytes.withUnsafeBytes { unsafe JSONParser.order($0, plain) == 0 }
  }

  /// The bytes of a scalar as they were read, where they are canonical.
  private func canonicalSource(of node: JSONNode) -> UnsafeRawBufferPointer? {
    let entry = entry(node)
    let (offset, length) = (Int(entry.offset), Int(entry.length))
    switch entry.kind {
    case .null, .boolean, .number:
      return unsafe UnsafeRawBufferPointer(start: source + offset, count: length)
    case .string:
      if entry.flags & JSONTapeEntry.hasEscapes != 0,
        unsafe !JSONEscapes.areCanonical(in: tape.raw(at: node.index))
      {
        return nil
      }
      return unsafe UnsafeRawBufferPointer(start: source + offset - 1, count: length + 2)
    case .array, .object: return nil
    }
  }

  /// Writes the value in its canonical spelling.
  package func write(_ node: JSONNode, to writer: inout JSONWriter) {
    if let plain = unsafe canonicalSource(of: node) { return unsafe writer.raw(plain) }
    switch kind(of: node) {
    case .null, .boolean, .number: preconditionFailure("they have one spelling")
    case .string: unsafe withText(of: node) { unsafe writer.string(wellFormed: $0) }
    case .array:
      writer.beginArray()
      forEachElement(of: node) { write($0, to: &writer) }
      writer.endArray()
    case .object:
      writer.beginObject()
      writeMembers(of: node, to: &writer)
      writer.endObject()
    }
  }

  private func writeMembers(of node: JSONNode, to writer: inout JSONWriter) {
    for index in sortedNames(of: node) { writeMember(at: index, to: &writer) }
  }

  private func writeMember(at index: Int, to writer: inout JSONWriter) {
    unsafe writer.name(wellFormed: tape.name(at: index))
    write(JSONNode(index: index + 1), to: &writer)
  }

  /// The places of an object's names on the tape, in the order of their bytes.
  private func sortedNames(of node: JSONNode) -> [Int] {
    var names: [Int] = []
    names.reserveCapacity(count(of: node))
    let tape = unsafe tape
    var isSorted = true
    unsafe forEachMember(of: node) { name, member in
      let index = member.index - 1
      if let last = names.last, unsafe JSONParser.order(tape.name(at: last), name) > 0 {
        isSorted = false
      }
      names.append(index)
    }
    if isSorted { return names }
    return names.sorted { unsafe JSONParser.order(tape.name(at: $0), tape.name(at: $1)) < 0 }
  }
}
