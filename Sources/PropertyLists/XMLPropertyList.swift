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
  private var nodeCount = 0
  private(set) var notes: [PropertyListNote] = []

  init(_ reader: XMLEventReader, limits: PropertyListLimits) {
    self.reader = reader
    self.limits = limits
  }

  /// Reads a document from its first to its last byte.
  mutating func document() throws(PropertyListError) -> PropertyList {
    guard case .start(let name)? = try part() else { throw refused("it has no value") }
    let value = try root(name)
    // libxml2 refuses whatever follows the root; this lets it look.
    guard try part() == nil else { throw refused("something follows the value") }
    return value
  }

  /// Reads the element that just began: `plist`, or a value.
  mutating func root(_ name: String) throws(PropertyListError) -> PropertyList {
    guard name == "plist" else { return try value(name, depth: 0) }
    guard case .start(let inner)? = try part() else {
      throw refused("its plist element holds no value")
    }
    let value = try value(inner, depth: 0)
    guard case .end? = try part() else { throw refused("its plist element holds two values") }
    return value
  }
}

// MARK: - Containers

extension XMLPropertyList {
  /// A start or an end; the white space before it is passed over.
  private enum Part {
    case start(String)
    case end
  }

  private func part() throws(PropertyListError) -> Part? {
    while let event = try event() {
      switch event {
      case .start(let name, _): return .start(name)
      case .end: return .end
      case .text(let text):
        guard text.allSatisfy(Self.isSpace) else { throw refused("text between two elements") }
      }
    }
    return nil
  }

  private mutating func value(
    _ name: String,
    depth: Int
  ) throws(PropertyListError) -> PropertyList {
    nodeCount += 1
    guard nodeCount <= limits.nodeCount else {
      throw .beyondLimit("more than \(limits.nodeCount) values")
    }
    guard depth <= limits.depth else {
      throw .beyondLimit("containers lie more than \(limits.depth) deep")
    }
    switch name {
    case "dict": return try dictionary(depth: depth)
    case "array":
      var elements: [PropertyList] = []
      while case .start(let inner)? = try part() {
        elements.append(try value(inner, depth: depth + 1))
      }
      return .array(elements)
    case "true", "false":
      guard case .end? = try part() else { throw refused("an element inside of \(name)") }
      return .boolean(name == "true")
    default: return try leaf(name)
    }
  }

  private mutating func dictionary(depth: Int) throws(PropertyListError) -> PropertyList {
    var members = MemberList()
    while case .start(let element)? = try part() {
      guard element == "key" else { throw refused("a “\(element)” where a key belongs") }
      let line = reader.line
      let name = try string()
      guard case .start(let inner)? = try part() else {
        throw refused("the key “\(name.prefix(60))” has no value")
      }
      let value = try value(inner, depth: depth + 1)
      if let dropped = members.append(name: name, value: value) {
        notes.append(.repeatedName(name, dropped: dropped, place: "line \(line)"))
      }
    }
    let found = members.members
    if found.count == 1, found[0].name == "CF$UID", case .integer(let number) = found[0].value,
      let uid = Int(exactly: number), uid >= 0
    {
      return .uid(uid)
    }
    return .dictionary(found)
  }

  private func event() throws(PropertyListError) -> XMLEvent? {
    do throws(XMLError) {
      return try reader.next()
    } catch {
      throw .malformedXML(error)
    }
  }

  private func text() throws(PropertyListError) -> [UInt8] {
    do throws(XMLError) {
      return try reader.text(limit: .max)
    } catch {
      throw .malformedXML(error)
    }
  }

  private func string() throws(PropertyListError) -> String {
    do throws(XMLError) {
      return try reader.string(limit: .max)
    } catch {
      throw .malformedXML(error)
    }
  }

  private func refused(_ reason: String) -> PropertyListError {
    .malformedXML(reader.unexpected(reason))
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}

// MARK: - Leaves

extension XMLPropertyList {
  private mutating func leaf(_ name: String) throws(PropertyListError) -> PropertyList {
    if name == "string" { return .string(try string()) }
    guard name == "integer" || name == "real" || name == "date" || name == "data" else {
      throw refused("“\(name.prefix(60))” is no element of property lists")
    }
    let line = reader.line
    let text = try text()
    if name == "data" {
      guard let bytes = Base64.bytes(text) else { throw refused("data that is not base 64") }
      return .data(bytes)
    }
    let trimmed = text.trimmed(where: Self.isSpace)
    switch name {
    case "integer":
      if let value = NumberText.integer(trimmed) { return value }
    case "real":
      if let (value, isExact) = NumberText.real(trimmed) {
        if !isExact {
          let words = String(decoding: trimmed.prefix(60), as: UTF8.self)
          notes.append(.realBeyondDouble(words, place: "line \(line)"))
        }
        return .real(value)
      }
    default:
      if let seconds = ReferenceDate.seconds(text: trimmed) {
        return .date(secondsSinceReferenceDate: seconds)
      }
    }
    let words = String(decoding: trimmed.prefix(60), as: UTF8.self)
    throw refused("“\(words)” is not \(name == "date" ? "a date" : "a number") as it stands")
  }
}

extension [UInt8] {
  /// The elements without those at both ends that are passed over.
  fileprivate func trimmed(where isPassedOver: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    var slice = self[...]
    while let last = slice.last, isPassedOver(last) { slice.removeLast() }
    return slice.drop(while: isPassedOver)
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
