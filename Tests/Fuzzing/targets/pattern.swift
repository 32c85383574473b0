// rooms: Patterns
// libraries: libpcre2-8
import Patterns

extension FuzzTarget {
  /// The input up to its first line end is a pattern, the rest a subject.
  ///
  /// The pattern may be refused, and the match may meet its limit; nothing else may happen. A pattern
  /// with a table is found where the engine finds it.
  static let pattern = FuzzTarget("pattern") { input, report in
    let end = input.firstIndex(of: 0x0A) ?? input.count
    let source = String(decoding: input[..<end], as: UTF8.self)
    let subject = String(decoding: input[min(end + 1, input.count)...], as: UTF8.self)
    do throws(PatternError) {
      let pattern = try Pattern(source)
      report.expect(Pattern.isWellFormed(source), "a pattern compiles that is not well formed")
      let isFound = try pattern.matches(subject)
      guard pattern.table != nil else { return }
      let engineFinds = try pattern.engineMatches(subject)
      report.expect(
        isFound == engineFinds,
        "the table says \(isFound), the engine \(engineFinds)"
      )
    } catch {
      report.expectReason(error.description)
    }
  }
}
