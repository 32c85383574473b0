/// An ECMA-262 pattern with the `u` flag, compiled once by one of the engines.
///
/// A pattern looks anywhere in a text, as JSON Schema wants it; `^` and `$` pin it down.
///
/// The engines give the same verdict, or none: what one of them decides otherwise than ECMA-262, it
/// refuses by name.
package protocol PatternEngine: AnyObject, Sendable {
  /// The pattern as it was written.
  var source: String { get }

  /// Compiles `source`.
  ///
  /// - Throws: ``PatternError/malformed(pattern:offset:reason:)`` for what ECMA-262 does not allow,
  ///   ``PatternError/unsupported(pattern:construct:)`` for what the engine does not.
  init(_ source: String) throws(PatternError)

  /// Says whether the pattern is found in `text`.
  ///
  /// - Throws: ``PatternError/tooHard(pattern:)`` when the limit is reached,
  ///   ``PatternError/unsettled(pattern:character:)`` for a character that versions of Unicode see
  ///   differently.
  func matches(_ text: String) throws(PatternError) -> Bool

  /// Says whether the pattern is found in `utf8`, which must be well-formed UTF-8.
  ///
  /// The engine reads memory that is not its own when the bytes are not well formed; those of a
  /// parsed document are.
  ///
  /// - Throws: ``PatternError/tooHard(pattern:)`` when the limit is reached,
  ///   ``PatternError/unsettled(pattern:character:)`` for a character that versions of Unicode see
  ///   differently.
  @unsafe func matches(
    wellFormed utf8: UnsafeRawBufferPointer,
    _ scratch: PatternScratch
  ) throws(PatternError) -> Bool
}

extension PatternEngine {
  /// Says whether `source` is an ECMA-262 pattern, and says nothing of the engine.
  package static func isWellFormed(_ source: String) -> Bool {
    do throws(PatternError) {
      _ = try PatternSyntax.pcre2(source)
      return true
    } catch {
      if case .unsupported = error { return true }
      return false
    }
  }
}

#if PCRE2
/// The engine that the package was built with: the trait `PCRE2` is on.
package typealias Pattern = PCRE2Pattern
#else
/// The engine that the package was built with: the trait `PCRE2` is off.
package typealias Pattern = ICUPattern
#endif
