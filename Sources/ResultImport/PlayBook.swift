import JSONText
import ResultGrammar
import ResultText

/// On which days each game was played, and how it ended.
struct PlayBook {
  private var games: [Name: [Play]] = [:]

  struct Name: Hashable {
    let game: String
    let player: String?
  }

  private struct Play {
    let day: Int32
    let isCompleted: Bool
    let second: Int64
  }

  mutating func add(
    _ game: String,
    _ player: String?,
    day: CalendarDay,
    second: Int64,
    isCompleted: Bool
  ) {
    games[Name(game: game, player: player), default: []].append(
      Play(day: Int32(day.number), isCompleted: isCompleted, second: second)
    )
  }

  /// The day of the latest result.
  var lastDay: CalendarDay? {
    games.values.joined().map(\.day).max().map { CalendarDay(number: Int($0)) }
  }

  /// The streak of each game and player, by their names.
  func streaks(asOf today: CalendarDay) -> [(name: Name, streak: GameStreak)] {
    games.map { name, plays in
      let ordered = plays.sorted { $0.second < $1.second }
      let streak = GameStreak(
        game: name.game,
        plays: ordered.map {
          GameStreak.Play(day: CalendarDay(number: Int($0.day)), isCompleted: $0.isCompleted)
        },
        today: today
      )
      return (name, streak)
    }
    .sorted { ($0.name.game, $0.name.player ?? "") < ($1.name.game, $1.name.player ?? "") }
  }
}
