/// Reads an ECMA-262 pattern as the `u` flag has it, and spells it for an engine.
///
/// What ECMA-262 does not know is refused, not passed on. Every character that represents itself is
/// spelled so that no engine can see more in it.
///
/// | here | for PCRE2 | for ICU |
/// |---|---|---|
/// | `.` | a class without the four line terminators | the same |
/// | `$` | `\z` | the same |
/// | `\b`, `\B` | the same | look-around for `\w` on one side only, on both or neither |
/// | `\d` `\w` `\s` and their opposites | classes, ASCII except for `\s` | the same |
/// | `[]`, `[^]` | nothing, anything | the same |
/// | `[^…]` | the same | the same without surrogates, at which ICU may begin to look behind |
/// | `\u{…}`, `\uXXXX`, surrogate pairs, `\xXX`, `\cX`, `\0` | `\x{…}` | the same |
/// | `(?<name>…)`, `\k<name>` | numbered groups | the same |
/// | `\1` | `\g{1}` | `(?:\1)`, or refused: see `PatternReview` |
/// | `\p{Letter}`, `\p{Script=Greek}` | `\p{L}`, `\p{sc:Greek}` | `\p{L}`, `\p{sc=Greek}`, or refused |
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
  let engine: Engine
  private let groupsRepeated: Bool
  var review = PatternReview()
  /// The first construct that the engine is not given.
  private var refused: String?

  /// Whom a pattern is spelled for.
  enum Engine { case pcre2, icu }

  private static let maximumDepth = 100
  private static let maximumLength = 20_000
  private static let nothing = "[^\\x{0}-\\x{10ffff}]"
  private static let anything = "[\\x{0}-\\x{10ffff}]"

  /// The PCRE2 spelling of `pattern`.
  ///
  /// PCRE2 counts how often a single character is repeated, and matching without backtracking distinguishes
  /// the counts. With `groupsRepeated`, all that is repeated becomes a group, which has none.
  static func pcre2(
    _ pattern: String,
    groupsRepeated: Bool = false
  ) throws(PatternError) -> String {
    var syntax = Self(pattern, for: .pcre2, groupsRepeated: groupsRepeated)
    try syntax.read()
    return syntax.output
  }

  /// The ICU spelling of `pattern`, and what has to be known before ICU may match it.
  ///
  /// - Throws: ``PatternError/unsupported(pattern:construct:)`` for what ICU decides otherwise.
  static func icu(
    _ pattern: String
  ) throws(PatternError) -> (spelling: String, review: PatternReview) {
    var syntax = Self(pattern, for: .icu, groupsRepeated: false)
    try syntax.read()
    return (syntax.output, syntax.review)
  }

  private init(_ pattern: String, for engine: Engine, groupsRepeated: Bool) {
    self.pattern = pattern
    self.engine = engine
    self.groupsRepeated = groupsRepeated
    scalars = pattern.unicodeScalars.map(\.value)
  }

  private mutating func read() throws(PatternError) {
    guard scalars.count <= Self.maximumLength else {
      throw malformed("more than \(Self.maximumLength) characters")
    }
    try findGroups()
    try disjunction()
    guard position == scalars.count else {
      throw malformed("a closing parenthesis that closes nothing")
    }
    if let refused { throw .unsupported(pattern: pattern, construct: refused) }
  }

  /// Notes what the engine is not given; whether the rest of the pattern is ECMA-262 is still found out.
  mutating func refuse(_ construct: String) {
    if refused == nil { refused = construct }
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
    let start = output.utf8.count
    var hasAlternatives = false
    beginAlternative()
    while let scalar = next, scalar != ")" {
      if scalar == "|" {
        output += "|"
        position += 1
        hasAlternatives = true
        review.forgetGroups(from: start)
        beginAlternative()
      } else {
        try term(scalar)
      }
    }
    if hasAlternatives { review.forgetGroups(from: start) }
    depth -= 1
  }

  private mutating func beginAlternative() {
    if depth == 1, next != "^" { review.isPinned = false }
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
    let begin = output.utf8.count
    var number: Int?
    var isAssertion = true
    let isLookingBehind = follows("(?<=") || follows("(?<!")
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
        number = review.openGroup()
      } else if follows("(?") {
        throw malformed("ECMA-262 knows no group that begins like this")
      } else {
        position += 1
        output += "("
        number = review.openGroup()
      }
    }
    if isAssertion { review.enterAssertion(behind: isLookingBehind) }
    try disjunction()
    guard next == ")" else { throw malformed("the group does not end", at: start) }
    position += 1
    output += ")"
    if isAssertion { review.leaveAssertion(behind: isLookingBehind, from: begin) }
    if let number { review.closeGroup(number, from: begin) }
    return !isAssertion
  }

  /// Reads a quantifier, where one follows, of what begins at a byte of the output.
  private mutating func quantifier(from start: Int) throws(PatternError) {
    guard let mark = next, ["*", "+", "?", "{"].contains(mark) else { return }
    if groupsRepeated {
      output.insert(contentsOf: "(?:", at: output.utf8.index(output.startIndex, offsetBy: start))
      output += ")"
    }
    let counts: PatternReview.Counts
    if mark == "{" {
      counts = try bounds()
    } else {
      counts = PatternReview.Counts(least: mark == "+" ? 1 : 0, most: mark == "?" ? 1 : nil)
      output.unicodeScalars.append(mark)
      position += 1
    }
    review.repeatFrom(start, counts)
    if engine == .icu, review.isLookingBehind, counts.least != counts.most {
      refuse("a look-behind of variable length")
    }
    if next == "?" {
      output += "?"
      position += 1
    }
  }

  private mutating func bounds() throws(PatternError) -> PatternReview.Counts {
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
    if low > 65_535 || high ?? 0 > 65_535 { refuse("a count above 65535") }
    output += high == low ? "{\(low)}" : "{\(low),\(high.map(String.init) ?? "")}"
    return PatternReview.Counts(least: low, most: high)
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

  /// A place between a word's character and another, or its opposite.
  private func boundary(isInverted: Bool) -> String {
    guard engine == .icu else { return isInverted ? "\\B" : "\\b" }
    // ICU's own sees the letters of every script.
    let word = "[\(CodePointSet.wordCharacters.classText)]"
    let (same, other) = isInverted ? ("=", "!") : ("!", "=")
    return "(?:(?<=\(word))(?\(same)\(word))|(?<!\(word))(?\(other)\(word)))"
  }

  private mutating func backReference(_ number: Int) -> String {
    guard engine == .icu else { return "\\g{\(number)}" }
    if review.isLookingBehind {
      refuse("a back reference in a look-behind")
    } else if !review.isTaken(number) {
      // ICU finds no match there, where ECMA-262 matches nothing and goes on.
      refuse("a back reference to a group that may not have taken part")
    }
    review.noteScan(from: output.utf8.count)
    // In a group of its own, so that no digit after it belongs to it.
    return "(?:\\\(number))"
  }

  /// Reads an escape outside a class and says whether a quantifier may follow.
  private mutating func atomEscape() throws(PatternError) -> Bool {
    let start = position
    position += 1
    guard let letter = next else { throw malformed("a backslash at the end", at: start) }
    switch letter {
    case "b", "B":
      position += 1
      output += boundary(isInverted: letter == "B")
      return false
    case "1"..."9":
      let number = decimal() ?? 0
      guard number <= groupCount else { throw malformed("there is no group \(number)", at: start) }
      output += backReference(number)
    case "k":
      position += 1
      guard take("<") else { throw malformed("\\k needs a group's name", at: start) }
      let name = try groupName()
      guard let number = groupNames[name] else {
        throw malformed("there is no group called \(name)", at: start)
      }
      output += backReference(number)
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
    guard isInverted else { return "[\(inside)]" }
    return "[^\(inside)\(engine == .icu ? CodePointSet.surrogatesText : "")]"
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
