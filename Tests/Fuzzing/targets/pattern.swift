import Patterns

extension FuzzTarget {
  /// The input up to its first line end is a pattern, the rest a subject.
  ///
  /// The pattern may be refused, and the match may meet its limit; nothing else may happen. Both engines, and
  /// both ways of matching of PCRE2, give the same answer.
  static let pattern = FuzzTarget("pattern") { input, report in
    let end = input.firstIndex(of: 0x0A) ?? input.count
    let source = String(decoding: input[..<end], as: UTF8.self)
    let subject = String(decoding: input[min(end + 1, input.count)...], as: UTF8.self)
    do throws(PatternError) {
      let pattern = try Pattern(source)
      report.expect(Pattern.isWellFormed(source), "a pattern compiles that is not well formed")
      let isFound = try pattern.matches(subject)
      if let other = try? ICUPattern(source).matches(subject) {
        report.expect(isFound == other, "by this engine \(isFound), by ICU \(other)")
      }
      #if PCRE2
      if let other = try? pattern.matchesWithoutBacktracking(subject) {
        report.expect(isFound == other, "with backtracking \(isFound), without it \(other)")
      }
      #endif
    } catch {
      report.expectReason(error.description)
    }
  }
}
