import JSONText
import LegacyFiles
import ResultImport
import ResultText

/// A ledger over the built-in games, and entries for it.
enum Ledger {
  static let catalogue: GameCatalogue = {
    do {
      return try BuiltInGames.catalogue()
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  static func make(_ change: (inout ImportSettings) -> Void = { _ in }) -> ResultLedger {
    var settings = ImportSettings()
    change(&settings)
    return ResultLedger(catalogue: catalogue, settings: settings)
  }

  static func text(
    _ text: String,
    date: String? = nil,
    dateFault: DateFault? = nil,
    sender: String? = nil,
    isOwn: Bool? = nil,
    number: Int = 1
  ) -> LegacyEntry {
    LegacyEntry(
      .text,
      text: Array(text.utf8),
      date: date.flatMap { LegacyDate($0) },
      dateFault: dateFault,
      sender: sender,
      isOwn: isOwn,
      place: .line(number),
      number: number
    )
  }

  /// A result as an app stores it.
  static func stored(
    id: String = "11111111-0000-4000-8000-000000000001",
    game: String = "wordle",
    gameID: String = "G0",
    score: JSONValue = 3,
    completed: Bool = true,
    text: String = wordle(990, 3),
    date: String = "2024-03-05T10:11:12Z"
  ) -> LegacyEntry {
    let object: JSONObject = [
      "id": .string(id), "gameId": .string(gameID), "gameName": .string(game), "score": score,
      "maxAttempts": 6, "completed": .boolean(completed), "sharedText": .string(text),
      "date": .string(date), "parsedData": ["puzzleNumber": "990"],
    ]
    return LegacyEntry(
      .result(object),
      text: Array(text.utf8),
      date: LegacyDate(date),
      game: game,
      place: .named("results, element 1"),
      number: 1
    )
  }

  static func wordle(_ number: Int, _ guesses: Int) -> String {
    "Wordle \(number) \(guesses)/6\n\n"
      + String(repeating: "⬛🟨⬛⬛⬛\n", count: guesses - 1) + "🟩🟩🟩🟩🟩"
  }
}

extension ResultLedger {
  mutating func take(_ entry: LegacyEntry, as form: LegacyForm = .text) -> ImportOutcome {
    take(entry, file: "a.txt", form: form)
  }
}
