/// Random patterns and texts of few characters, so that they meet.
struct PatternMaker {
  var state: UInt64
  /// What is made of besides the parts of regular patterns.
  var atoms: [String] = []

  mutating func number(_ below: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(below))
  }

  mutating func pattern() -> String {
    let count = number(3) == 0 ? 2 : 1
    return (0..<count).map { _ in
      (number(2) == 0 ? "^" : "") + sequence(2) + (number(2) == 0 ? "$" : "")
    }.joined(separator: "|")
  }

  private mutating func sequence(_ depth: Int) -> String {
    (0..<number(4)).map { _ in atom(depth) + quantifier() }.joined()
  }

  private mutating func atom(_ depth: Int) -> String {
    let atoms =
      [
        "a", "b", "-", "\\.", "[ab]", "[^a]", "[a-c]", "[^a-b-]", ".", "\\d", "\\w", "\\W", "\\D",
        "\\n",
        "[-1]", "[\\w.]",
      ] + self.atoms
    guard depth > 0, number(4) == 0 else { return atoms[number(atoms.count)] }
    let inner = sequence(depth - 1) + (number(2) == 0 ? "|" + sequence(depth - 1) : "")
    return (number(2) == 0 ? "(" : "(?:") + inner + ")"
  }

  private mutating func quantifier() -> String {
    ["", "", "", "*", "+", "?", "{2}", "{1,2}", "{2,}", "{0}", "*?"][number(11)]
  }

  mutating func text() -> String {
    let letters = [
      "a", "b", "c", "-", ".", "1", "\n", "\r", "é", "\u{2028}", "\u{2029}", "€", "🐲", "_",
    ]
    return (0..<number(7)).map { _ in letters[number(letters.count)] }.joined()
  }
}
