import Patterns
import Testing

struct PatternTests {
  @Test(arguments: PatternTable.malformed)
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

  #if PCRE2
  @Test(arguments: PatternTable.verdicts)
  func `patterns are read by the rules of ECMA-262`(pattern: String, text: String, isFound: Bool)
    throws
  {
    #expect(try Pattern(pattern).matches(text) == isFound)
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
  #endif

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
