#if PCRE2
import Patterns
import Testing

/// Where backtracking reaches its limit, PCRE2 matches without it.
struct BacktrackingTests {
  @Test(arguments: [
    "^[a-z0-9]+(?:-[a-z0-9]+)*$", "^usr_[0-9A-HJKMNP-TV-Z]{16}$", "\\.jpe?g$", "^[BYG]{5}$", "",
    "^(appearance|nose|palate|finish)$", "^\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?$", ".*", "^.{1,5}$",
    "a|^b|c$", "^[^/]+$", "^\\W\\D\\w\\d$", "x{0}y{2,}z{1,3}?", "^$", "^a?b?c?$", "(a|(b|c)*)+d",
    "^(?:a+)+b$", "[-a]", "[a-]", "[.]", "\\/", "[\\]\\\\]", "\\p{L}", "\\bfoo", "é", "\\s",
    "[^\\s]",
    "\\u0041", "a^", "(^a)", "$a", "[\\D]",
  ])
  func `a regular pattern is decided without backtracking`(source: String) throws {
    let pattern = try Pattern(source)
    for text in ["", "a", "foo", "usr_0000000000000000", "a-1.jpeg", "é €"] {
      #expect(
        try pattern.matchesWithoutBacktracking(text) == pattern.matches(text),
        "\(source) on \(text)"
      )
    }
  }

  @Test(arguments: ["(?=a)a", "(?!a)b", "(?<=a)b", "(a)\\1", "^(([a-z]{1,9}){1,9}){1,9}[-_]$"])
  func `look-around, references and very many ways need backtracking`(source: String) throws {
    let text = String(repeating: "a", count: 200) + "b"
    #expect(throws: PatternError.tooHard(pattern: source)) {
      try Pattern(source).matchesWithoutBacktracking(text)
    }
  }

  @Test(arguments: 0..<40)
  func `matching with and without backtracking agrees on every text`(seed: Int) throws {
    var maker = PatternMaker(state: UInt64(seed) &* 7_919 &+ 13)
    var decided = 0
    for _ in 0..<40 {
      let source = maker.pattern()
      let pattern = try Pattern(source)
      for _ in 0..<25 {
        let text = maker.text()
        guard let found = try? pattern.matchesWithoutBacktracking(text) else { continue }
        decided += 1
        #expect(
          try pattern.matches(text) == found,
          "seed \(seed): \(source) on \(text.debugDescription)"
        )
      }
    }
    #expect(decided > 900)
  }

  @Test(arguments: ["^(?:(a+)+)+b$|^(a|aa)+c$", "(?:(a+)+)+[bc]", "^(?:\\p{L}+\\s?)*$"])
  func `a long text is decided, however deep a regular pattern nests`(source: String) throws {
    let text = String(repeating: "a", count: 100_000)
    #expect(try !Pattern(source).matches(text + "!"))
    #expect(try Pattern(source).matches(text + "b"))
  }
}
#endif
