package import ResultText

/// What a person and a profile say about an import.
package struct ImportSettings: Sendable {
  /// The zone in which clocks without one are read, and in which an instant has its day.
  package var zone: TimeZoneRules = .utc
  /// The zone's name, as it is stated in the package.
  package var zoneName = "UTC"
  package var dayRule: GameStreak.DayRule = .recorded
  /// The day that streaks are asked for; that of the latest result when it is `nil`.
  package var streakDay: CalendarDay?
  /// Whose results are wanted, by the name the files give; everybody's when it is `nil`.
  package var sender: String?
  /// The day of results that neither tell it nor stand in a file that does.
  package var day: CalendarDay?
  /// The app's own id of each game, by the name the app or the catalogue has for it.
  package var gameIDs: [String: String] = [:]

  package init() {}

  /// The settings in words, for the digest of what a package was made from.
  package var words: String {
    let ids = gameIDs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return
      ([
        zoneName, dayRule.rawValue, streakDay?.description ?? "", sender ?? "",
        day?.description ?? "",
      ] + ids).joined(separator: "\n")
  }
}
