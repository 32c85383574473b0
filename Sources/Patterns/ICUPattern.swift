import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An ECMA-262 pattern with the `u` flag, compiled once by ICU, which Foundation brings along.
///
/// It is for apps, where PCRE2 is not to be had. What ICU understands otherwise than ECMA-262 is spelled
/// in another way, or refused by name:
///
/// - a back reference to a group that may not have taken part, or within a look-behind;
/// - a look-behind of variable length;
/// - `\p{…}` of a property in which versions of Unicode have different characters.
///
/// ICU itself gives up a match after many steps, and then says that nothing was found. Such a match takes
/// longer than ``longestTime``, and no answer is taken from it but one that something was found.
package final class ICUPattern: PatternEngine {
  package let source: String
  private let expression: NSRegularExpression
  private let review: PatternReview

  /// The most time of the processor that one match may take, a tenth of what ICU itself gives up after.
  package static let longestTime = Duration.milliseconds(100)
  /// How many UTF-16 units a text may have in which one step may read on to the end again and again.
  ///
  /// ICU lets no clock be looked at before 10,000 steps are done.
  package static let longestScan = 16_384

  /// Compiles `source`.
  ///
  /// - Throws: ``PatternError/malformed(pattern:offset:reason:)`` for what ECMA-262 does not allow,
  ///   ``PatternError/unsupported(pattern:construct:)`` for what the engine does not.
  package init(_ source: String) throws(PatternError) {
    self.source = source
    let (spelling, review) = try PatternSyntax.icu(source)
    self.review = review
    // Without the search of ICU, all that is reported while it matches is 10,000 steps.
    let search = review.isPinned ? "" : "[\\x{0}-\\x{10ffff}]*?"
    do {
      expression = try NSRegularExpression(pattern: "\(search)(?:\(spelling))")
    } catch {
      throw .unsupported(pattern: source, construct: "what Foundation's regular expressions lack")
    }
  }

  package func matches(_ text: String) throws(PatternError) -> Bool {
    try matches(text, PatternScratch())
  }

  @unsafe
  package func matches(
    wellFormed utf8: UnsafeRawBufferPointer,
    _ scratch: PatternScratch
  ) throws(PatternError) -> Bool {
    try matches(unsafe String(decoding: utf8, as: UTF8.self), scratch)
  }

  private func matches(_ text: String, _ scratch: PatternScratch) throws(PatternError) -> Bool {
    let count = text.utf16.count
    guard !review.hasRepeatedScans || count <= Self.longestScan else {
      throw .tooHard(pattern: source)
    }
    if review.asksForProperties { try settle(text) }
    var isFound = false
    var isGivenUp = false
    let end = Self.processorTime() + scratch.timeLimit
    unsafe expression.enumerateMatches(
      in: text,
      options: [.anchored, .reportProgress, .reportCompletion],
      range: NSRange(location: 0, length: count)
    ) { match, flags, stop in
      if match != nil { isFound = true }
      if flags.contains(.internalError) || Self.processorTime() > end { isGivenUp = true }
      if isFound || isGivenUp { unsafe stop.pointee = true }
    }
    guard isFound || !isGivenUp && Self.processorTime() <= end else {
      throw .tooHard(pattern: source)
    }
    return isFound
  }

  /// Refuses a text with a character about whose properties versions of Unicode differ.
  ///
  /// What was assigned later than the oldest tables in use are is unassigned in some, and not in others.
  private func settle(_ text: String) throws(PatternError) {
    for character in text.unicodeScalars where character.value >= 0x800 {
      guard let age = character.properties.age, age.major <= UnicodeProperties.settledVersion else {
        throw .unsettled(pattern: source, character: character)
      }
    }
  }

  /// How long the processor has worked for this thread.
  private static func processorTime() -> Duration {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
