package import ResultGrammar

/// A game as its description has it: how its shared texts look and what they mean.
///
/// Descriptions are JSON under the schema `ferry.game.v1`. Adding a game is adding a file.
package struct GameDescription: Sendable {
  /// The game's id: lower-case letters and digits.
  package let id: String
  /// The game's name as people write it.
  package let name: String
  /// What a score counts.
  package let scoring: Scoring
  /// The most a score can be, where the text does not say it.
  package let maximum: Int?
  /// A puzzle whose day is known, when there is one puzzle a day.
  package let anchor: Anchor?
  /// Whether results of the game make streaks of days.
  package let hasDailyStreak: Bool
  /// The ways its texts look.
  let forms: [ResultForm]
  /// The names of all fields; the first are those of ``Slot``.
  let slots: [String]
  /// The description itself, as it was given.
  package let json: [UInt8]

  /// What a score counts, and so whether less of it is better.
  package enum Scoring: String, CaseIterable, Sendable {
    case attempts
    case points
    case seconds
    case hints
    case mistakes
    case groups
    /// What the player should keep small, and is no count: a rarity, a distance.
    case penalty
  }

  /// A puzzle and its day, from which the days of the others follow.
  package struct Anchor: Hashable, Sendable {
    package let puzzle: Int
    package let day: CalendarDay
  }

  /// The day of puzzle `number`, where the game has an anchor and the calendar has the day.
  package func day(of number: Int) -> CalendarDay? {
    guard let anchor, number >= 0, number < 1_000_000 else { return nil }
    return anchor.day.adding(number - anchor.puzzle)
  }
}

/// The fields that mean the same in every game.
enum Slot {
  static let puzzle = 0
  static let score = 1
  static let maximum = 2
  static let time = 3
  static let date = 4
  static let hard = 5
  static let variant = 6
  static let names = ["puzzle", "score", "max", "time", "date", "hard", "variant"]
}

/// One way that the texts of a game look.
struct ResultForm: Sendable {
  /// What the form is recognised by; each begins with characters of its own.
  var heads: [TextPattern] = []
  /// What must appear in the text as well.
  var needs: [TextPattern] = []
  /// What may appear in the text, and is kept.
  var finds: [TextPattern] = []
  /// What says that the game was lost.
  var lost: [TextPattern] = []
  /// Whether the text before the head belongs to the result as well.
  var looksBefore = false
  var grid: GridRule?
  var boards: BoardsRule?
  var score: ScoreRule = .stated
  var completed: CompletedRule = .scored
  /// The scores that are possible; up to the maximum when it is absent.
  var scores: ClosedRange<Int64>?
  /// The maxima that are possible; any when it is empty.
  var maxima: [Int64] = []
  /// The variant that this form represents.
  var variant: String?
  /// Whether a score above the maximum represents a game that was lost.
  var overIsLost = false
  /// Fields that count squares or signs in the text, or all but these.
  var counts: [(slot: Int, scalars: [UInt32], areOthers: Bool)] = []
  /// Whether its rows are so much its own that a number without a name is enough: `Puzzle #12`.
  var isNameless = false
  /// Why a text of this form is never a result.
  var refusal: String?
  /// Whether rows of squares or boards belong to it.
  var hasRows: Bool { grid != nil || boards != nil }
  /// Whether words alone may say that the game was lost: it has no rows, and a score that is stated.
  var mayBeLostInWords: Bool {
    switch score {
    case .stated, .optional, .none, .time: !hasRows
    default: false
    }
  }
  /// Whether a head has a place for the mark of hard mode.
  var offersHardMode = false
}

/// Where a score comes from.
enum ScoreRule: Sendable, Equatable {
  /// The text says it, or it is no result.
  case stated
  /// The text may state it.
  case optional
  case hitPosition
  case rows
  case rowLength
  case time
  case groups
  case boardSum
  case boardMean
  case count([UInt32])
  /// As many signs as the first block of symbols has; unknown where it has none of these and none of
  /// the others that are known.
  case signs([UInt32], known: [UInt32])
  /// The sum of the numbers that the form finds: the guesses of several modes.
  case sum
  case none
}

/// When a game counts as completed.
enum CompletedRule: Sendable {
  case scored
  case always
  case full
  case never
  case atLeast(Int64)
  /// A counted field is at least so much.
  case counted(slot: Int, Int)
  /// One of these is in the text; without it the game was lost and has no score.
  case contains([TextPattern])
  /// None of these is in the text.
  case lacks([TextPattern])
}

/// Rows of squares and what holds of them.
struct GridRule: Sendable {
  var cells: [UInt32] = []
  /// The squares that say “right”.
  var hits: [UInt32] = []
  var widths: ClosedRange<Int> = 1...20
  /// How many rows there may be; as many as the score says when it is absent.
  var rows: ClosedRange<Int>?
  var rowsFollowScore = false
  var isSpaced = false
  var isOptional = false
  /// Whether the last row of a solved game, and no other row, is all hits.
  var endsSolved = false
  /// Whether the place of the first hit in the first row is the score.
  var showsScore = false
  /// Whether any symbol may be a cell.
  var isOpen = false

  func takes(_ scalar: UInt32) -> Bool {
    isOpen ? Symbols.isSymbol(scalar) : cells.contains(scalar)
  }

  /// Whether rows behind other lines still belong to the grid.
  var hasBlocks = false
}

/// Boards whose numbers of guesses are written in keycaps.
struct BoardsRule: Sendable {
  var count = 0
  /// How many keycaps make one number.
  var digits = 1
  var maximum: Int64 = 0
  /// What a failed board adds to the sum.
  var failedValues: [Int64] = []
  var areDistinct = false
  var grids: Grids = .none

  enum Grids: String, Sendable {
    case none
    case optional
    case required
  }
}
