/// Reads an ECMA-262 pattern as the `u` flag has it, and spells it for PCRE2.
///
/// What ECMA-262 does not know is refused, not passed on. Every character that represents itself is
/// spelled so that PCRE2 cannot see more in it.
///
/// | here | for PCRE2 |
/// |---|---|
/// | `.` | a class without the four line terminators |
/// | `$` | `\z` |
/// | `\d` `\w` `\s` and their opposites | classes, ASCII except for `\s` |
/// | `[]`, `[^]` | nothing, anything |
/// | `\u{…}`, `\uXXXX`, surrogate pairs, `\xXX`, `\cX`, `\0` | `\x{…}` |
/// | `(?<name>…)`, `\k<name>` | numbered groups |
/// | `\p{Letter}`, `\p{Script=Greek}` | `\p{L}`, `\p{sc:Greek}` |
///
/// https://tc39.es/ecma262/#sec-patterns
struct PatternSyntax {
  let pattern: String
  let scalars: [UInt32]
  var position = 0
  var output = ""
  var depth = 0
  /// How many capturing groups the whole pattern has, and the numbers of the named ones.
  private(set) var groupCount = 0
  private(set) var groupNames: [String: Int] = [:]
  private let groupsRepeated: Bool

  private static let maximumDepth = 100
  private static let maximumLength = 20_000
  private static let nothing = "[^\\x{0}-\\x{10ffff}]"
  private static let anything = "[\\x{0}-\\x{10ffff}]"

  /// The PCRE2 spelling of `pattern`.
  ///
  /// PCRE2 counts how often a single character is repeated, and matching without backtracking distinguishes
  /// the counts. With `groupsRepeated`, all that is repeated becomes a group, which has none.
  static func translate(
    _ pattern: String,
    groupsRepeated: Bool = false
  ) throws(PatternError) -> String {
    var syntax = Self(pattern, groupsRepeated: groupsRepeated)
    guard syntax.scalars.count <= maximumLength else {
      throw syntax.malformed("more than \(maximumLength) characters")
    }
    try syntax.findGroups()
    try syntax.disjunction()
    guard syntax.position == syntax.scalars.count else {
      throw syntax.malformed("a closing parenthesis that closes nothing")
    }
    return syntax.output
  }

  private init(_ pattern: String, groupsRepeated: Bool) {
    self.pattern = pattern
    self.groupsRepeated = groupsRepeated
    scalars = pattern.unicodeScalars.map(\.value)
  }

  func malformed(_ reason: String, at place: Int? = nil) -> PatternError {
    .malformed(pattern: pattern, offset: place ?? position, reason: reason)
  }

  // MARK: Looking

  var next: UnicodeScalar? {
    position < scalars.count ? UnicodeScalar(scalars[position]) : nil
  }

