package import ResultGrammar
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
  /// The names by which the files know whose results are wanted; empty where no one said it.
  package var senders: [String] = []
  /// Whether the results of others are wanted too; each keeps its player, and is never sent.
  package var takesOthers = false
  /// Whether text that was encoded twice is repaired.
  package var repairsDoubleEncoding = false
  /// The only sender that the files name, where no one said whose results are wanted.
  package var soleSender: String?
  /// What the files with senders say of them, by the names of the files.
  package var senderFiles: [String: SenderFile] = [:]
  /// The results that texts of a file state differently and name no sender for, by the names of the
  /// files: they may be of several people.
  package var ambiguous: [String: Set<String>] = [:]
  /// The day of results that neither state it nor are in a file that does.
  package var day: CalendarDay?
  /// The app's own id of each game, by the name the app or the catalogue has for it.
  package var gameIDs: [String: String] = [:]

  package init() {}

  /// A file that says of some of its texts whose they are.
  package struct SenderFile: Hashable, Sendable {
    /// The names that several senders of it have, who are distinguished by their ids.
    package let sharedNames: Set<String>

    package init(sharedNames: Set<String>) { self.sharedNames = sharedNames }
  }

  /// The settings in words, for the digest of what a package was made from.
  package var words: String {
    let ids = gameIDs.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return
      ([
        zoneName, dayRule.rawValue, streakDay?.description ?? "", "\(senders) \(takesOthers)",
        day?.description ?? "", repairsDoubleEncoding ? "repaired" : "",
      ] + ids).joined(separator: "\n")
  }
}
