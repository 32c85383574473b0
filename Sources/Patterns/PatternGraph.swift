/// A pattern as a graph of places, each waiting for one byte or leading on to others.
struct PatternGraph {
  /// What a place does.
  private enum Place {
    case byte(ByteClass, next: Int)
    case fork([Int])
    /// The pattern is found when the text ends here.
    case end
    /// The pattern is found.
    case found
  }

  private var places: [Place] = [.end, .found]
  private(set) var start = 0
  private let scalars: [UInt8]
  private var position = 0
  private var depth = 0

  private static let mostPlaces = 1_000
  private static let mostRepetitions = 200
  private static let greatestDepth = 20

  /// Reads a well-formed pattern; `nil` when it has anything in it that is not known here.
  init?(_ pattern: String) {
    scalars = Array(pattern.utf8)
    guard let root = disjunction(), position == scalars.count, let start = build(root) else {
      return nil
    }
    self.start = start
  }

  // MARK: Walking

  func isFound(_ place: Int) -> Bool { place == 1 }
  func mayEnd(_ place: Int) -> Bool { place <= 1 }

  /// The places that can be reached without a byte, in order.
  func closure(of start: [Int]) -> [Int] {
    var seen: Set<Int> = []
    var waiting = start
    while let next = waiting.popLast() {
      guard seen.insert(next).inserted else { continue }
      if case .fork(let ways) = places[next] { waiting += ways }
    }
    return seen.filter { if case .fork = places[$0] { false } else { true } }.sorted()
  }

  func step(_ set: [Int], over byte: UInt8) -> [Int] {
    var next: [Int] = []
    for place in set {
      if case .byte(let bytes, let target) = places[place], bytes.contains(byte) {
        next.append(target)
      }
    }
    return next.isEmpty ? [] : closure(of: next)
  }

  /// The bytes that no place tells apart, together.
  func byteClasses() -> [[UInt8]] {
    var groups = [ByteClass(UInt8.min...UInt8.max)]
    var seen: Set<ByteClass> = []
    for place in places {
      guard case .byte(let bytes, _) = place, seen.insert(bytes).inserted else { continue }
      groups = groups.flatMap { [$0.intersection(bytes), $0.subtracting(bytes)] }
      groups.removeAll(where: \.isEmpty)
    }
    return groups.map(\.bytes)
  }

  // MARK: Reading

  /// A part of a pattern.
  private indirect enum Part {
    case bytes(ByteClass)
    case sequence([Part])
    case either([Part])
    case many(Part, least: Int, most: Int?)
    case textBegins
    case textEnds
  }

  private var next: UInt8? { position < scalars.count ? scalars[position] : nil }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func disjunction() -> Part? {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.greatestDepth else { return nil }
    var alternatives: [Part] = []
    repeat {
      guard let part = alternative() else { return nil }
      alternatives.append(part)
    } while take("|")
    return .either(alternatives)
  }

