import XMLAccess

/// Reads the old-style form of OpenStep, and `.strings` files, which are its dictionaries bare.
///
/// Everything in it is text, data in `< >`, an array in `( )` or a dictionary in `{ }`. GNUstep's
/// typed values are read too: `<*I5>`, `<*R0.5>`, `<*BY>`, `<*D2001-01-01 00:00:00 +0000>`. In a
/// dictionary `name;` represents a name that is its own value.
struct OldStyleReader {
  var scanner: OldStyleScanner
  private let limits: PropertyListLimits
  private var nodeCount = 0
  private(set) var notes: [PropertyListNote] = []

  init(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
    guard let text = UnicodeText.utf8(bytes) else {
      throw .malformedText(line: 1, reason: "its text is neither UTF-8 nor UTF-16 nor UTF-32")
    }
    scanner = OldStyleScanner(text)
    self.limits = limits
  }

  /// Reads from the first to the last byte.
  mutating func document() throws(PropertyListError) -> PropertyList {
    try scanner.skipSpaces()
    let start = scanner
    let value = try value(depth: 0)
    try scanner.skipSpaces()
    if scanner.isAtEnd { return value }
    guard case .string = value, scanner.next == UInt8(ascii: "=") || scanner.next == semicolon
    else { throw scanner.refused("something follows the value") }
    scanner = start
    let members = try members(until: nil, depth: 0)
    return .dictionary(members)
  }

  private let semicolon = UInt8(ascii: ";")

  private mutating func value(depth: Int) throws(PropertyListError) -> PropertyList {
    nodeCount += 1
    guard nodeCount <= limits.nodeCount else {
      throw .beyondLimit("more than \(limits.nodeCount) values")
    }
    guard depth <= limits.depth else {
      throw .beyondLimit("containers lie more than \(limits.depth) deep")
    }
    switch scanner.next {
    case UInt8(ascii: "{"):
      scanner.advance()
      return .dictionary(try members(until: UInt8(ascii: "}"), depth: depth))
    case UInt8(ascii: "("):
      scanner.advance()
      return try array(depth: depth)
    case UInt8(ascii: "<"):
      return try scanner.dataOrTyped()
    default:
      return .string(try text())
    }
  }

  private mutating func array(depth: Int) throws(PropertyListError) -> PropertyList {
    var elements: [PropertyList] = []
    while true {
      try scanner.skipSpaces()
      if scanner.take(UInt8(ascii: ")")) { return .array(elements) }
      elements.append(try value(depth: depth + 1))
      try scanner.skipSpaces()
      if scanner.take(UInt8(ascii: ",")) { continue }
      guard scanner.take(UInt8(ascii: ")")) else {
        throw scanner.refused("a comma or “)” is missing")
      }
      return .array(elements)
    }
  }

  private mutating func members(
    until end: UInt8?,
    depth: Int
  ) throws(PropertyListError) -> [PropertyList.Member] {
    var members = MemberList()
    while true {
      try scanner.skipSpaces()
      if let end, scanner.take(end) { return members.members }
      if end == nil, scanner.isAtEnd { return members.members }
      let place = scanner.placeName
      let name = try text()
      try scanner.skipSpaces()
      var value = PropertyList.string(name)
      if scanner.take(UInt8(ascii: "=")) {
        try scanner.skipSpaces()
        value = try self.value(depth: depth + 1)
        try scanner.skipSpaces()
      }
      if let dropped = members.append(name: name, value: value) {
        notes.append(.repeatedName(name, dropped: dropped, place: place))
      }
      let isLast = end == nil ? scanner.isAtEnd : scanner.next == end
      guard scanner.take(semicolon) || isLast else {
        throw scanner.refused("“;” is missing after the value of “\(name.prefix(60))”")
      }
    }
  }

  private mutating func text() throws(PropertyListError) -> String {
    let place = scanner.placeName
    let (text, hasLoneSurrogate) = try scanner.text()
    if hasLoneSurrogate { notes.append(.loneSurrogate(place: place)) }
    return text
  }
}
