import ResultGrammar

extension TextPattern {
  /// Reads a written pattern; `slot` gives each field's name its place.
  ///
  /// - Throws: ``GameDescriptionError`` for a pattern that is not well formed.
  init(_ source: String, slot: (String) -> Int) throws(GameDescriptionError) {
    var parser = PatternParser(source: source)
    try parser.sequence(until: [], slot: slot)
    self.source = source
    steps = parser.steps
    setStops()
    starts = firstScalars() ?? []
    let literal = trigger
    if literal.count > 1, literal[0] != 0x20, literal[1] != 0x20 { second = literal[1] }
  }

  /// A field of free text ends before the character that follows it.
  private mutating func setStops() {
    for index in steps.indices {
      guard case .field(let slot, .text, _) = steps[index], index + 1 < steps.count else {
        continue
      }
      guard case .scalar(let scalar) = steps[index + 1] else { continue }
      steps[index] = .field(slot: slot, kind: .text, stop: scalar)
    }
  }
}

/// Reads one written pattern from left to right.
private struct PatternParser {
  let source: String
  let characters: [Unicode.Scalar]
  var place = 0
  var depth = 0
  var steps: [TextPattern.Step] = []

  init(source: String) {
    self.source = source
    characters = Array(source.unicodeScalars)
  }

  private func failure(_ cause: String) -> GameDescriptionError {
    .badPattern(source, at: place, cause: cause)
  }

  mutating func sequence(
    until ends: Set<Unicode.Scalar>,
    slot: (String) -> Int
  ) throws(GameDescriptionError) {
    guard depth < 8 else { throw failure("brackets are nested deeper than eight") }
    while place < characters.count, !ends.contains(characters[place]) {
      let character = characters[place]
      place += 1
      switch character {
      case "[": try optional(slot: slot)
      case "(": try choice(closing: ")", slot: slot)
      case "{": try field(slot: slot)
      case "]", ")", "}", "|": throw failure("\(character) has no partner")
      case "~": steps.append(.anySpace)
      case "\\":
        guard place < characters.count else { throw failure("nothing follows the backslash") }
        literal(characters[place])
        place += 1
      default: literal(character)
      }
    }
  }

  private mutating func literal(_ character: Unicode.Scalar) {
    guard let scalar = NormalText.fold(character.value) else { return }
    guard scalar != 0x20, scalar != 0x0A else {
      if steps.last != .space { steps.append(.space) }
      return
    }
    steps.append(.scalar(scalar))
  }

  private mutating func optional(slot: (String) -> Int) throws(GameDescriptionError) {
    let split = steps.count
    steps.append(.jump(0))
    depth += 1
    try sequence(until: ["]"], slot: slot)
    depth -= 1
    guard place < characters.count else { throw failure("a [ is not closed") }
    place += 1
    steps[split] = .split(split + 1, steps.count)
  }

  private mutating func choice(
    closing: Unicode.Scalar,
    slot: (String) -> Int
  ) throws(GameDescriptionError) {
    var jumps: [Int] = []
    while true {
      let split = steps.count
      steps.append(.jump(split + 1))
      depth += 1
      try sequence(until: ["|", closing], slot: slot)
      depth -= 1
      guard place < characters.count else { throw failure("\(closing) is missing") }
      place += 1
      if characters[place - 1] == closing { break }
      jumps.append(steps.count)
      steps.append(.jump(0))
      steps[split] = .split(split + 1, steps.count)
    }
    for jump in jumps { steps[jump] = .jump(steps.count) }
  }

  private mutating func field(slot: (String) -> Int) throws(GameDescriptionError) {
    var name = ""
    while place < characters.count, !":=?#}".unicodeScalars.contains(characters[place]) {
      name.unicodeScalars.append(characters[place])
      place += 1
    }
    guard !name.isEmpty, place < characters.count else { throw failure("a field has no name") }
    let mark = characters[place]
    place += 1
    let keep: TextPattern.Step
    switch mark {
    case ":":
      try typedField(slot: slot(name))
      return
    case "=": keep = .keepText(slot: slot(name))
    case "?":
      try expect("=")
      keep = .keepFlag(slot: slot(name))
    case "#": keep = .keepNumber(slot: slot(name), try number())
    default: throw failure("the field \(name) has no kind")
    }
    steps.append(.begin)
    try choice(closing: "}", slot: slot)
    steps.append(keep)
  }

  private mutating func expect(_ wanted: Unicode.Scalar) throws(GameDescriptionError) {
    guard place < characters.count, characters[place] == wanted else {
      throw failure("\(wanted) is missing")
    }
    place += 1
  }

  private mutating func number() throws(GameDescriptionError) -> Int64 {
    var digits = ""
    while place < characters.count, characters[place] != "=" {
      digits.unicodeScalars.append(characters[place])
      place += 1
    }
    try expect("=")
    guard let number = Int64(digits) else { throw failure("\(digits) is not a number") }
    return number
  }

  private mutating func typedField(slot: Int) throws(GameDescriptionError) {
    var word = ""
    while place < characters.count, characters[place] != "}" {
      word.unicodeScalars.append(characters[place])
      place += 1
    }
    try expect("}")
    guard let kind = FieldKind(rawValue: word) else {
      throw failure("\(word) is not a kind of field")
    }
    steps.append(.field(slot: slot, kind: kind, stop: nil))
  }
}
