/// What one task needs to match patterns: space for the engine, and the limits it works under.
///
/// Not to be shared between tasks; one serves any number of patterns.
package final class PatternScratch {
  #if PCRE2
  let pcre2: PCRE2Scratch
  #endif
  /// How much of the processor's time ICU may take for one match.
  let timeLimit: Duration
  /// Whether a match was given up since this was last asked.
  package private(set) var hasGivenUp = false

  /// Makes space for matching.
  ///
  /// - Parameters:
  ///   - stepLimit: How many times PCRE2 may try again within one match; a text of more bytes than an
  ///     eighth of these gets eight tries a byte.
  ///   - timeLimit: How much of the processor's time ICU may take for one match, at most 100 milliseconds.
  package init(stepLimit: Int = 1_000_000, timeLimit: Duration = ICUPattern.longestTime) {
    #if PCRE2
    pcre2 = PCRE2Scratch(stepLimit: stepLimit)
    #endif
    self.timeLimit = min(timeLimit, ICUPattern.longestTime)
  }

  /// Notes that a match was given up, so that nothing that depends on it is taken for an answer.
  package func giveUp() { hasGivenUp = true }

  /// Whether a match was given up, and forgets it.
  @inline(__always)
  package func takeGivenUp() -> Bool {
    defer { hasGivenUp = false }
    return hasGivenUp
  }
}
