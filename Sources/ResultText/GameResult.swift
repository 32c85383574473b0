package import ResultGrammar

/// One result that a player shared, as its text has it.
package struct GameResult: Hashable, Sendable {
  /// The game's own id in the catalogue: `wordle`.
  package let game: String
  /// The game's name as people write it: `Wordle`.
  package let gameName: String
  /// The puzzle's number, without its digit grouping.
  package var puzzle: Int?
  /// The day of the puzzle, as the text or the number gives it.
  package var puzzleDay: CalendarDay?
  /// What the player reached, or `nil` when the game was lost or has no score.
  package var score: ResultNumber?
  /// The most that `score` can be, where the text or the game says so.
  package var maxAttempts: Int?
  package var completed: Bool
  package var hardMode: Bool?
  package var timeSeconds: ResultNumber?
  /// The mode or difficulty that makes this another puzzle than its namesake.
  package var variant: String?
  /// Whatever else the text says, in the order of the game's description.
  package var fields: [Field]
  /// Whether the text was cut: its rows end before the game does.
  package var isTruncated = false
  /// Where the result is in the text, counted in bytes from zero.
  package var range: Range<Int>
  /// What stays equal when the same result is read again.
  package var identity: String

  /// Something else that the text says.
  package struct Field: Hashable, Sendable {
    package let name: String
    package let value: Value
  }

  /// What a field can hold.
  package enum Value: Hashable, Sendable {
    case number(ResultNumber)
    case text(String)
    case flag(Bool)
    case numbers([Int?])
    case day(CalendarDay)
  }

  /// The field called `name`.
  package subscript(_ name: String) -> Value? {
    fields.first { $0.name == name }?.value
  }
}
