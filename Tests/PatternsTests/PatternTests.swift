import Patterns
import Testing

struct PatternTests {
  @Test(
    arguments: [
      ("^a$", "a", true), ("^a$", "a\n", false), ("b", "abc", true), ("", "", true),
      ("^\\d+$", "42", true), ("^\\d+$", "৪২", false), ("^\\p{digit}+$", "৪২", true),
      ("^\\w$", "é", false), ("^\\W$", "é", true), ("^\\s$", "\u{FEFF}", true),
      ("^\\S$", "\u{2003}", false), ("^[\\S]$", "\u{2003}", false), ("^[^\\S]$", "\u{A0}", true),
      ("^.$", "🐲", true), ("^.$", "\u{2028}", false), ("^.$", "\r", false),
      ("^..$", "e\u{301}", true),
      ("^\\cC$", "\u{3}", true), ("^\\u{1F432}$", "🐲", true), ("^\\uD83D\\uDC32$", "🐲", true),
      ("^🐲*$", "🐲🐲", true), ("[]", "a", false), ("^[^]$", "\n", true), ("^[^]$", "🐲", true),
      ("^(?<year>\\d{4})-\\k<year>$", "2024-2024", true), ("^(a)?\\1b$", "b", true),
      ("(?<=a)b", "ab", true), ("(?<!a)b", "ab", false), ("^\\p{Script=Greek}+$", "αβγ", true),
      ("^\\p{Lu}\\P{Lu}$", "Éa", true), ("^[\\p{L}\\p{N} _-]{1,40}$", "Großé 9_-", true),
      ("^[\\w-]+$", "a-b", true), ("^[[:alpha:]+$", "[:", true), ("^a{2,}?$", "aaa", true),
      ("\\bfoo\\b", "a foo b", true), ("^\\x41\\0$", "A\0", true), ("^\\/$", "/", true),
      ("^\\p{ASCII}+$", "abc", true), ("^\\P{ASCII}+$", "abc", false), ("^\\p{LC}+$", "aB", true),
      ("\\uD800", "a", false), ("^[\\uD800-\\uFFFF]$", "\u{E000}", true),
      ("^[^\\uD800]$", "a", true),
      ("^[\\b]$", "\u{8}", true), ("^[a\\-z]$", "-", true), ("^[a-]$", "-", true),
      ("^(?:a|b)+$", "abab", true), ("#", "#", true), ("a b", "a b", true),
      ("^\\p{Emoji_Presentation}$", "🐲", true), ("^\\p{scx=Hira}$", "あ", true),
    ] as [(String, String, Bool)]
  )
  func `patterns are read by the rules of ECMA-262`(pattern: String, text: String, isFound: Bool)
    throws
  {
    #expect(try Pattern(pattern).matches(text) == isFound)
  }

  @Test(arguments: [
    "\\a", "(?P<name>x)", "(?P<n>a)(?P=n)", "(?#comment)a", "(?i)abc", "(?ims)abc", "^(abc]", "(",
    ")", "[", "a**", "a++", "a{2}{3}", "*", "{", "}", "]", "a{2,1}", "a{x}", "\\", "\\1", "(a)\\2",
    "\\k<a>", "(?<a>x)(?<a>y)", "[z-a]", "[\\d-z]", "\\p{Greek}", "\\p{Nope}", "\\pL", "\\u12",
    "\\u{110000}", "\\x1", "\\c1", "\\01", "\\A", "\\Z", "\\z", "\\h", "\\-", "\\_", "(?>a)",
    "(?|a)", "(*ACCEPT)", "(?<=a)*", "(?=a)+", "^*", "\\b+", "a?+", "\\Qa\\E", "(?1)", "(?<1a>x)",
  ])
  func `syntax unknown to ECMA-262 is refused`(pattern: String) {
    let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
    guard case .malformed = error else {
      Issue.record(
        "\(pattern) was refused by the engine, not by its grammar: \(String(describing: error))"
      )
      return
    }
    #expect(!Pattern.isWellFormed(pattern))
  }

  @Test func `a look-behind the engine cannot carry out is still well formed`() {
    #expect(Pattern.isWellFormed("(?<=a+)b"))
    #expect(throws: PatternError.self) { try Pattern("(?<=a+)b") }
  }

  @Test func `an endless pattern match is stopped`() throws {
    let text = String(repeating: "a", count: 40)
    let pattern = "^(?=a)(?:(a+)+)+b$|^(a|aa)+c$"
    #expect(throws: PatternError.tooHard(pattern: pattern)) {
      try Pattern(pattern).matches(text)
    }
  }

  @Test func `long texts do not overflow the engine`() throws {
    let text = String(repeating: "ab", count: 100_000)
    #expect(try Pattern("^(?:a|b)*$").matches(text))
    #expect(try Pattern("^(?:(a)|(b))*$").matches(String(text.prefix(20_000))))
  }

  @Test func `a deeply nested pattern is refused`() {
    let pattern = String(repeating: "(", count: 10_000) + String(repeating: ")", count: 10_000)
    #expect(throws: PatternError.self) { try Pattern(pattern) }
  }

  @Test func `a long pattern is quoted by its beginning`() {
    let pattern = String(repeating: "a", count: 100_000) + "("
    let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
    #expect((error?.description.utf8.count ?? .max) < 400)
  }

  @Test func `a pattern's fault has its place`() {
    #expect(
      throws: PatternError.malformed(
        pattern: "ab\\q",
        offset: 2,
        reason: "\\q is not an escape of ECMA-262"
      )
    ) { try Pattern("ab\\q") }
  }
}
