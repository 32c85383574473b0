package import ResultGrammar

/// One result of a game that no description knows, as its text has it.
///
/// It says what appears in the text and nothing that follows from a game's rules.
package struct UndescribedResult: Hashable, Sendable {
  /// The game's name as the text writes it: `Immaculate Grid`.
  package var name: String
  /// The mode, where the text has several results of one game: `Cover art`.
  package var mode: String?
  /// The puzzle's number, without its digit grouping.
  package var puzzle: Int?
  package var puzzleDay: CalendarDay?
  /// What the player reached; `nil` where the text has no score, or says that the game was lost.
  package var score: ResultNumber?
  package var maximum: ResultNumber?
  package var timeSeconds: ResultNumber?
  /// `nil` where the text does not say it.
  package var completed: Bool?
  package var hardMode: Bool?
  /// The rows of cells as they are written, without variation selectors.
  package var rows: [String]
  /// Where the result is in the text, counted in bytes from zero.
  package var range: Range<Int>
  /// What stays equal when the same result is read again.
  package var identity: String
}
