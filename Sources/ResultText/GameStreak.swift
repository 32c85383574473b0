package import ResultGrammar

/// A player's streak in one game, as it follows from the results.
///
/// Only completed results count. A result on the day of the last one changes nothing, one on the
/// next day adds one, one after a gap starts again at 1, and a failed result sets the streak to 0
/// at once. The longest streak never shrinks.
package struct GameStreak: Hashable, Sendable {
  package let game: String
  package private(set) var current = 0
  package private(set) var longest = 0
  package private(set) var played = 0
  package private(set) var completed = 0
  /// The day of the last completed result.
  package private(set) var lastDay: CalendarDay?
  /// The day the current streak began.
  package private(set) var firstDay: CalendarDay?

  /// One result of the game, on its day.
  package struct Play: Hashable, Sendable {
    package let day: CalendarDay
    package let isCompleted: Bool

    package init(day: CalendarDay, isCompleted: Bool) {
      self.day = day
      self.isCompleted = isCompleted
    }
  }

  /// Which day a result counts for.
  package enum DayRule: String, CaseIterable, Sendable {
    /// The day it was recorded, in the player's zone: the app's own rule.
    case recorded
    /// The day of its puzzle, where it is known, and else the day it was recorded.
    case puzzle
  }

  /// Walks through the results of one game.
  ///
  /// - Parameters:
  ///   - game: The game's id.
  ///   - plays: Its results in any order; those of one day in the order they were recorded.
  ///   - today: The day the streak is asked for. A streak whose last day is before yesterday is
  ///     broken by then.
  package init(game: String, plays: [Play], today: CalendarDay) {
    self.game = game
    let ordered = plays.enumerated().sorted {
      ($0.element.day, $0.offset) < ($1.element.day, $1.offset)
    }
    for (_, play) in ordered { add(play) }
    if let lastDay, lastDay < today.adding(-1) { end() }
  }

  /// The day that a result counts for.
  package static func day(
    of result: GameResult,
    recordedAt instant: Int64,
    rule: DayRule,
    zone: TimeZoneRules
  ) -> CalendarDay {
    if rule == .puzzle, let day = result.puzzleDay { return day }
    return zone.day(of: instant)
  }

  private mutating func add(_ play: Play) {
    played += 1
    guard play.isCompleted else {
      end()
      return
    }
    completed += 1
    if let lastDay, current > 0, play.day == lastDay { return }
    if let lastDay, current > 0, play.day == lastDay.adding(1) {
      current += 1
    } else {
      current = 1
      firstDay = play.day
    }
    lastDay = play.day
    longest = max(longest, current)
  }

  private mutating func end() {
    current = 0
    firstDay = nil
  }
}
