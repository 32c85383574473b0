/// What became of one text: its results, and what looked like one and was not.
package struct TextReading: Hashable, Sendable {
  package var results: [GameResult] = []
  /// Results of games that no description knows.
  package var undescribed: [UndescribedResult] = []
  package var refusals: [Refusal] = []

  package init() {}

  /// The one bucket that a text ends in.
  ///
  /// Whether a result is a duplicate is decided by who knows
  /// the other results, by ``GameResult/identity``.
  package enum ParseOutcome: String, Hashable, Sendable {
    case result
    /// It has only results of games that no description knows.
    case undescribed
    case refused
    case none
  }

  package var bucket: ParseOutcome {
    if !results.isEmpty { return .result }
    if !undescribed.isEmpty { return .undescribed }
    return refusals.isEmpty ? .none : .refused
  }

  /// Why something was refused, for a person; `nil` when nothing was.
  package var reason: String? {
    refusals.isEmpty ? nil : refusals.map(\.description).joined(separator: "; ")
  }
}

/// Something that looks like a result and breaks its game's own rules.
package struct Refusal: Hashable, Sendable, CustomStringConvertible {
  package let game: String
  package let gameName: String
  /// Which rule, and how it is broken.
  package let cause: String
  /// Where it is in the text, counted in bytes from zero.
  package let range: Range<Int>

  package init(game: String, gameName: String, cause: String, range: Range<Int>) {
    (self.game, self.gameName, self.cause, self.range) = (game, gameName, cause, range)
  }

  package var description: String {
    "\(gameName) at byte \(range.lowerBound): \(cause)"
  }
}
