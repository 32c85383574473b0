package import JSONText
package import Records
package import ResultGrammar
import ResultText

extension ResultLedger {
  /// The day that streaks are asked for.
  package var streakDay: CalendarDay? { settings.streakDay ?? plays.lastDay }

  /// The streaks that follow from all results, as records in the order of their ids.
  package func streaks() -> [JSONObject] {
    guard let today = streakDay else { return [] }
    return plays.streaks(asOf: today).compactMap { name, streak in
      if game(name.game)?.hasDailyStreak == false { return nil }
      var record: JSONObject = [
        "id": .string(NameID.text("streak", name.game, name.player ?? "")),
        "gameId": .string(ResultRecord.gameID(of: name.game, settings)),
        "gameName": .string(name.game),
        "currentStreak": ResultRecord.integer(streak.current),
        "maxStreak": ResultRecord.integer(streak.longest),
        "totalGamesPlayed": ResultRecord.integer(streak.played),
        "totalGamesCompleted": ResultRecord.integer(streak.completed),
        "asOf": .string(today.description),
      ]
      record["lastPlayedDate"] = streak.lastDay.map { .string($0.description) } ?? .null
      record["streakStartDate"] = streak.firstDay.map { .string($0.description) } ?? .null
      record["player"] = name.player.map { .string($0) } ?? .null
      return record
    }
    .sorted { ($0["id"]?.text ?? "") < ($1["id"]?.text ?? "") }
  }

  /// Where streaks that an app stored differ from those that follow from the results.
  package func differences(
    from stored: [(streak: JSONObject, place: String, file: String)]
  ) -> [Finding] {
    let computed = Dictionary(
      streaks().filter { $0["player"]?.isNull == true }.map { ($0["gameName"]?.text ?? "", $0) }
    ) { first, _ in first }
    return stored.flatMap { entry in
      let name = entry.streak["gameName"]?.text ?? ""
      let members = ["currentStreak", "maxStreak", "totalGamesPlayed", "totalGamesCompleted"]
      let differences = members.compactMap { member -> String? in
        guard let before = entry.streak[member]?.integer else { return nil }
        let now = computed[name]?[member]?.integer ?? 0
        return now == before ? nil : "\(member) \(before), and \(now) follows from the results"
      }
      guard !differences.isEmpty else { return [Finding]() }
      return [
        Finding(
          code: "import.streak-differs",
          severity: .note,
          file: entry.file,
          cause: "\(entry.place): \(name) has \(differences.joined(separator: "; "))",
          cure: "streaks are computed again and never sent"
        )
      ]
    }
  }
}