  /// Reads one alternative; only the outermost may be tied to the text's begin and end.
  private mutating func alternative() -> Part? {
    var parts: [Part] = []
    let isOutermost = depth == 1
    if isOutermost { parts.append(take("^") ? .textBegins : .sequence([])) }
    while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
      if take("$") {
        let isLast = next == nil || next == UInt8(ascii: "|")
        guard isOutermost, isLast else { return nil }
        parts.append(.textEnds)
        break
      }
      guard let atom = atom(byte), let part = quantified(atom) else { return nil }
      parts.append(part)
    }
    return .sequence(parts)
  }

  private mutating func atom(_ byte: UInt8) -> Part? {
    position += 1
    switch byte {
    case UInt8(ascii: "("):
      if next == UInt8(ascii: "?") {
        position += 1
        guard take(":") else { return nil }
      }
      guard let inner = disjunction(), take(")") else { return nil }
      return inner
    case UInt8(ascii: "["): return characterClass()
    case UInt8(ascii: "."):
      return .either([.bytes(.lineTerminators.inverted)] + Self.beyondASCII(true))
    case UInt8(ascii: "\\"):
      guard let bytes = escape(isInClass: false) else { return nil }
      return Self.part(bytes.0, isInverted: bytes.isInverted)
    case 0x80..., UInt8(ascii: "^"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"),
      UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "]"):
      return nil
    default: return .bytes(ByteClass(byte...byte))
    }
  }

  private mutating func escape(isInClass: Bool) -> (ByteClass, isInverted: Bool)? {
    guard let letter = next, letter < 0x80 else { return nil }
    position += 1
    switch Unicode.Scalar(letter) {
    case "d": return (.digits, false)
    case "D" where !isInClass: return (.digits, true)
    case "w": return (.wordCharacters, false)
    case "W" where !isInClass: return (.wordCharacters, true)
    case "t": return (ByteClass(0x09...0x09), false)
    case "n": return (ByteClass(0x0A...0x0A), false)
    case "v": return (ByteClass(0x0B...0x0B), false)
    case "f": return (ByteClass(0x0C...0x0C), false)
    case "r": return (ByteClass(0x0D...0x0D), false)
    case "-" where isInClass, "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|",
      "/":
      return (ByteClass(letter...letter), false)
    default: return nil
    }
  }

  private mutating func characterClass() -> Part? {
    let isInverted = take("^")
    var bytes = ByteClass()
    while let byte = next, byte != UInt8(ascii: "]") {
      guard let low = classAtom() else { return nil }
      guard take("-") else {
        bytes.formUnion(low)
        continue
      }
      if next == UInt8(ascii: "]") {
        bytes.formUnion(low)
        bytes.formUnion(ByteClass(0x2D...0x2D))
        continue
      }
      guard let high = classAtom(), let first = low.onlyByte, let last = high.onlyByte,
        first <= last
      else { return nil }
      bytes.formUnion(ByteClass(first...last))
    }
    guard take("]") else { return nil }
    return Self.part(bytes, isInverted: isInverted)
  }

  private mutating func classAtom() -> ByteClass? {
    guard let byte = next, byte < 0x80 else { return nil }
    position += 1
    if byte == UInt8(ascii: "\\") { return escape(isInClass: true)?.0 }
    return ByteClass(byte...byte)
  }

  private mutating func quantified(_ part: Part) -> Part? {
    var part = part
    switch next {
    case UInt8(ascii: "*"): part = .many(part, least: 0, most: nil)
    case UInt8(ascii: "+"): part = .many(part, least: 1, most: nil)
    case UInt8(ascii: "?"): part = .many(part, least: 0, most: 1)
    case UInt8(ascii: "{"):
      position += 1
      guard let least = number() else { return nil }
      var most: Int? = least
      if take(",") {
        most = nil
        if next != UInt8(ascii: "}") {
          guard let number = number() else { return nil }
          most = number
        }
      }
      guard next == UInt8(ascii: "}"), most.map({ $0 >= least }) ?? true else { return nil }
      part = .many(part, least: least, most: most)
    default: return part
    }
    position += 1
    // A reluctant quantifier finds the same texts.
    _ = take("?")
    return part
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let byte = next, byte >= 0x30, byte <= 0x39 {
      value = (value ?? 0) * 10 + Int(byte - 0x30)
      position += 1
      guard value ?? 0 <= Self.mostRepetitions else { return nil }
    }
    return value
  }

  // MARK: Bytes beyond ASCII

  private static func part(_ bytes: ByteClass, isInverted: Bool) -> Part {
    isInverted ? .either([.bytes(bytes.inverted)] + beyondASCII(false)) : .bytes(bytes)
  }

  /// Every code point of more than one byte; without U+2028 and U+2029 when lines end there.
  private static func beyondASCII(_ isWithoutLineTerminators: Bool) -> [Part] {
    let trail = Part.bytes(ByteClass(0x80...0xBF))
    let two = Part.sequence([.bytes(ByteClass(0xC2...0xDF)), trail])
    let four = Part.sequence([.bytes(ByteClass(0xF0...0xF4)), trail, trail, trail])
    guard isWithoutLineTerminators else {
      return [two, .sequence([.bytes(ByteClass(0xE0...0xEF)), trail, trail]), four]
    }
    var leads = ByteClass(0xE0...0xE1)
    leads.formUnion(ByteClass(0xE3...0xEF))
    var last = ByteClass(0x80...0xA7)
    last.formUnion(ByteClass(0xAA...0xBF))
    let lead = Part.bytes(ByteClass(0xE2...0xE2))
    return [
      two, .sequence([.bytes(leads), trail, trail]),
      .sequence([lead, .bytes(ByteClass(0x81...0xBF)), trail]),
      .sequence([lead, .bytes(ByteClass(0x80...0x80)), .bytes(last)]), four,
    ]
  }

  // MARK: Building

  private mutating func add(_ place: Place) -> Int? {
    guard places.count < Self.mostPlaces else { return nil }
    places.append(place)
    return places.count - 1
  }

  /// Adds the places of a whole pattern and gives the first.
  private mutating func build(_ root: Part) -> Int? {
    guard case .either(let alternatives) = root else { return nil }
    var ways: [Int] = []
    for alternative in alternatives {
      guard case .sequence(var parts) = alternative else { return nil }
      var target = 1
      if case .textEnds? = parts.last {
        target = 0
        parts.removeLast()
      }
      var isTied = false
      if case .textBegins? = parts.first { isTied = true }
      guard let first = build(.sequence(Array(parts.dropFirst())), before: target) else {
        return nil
      }
      ways.append(first)
      if !isTied {
        // Bytes may go by before the alternative begins.
        guard let loop = add(.fork([])), let any = add(.byte(ByteClass(0x00...0xFF), next: loop))
        else { return nil }
        places[loop] = .fork([first, any])
        ways[ways.count - 1] = loop
      }
    }
    return add(.fork(ways))
  }

  /// Adds the places of a part that leads on to `target`, and gives the first.
  private mutating func build(_ part: Part, before target: Int) -> Int? {
    switch part {
    case .bytes(let bytes): return add(.byte(bytes, next: target))
    case .textBegins, .textEnds: return nil
    case .sequence(let parts):
      var target = target
      for part in parts.reversed() {
        guard let first = build(part, before: target) else { return nil }
        target = first
      }
      return target
    case .either(let parts):
      var ways: [Int] = []
      for part in parts {
        guard let way = build(part, before: target) else { return nil }
        ways.append(way)
      }
      return add(.fork(ways))
    case .many(let part, let least, let most): return build(part, least, most, before: target)
    }
  }

  private mutating func build(
    _ part: Part,
    _ least: Int,
    _ most: Int?,
    before target: Int
  ) -> Int? {
    var first = target
    if let most {
      // Each of the repetitions that need not be leads on or out.
      for _ in least..<most {
        guard let inner = build(part, before: first), let fork = add(.fork([inner, target])) else {
          return nil
        }
        first = fork
      }
    } else {
      guard let loop = add(.fork([])), let inner = build(part, before: loop) else { return nil }
      places[loop] = .fork([inner, target])
      first = loop
    }
    for _ in 0..<least {
      guard let inner = build(part, before: first) else { return nil }
      first = inner
    }
    return first
  }
}
