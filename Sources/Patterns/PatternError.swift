/// Why a pattern cannot be used, or could not be decided.
package enum PatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is not an ECMA-262 pattern; `offset` counts its code points from zero.
  case malformed(pattern: String, offset: Int, reason: String)
  /// The pattern is well formed, but the engine cannot carry it out.
  case unsupported(pattern: String, reason: String)
  /// A match took more steps than the limit allows.
  case tooHard(pattern: String)

  package var description: String {
    switch self {
    case .malformed(let pattern, let offset, let reason):
      "the pattern \"\(Self.shortened(pattern))\" is not ECMA-262 at character \(offset + 1): \(reason)"
    case .unsupported(let pattern, let reason):
      "the pattern \"\(Self.shortened(pattern))\" cannot be carried out: \(reason)"
    case .tooHard(let pattern):
      "the pattern \"\(Self.shortened(pattern))\" takes too many steps on this text"
    }
  }

  /// As much of a pattern as a line has space for.
  private static func shortened(_ pattern: String) -> String {
    let longest = 200
    let begin = String(String.UnicodeScalarView(pattern.unicodeScalars.prefix(longest)))
    return begin.utf8.count == pattern.utf8.count ? pattern : begin + "…"
  }
}