  func follows(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes in
      position + bytes.count <= scalars.count
        && bytes.indices.allSatisfy { unsafe scalars[position + $0] == UInt32(bytes[$0]) }
    }
  }

  mutating func take(_ text: StaticString) -> Bool {
    guard follows(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  // MARK: Groups

  /// Counts the groups beforehand: a reference may appear before the group it means.
  private mutating func findGroups() throws(PatternError) {
    var isInClass = false
    while let scalar = next {
      switch scalar {
      case "\\": position += 1
      case "[": isInClass = true
      case "]": isInClass = false
      case "(" where !isInClass:
        let isNamed = follows("(?<") && !follows("(?<=") && !follows("(?<!")
        guard isNamed || !follows("(?") else { break }
        groupCount += 1
        if isNamed {
          position += 3
          let name = try groupName()
          guard groupNames.updateValue(groupCount, forKey: name) == nil else {
            throw malformed("two groups are called \(name)")
          }
          position -= 1
        }
      default: break
      }
      position += 1
    }
    position = 0
  }

  /// Reads a group's name and the `>` after it.
  private mutating func groupName() throws(PatternError) -> String {
    var name = ""
    while let scalar = next, scalar != ">" {
      let isLetter = scalar == "$" || scalar == "_" || scalar.properties.isIDStart
      guard isLetter || !name.isEmpty && scalar.properties.isIDContinue else {
        throw malformed("a group's name is made of letters, digits, _ and $")
      }
      name.unicodeScalars.append(scalar)
      position += 1
    }
    guard next == ">", !name.isEmpty else { throw malformed("a group's name does not end") }
    position += 1
    return name
  }

  // MARK: Terms

  private mutating func disjunction() throws(PatternError) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw malformed("more than \(Self.maximumDepth) groups inside each other")
    }
    while let scalar = next, scalar != ")" {
      if scalar == "|" {
        output += "|"
        position += 1
      } else {
        try term(scalar)
      }
    }
    depth -= 1
  }

  private mutating func term(_ scalar: UnicodeScalar) throws(PatternError) {
    let start = output.utf8.count
    switch scalar {
    case "^":
      output += "^"
      position += 1
    case "$":
      output += "\\z"
      position += 1
    case "(":
      if try group() { try quantifier(from: start) }
    case ".":
      output += "[\(CodePointSet.lineTerminators.inverted.classText)]"
      position += 1
      try quantifier(from: start)
    case "[":
      position += 1
      output += try characterClass()
      try quantifier(from: start)
    case "\\":
      if try atomEscape() { try quantifier(from: start) }
    case "*", "+", "?":
      throw malformed("a quantifier with nothing before it")
    case "{", "}", "]":
      throw malformed("a \(scalar) must be escaped")
    default:
      output += CodePointSet.spelled(scalar.value)
      position += 1
      try quantifier(from: start)
    }
  }

  /// Reads a group and says whether a quantifier may follow: none may after an assertion.
  private mutating func group() throws(PatternError) -> Bool {
    let start = position
    var isAssertion = true
    if take("(?=") {
      output += "(?="
    } else if take("(?!") {
      output += "(?!"
    } else if take("(?<=") {
      output += "(?<="
    } else if take("(?<!") {
      output += "(?<!"
    } else {
      isAssertion = false
      if take("(?:") {
        output += "(?:"
      } else if take("(?<") {
        _ = try groupName()
        output += "("
      } else if follows("(?") {
        throw malformed("ECMA-262 knows no group that begins like this")
      } else {
        position += 1
        output += "("
      }
    }
    try disjunction()
    guard next == ")" else { throw malformed("the group does not end", at: start) }
    position += 1
    output += ")"
    return !isAssertion
  }

  /// Reads a quantifier, where one follows, of what begins at a byte of the output.
  private mutating func quantifier(from start: Int) throws(PatternError) {
    guard let mark = next, ["*", "+", "?", "{"].contains(mark) else { return }
    if groupsRepeated {
      output.insert(contentsOf: "(?:", at: output.utf8.index(output.startIndex, offsetBy: start))
      output += ")"
    }
    if mark == "{" {
      try bounds()
    } else {
      output.unicodeScalars.append(mark)
      position += 1
    }
    if next == "?" {
      output += "?"
      position += 1
    }
  }

  private mutating func bounds() throws(PatternError) {
    let start = position
    position += 1
    guard let low = decimal() else { throw malformed("a { must be escaped", at: start) }
    var high: Int? = low
    if next == "," {
      position += 1
      high = decimal()
    }
    guard next == "}" else { throw malformed("a { must be escaped", at: start) }
    position += 1
    if let high, high < low { throw malformed("the bounds are out of order", at: start) }
    guard low <= 65_535, high ?? 0 <= 65_535 else {
      throw .unsupported(pattern: pattern, reason: "a count above 65535")
    }
    output += high == low ? "{\(low)}" : "{\(low),\(high.map(String.init) ?? "")}"
  }

  /// Reads decimal digits; `nil` when they do not exist.
  ///
  /// Large numbers saturate.
  mutating func decimal() -> Int? {
    var value: Int?
    while let scalar = next, ("0"..."9").contains(scalar) {
      value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), 1_000_000)
      position += 1
    }
    return value
  }

  // MARK: Escapes

  /// Reads an escape outside a class and says whether a quantifier may follow.
  private mutating func atomEscape() throws(PatternError) -> Bool {
    let start = position
    position += 1
    guard let letter = next else { throw malformed("a backslash at the end", at: start) }
    switch letter {
    case "b", "B":
      position += 1
      output += "\\\(letter)"
      return false
    case "1"..."9":
      let number = decimal() ?? 0
      guard number <= groupCount else { throw malformed("there is no group \(number)", at: start) }
      output += "\\g{\(number)}"
    case "k":
      position += 1
      guard take("<") else { throw malformed("\\k needs a group's name", at: start) }
      let name = try groupName()
      guard let number = groupNames[name] else {
        throw malformed("there is no group called \(name)", at: start)
      }
      output += "\\g{\(number)}"
    default:
      if let text = try classEscape() {
        output += text.isEmpty ? Self.nothing : "[\(text)]"
      } else {
        let text = CodePointSet([try characterEscape()].map { $0...$0 }).classText
        output += text.isEmpty ? Self.nothing : text
      }
    }
    return true
  }

  // MARK: Classes

  /// Reads a class after its bracket and gives it in PCRE2's spelling.
  private mutating func characterClass() throws(PatternError) -> String {
    let start = position - 1
    let isInverted = take("^")
    var inside = ""
    while let scalar = next, scalar != "]" {
      let place = position
      let low = try classAtom()
      let isRange = follows("-") && position + 1 < scalars.count && scalars[position + 1] != 0x5D
      guard isRange else {
        inside += low.text
        continue
      }
      position += 1
      let high = try classAtom()
      guard let from = low.codePoint, let to = high.codePoint else {
        throw malformed("a range between classes", at: place)
      }
      guard from <= to else { throw malformed("the range is out of order", at: place) }
      inside += CodePointSet([from...to]).classText
      _ = scalar
    }
    guard next == "]" else { throw malformed("the class does not end", at: start) }
    position += 1
    if inside.isEmpty { return isInverted ? Self.anything : Self.nothing }
    return "[\(isInverted ? "^" : "")\(inside)]"
  }

  /// One member of a class: a code point, or a class of its own.
  private mutating func classAtom() throws(PatternError) -> (codePoint: UInt32?, text: String) {
    guard let scalar = next else { throw malformed("the class does not end") }
    var codePoint = scalar.value
    position += 1
    if scalar == "\\" {
      if next == "b" || next == "-" {
        codePoint = next == "b" ? 0x08 : 0x2D
        position += 1
      } else if let text = try classEscape() {
        return (nil, text)
      } else {
        codePoint = try characterEscape()
      }
    }
    return (codePoint, CodePointSet([codePoint...codePoint]).classText)
  }
}
