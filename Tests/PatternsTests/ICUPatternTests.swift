import Patterns
import Testing

/// Foundation's engine, in the place of PCRE2.
struct ICUPatternTests {
  @Test(arguments: PatternTable.verdicts)
  func `ICU decides by the rules of ECMA-262, or refuses the pattern`(
    pattern: String,
    text: String,
    isFound: Bool
  ) throws {
    do throws(PatternError) {
      let isThere = try ICUPattern(pattern).matches(text)
      #expect(isThere == isFound)
    } catch {
      guard case .unsupported = error else { throw error }
      #expect(PatternTable.refusedByICU.contains { $0.0 == pattern })
    }
  }

  @Test(arguments: PatternTable.refusedByICU)
  func `what ICU decides otherwise is refused by name`(pattern: String, construct: String) {
    #expect(throws: PatternError.unsupported(pattern: pattern, construct: construct)) {
      try ICUPattern(pattern)
    }
    #expect(ICUPattern.isWellFormed(pattern))
  }

  @Test(arguments: PatternTable.malformed)
  func `syntax unknown to ECMA-262 is refused before ICU reads it`(pattern: String) {
    let error = #expect(throws: PatternError.self) { try ICUPattern(pattern) }
    guard case .malformed = error else {
      Issue.record("\(pattern): \(String(describing: error))")
      return
    }
    #expect(!ICUPattern.isWellFormed(pattern))
  }

  @Test(arguments: ["\\p{L}", "\\P{L}", "^[^\\p{Lu}]$", "\\p{sc=Greek}", "\\p{Assigned}"])
  func `a character newer than the tables of PCRE2 is not decided by its properties`(
    pattern: String
  ) {
    // U+1FA77 came with Unicode 15.
    #expect(throws: PatternError.unsettled(pattern: pattern, character: "\u{1FA77}")) {
      try ICUPattern(pattern).matches("a\u{1FA77}")
    }
  }

  @Test func `a newer character is matched by a pattern without properties`() throws {
    #expect(try ICUPattern("^.\u{1FA77}[^a]$").matches("a\u{1FA77}\u{1FA77}"))
  }

  @Test func `an endless match is stopped`() throws {
    let pattern = "^(?=a)(?:(a+)+)+b$|^(a|aa)+c$"
    #expect(throws: PatternError.tooHard(pattern: pattern)) {
      try ICUPattern(pattern).matches(String(repeating: "a", count: 40))
    }
  }

  @Test func `a match that ICU gives up is not taken for one that is not there`() throws {
    // The second alternative matches. ICU does not come to it, and says that nothing was found.
    let pattern = "^(?:(?:(?:(a+)+)+b)|a*)$"
    #expect(throws: PatternError.tooHard(pattern: pattern)) {
      try ICUPattern(pattern).matches(String(repeating: "a", count: 30))
    }
  }

  @Test(arguments: [1_000, 100_000, 500_000, 2_000_000])
  func `a text that is longer than ICU's stack is matched or not decided`(count: Int) throws {
    let text = String(repeating: "ab", count: count / 2)
    for pattern in ["^(?:(a)|(b))*$", "^(?:a|b)*$", "(?:a|b)*b$"] {
      do throws(PatternError) {
        let isThere = try ICUPattern(pattern).matches(text)
        #expect(isThere)
      } catch {
        #expect(error == .tooHard(pattern: pattern))
      }
    }
  }

  @Test(arguments: ["(?=[^b]*)[bc]", "^(?:(?=[^b]*)a)*c$", "(?<x>.)\\k<x>b", "x|(?!a+)b"])
  func `a long text is not decided where each step may read all of it`(pattern: String) throws {
    let text = String(repeating: "a", count: ICUPattern.longestScan + 1)
    #expect(throws: PatternError.tooHard(pattern: pattern)) {
      try ICUPattern(pattern).matches(text)
    }
    #expect(try !ICUPattern(pattern).matches("aaa"))
  }

  @Test(arguments: ["^(?!.*b).*$", "^(?=a)a+$", "(?<=a)a$", "\\ba", "^(a)\\1"])
  func `a long text is decided where one step reads it once`(pattern: String) throws {
    let text = String(repeating: "a", count: 100_000)
    #expect(try ICUPattern(pattern).matches(text))
  }

  @Test func `a deeply nested pattern is refused`() {
    let pattern = String(repeating: "(", count: 10_000) + String(repeating: ")", count: 10_000)
    #expect(throws: PatternError.self) { try ICUPattern(pattern) }
  }

  @Test func `the bytes of a text are matched as the text is`() throws {
    let pattern = try ICUPattern("^a\0🐲$")
    for text in ["a\0🐲", "a\0", "\u{FEFF}a\0🐲"] {
      var copy = text
      let isFound = try copy.withUTF8 { utf8 in
        try unsafe pattern.matches(wellFormed: UnsafeRawBufferPointer(utf8), PatternScratch())
      }
      #expect(isFound == (text == "a\0🐲"))
    }
  }
}
