/// Why a pattern cannot be used, or could not be decided.
package enum PatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is not an ECMA-262 pattern; `offset` counts its code points from zero.
  case malformed(pattern: String, offset: Int, reason: String)
  /// The pattern is well formed, but the engine has no such construct, or understands another by it.
  case unsupported(pattern: String, construct: String)
  /// A match took more steps, or more time, than the limit allows.
  case tooHard(pattern: String)
  /// The text has a character that is newer than the properties of characters that the pattern asks for.
  case unsettled(pattern: String, character: Unicode.Scalar)

  package var description: String {
    switch self {
    case .malformed(let pattern, let offset, let reason):
      "the pattern \"\(Self.shortened(pattern))\" is not ECMA-262 at character \(offset + 1): \(reason)"
    case .unsupported(let pattern, let construct):
      "the pattern \"\(Self.shortened(pattern))\" cannot be carried out: \(construct)"
    case .tooHard(let pattern):
      "the pattern \"\(Self.shortened(pattern))\" takes too many steps on this text"
    case .unsettled(let pattern, let character):
      "the pattern \"\(Self.shortened(pattern))\" asks for properties of characters, which versions of "
        + "Unicode do not agree on for U+\(Self.spelled(character))"
    }
  }

  /// As much of a pattern as a line has space for.
  private static func shortened(_ pattern: String) -> String {
    let longest = 200
    let begin = String(String.UnicodeScalarView(pattern.unicodeScalars.prefix(longest)))
    return begin.utf8.count == pattern.utf8.count ? pattern : begin + "…"
  }

  private static func spelled(_ character: Unicode.Scalar) -> String {
    let digits = String(character.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
