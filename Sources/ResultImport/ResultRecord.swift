import JSONText
import LegacyFiles
import ResultGrammar
import ResultText

/// Makes records of results.
enum ResultRecord {
  /// The record of a result that a person shared as text.
  static func make(
    _ result: GameResult,
    _ identity: ResultIdentity,
    _ origin: Origin,
    of reading: TextReading,
    in ledger: ResultLedger
  ) -> JSONObject {
    let settings = ledger.settings
    var record = JSONObject()
    record["id"] = .string(identity.id)
    record["gameId"] = .string(gameID(of: result.game, settings))
    record["gameName"] = .string(result.game)
    record["date"] = date(of: origin.entry, settings)
    record["sharedText"] = .string(text(of: result, origin.entry.text, reading))
    record["parsedData"] = .object(parsedData(result))
    record["origin"] = origin.json
    addReading(result, identity, to: &record)
    return record
  }

  /// When a result was recorded: what its file says, else noon of the day that a person gave.
  static func date(of entry: LegacyEntry, _ settings: ImportSettings) -> JSONValue {
    let date = entry.date ?? settings.day.map { LegacyDate.local($0, second: 43_200) }
    return word(date?.text(in: settings.zone))
  }

  /// Adds what the text says.
  static func addReading(
    _ result: GameResult,
    _ identity: ResultIdentity,
    to record: inout JSONObject
  ) {
    record["score"] = number(result.score)
    record["maxAttempts"] = integer(result.maxAttempts)
    record["completed"] = .boolean(result.completed)
    for (name, value) in extras(result, identity) { record[name] = value }
  }

  /// What the app's own record has no place for.
  static func extras(
    _ result: GameResult,
    _ identity: ResultIdentity
  ) -> KeyValuePairs<String, JSONValue> {
    [
      "game": .string(result.game),
      "puzzleNumber": integer(result.puzzle),
      "puzzleDay": word(result.puzzleDay?.description),
      "hardMode": flag(result.hardMode),
      "timeSeconds": number(result.timeSeconds),
      "variant": word(result.variant),
      "player": word(identity.player),
      "identity": .string(identity.key),
    ]
  }

  /// The app's id of a game; for a game without one, an id made of its name.
  static func gameID(of game: String, _ settings: ImportSettings) -> String {
    settings.gameIDs[game] ?? NameID.text("game", game)
  }

  /// A text with one result is kept whole; of one with several, the part of each.
  private static func text(
    of result: GameResult,
    _ bytes: [UInt8],
    _ reading: TextReading
  ) -> String {
    guard reading.results.count + reading.refusals.count > 1 else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(decoding: bytes[result.range], as: UTF8.self)
  }

  /// Texts by name, as the app keeps them beside its results.
  private static func parsedData(_ result: GameResult) -> JSONObject {
    var data = JSONObject()
    if let puzzle = result.puzzle { data["puzzleNumber"] = .string(String(puzzle)) }
    for field in result.fields { data[field.name] = .string(words(field.value)) }
    return data
  }

  private static func words(_ value: GameResult.Value) -> String {
    switch value {
    case .number(let number): number.description
    case .text(let text): text
    case .flag(let flag): flag ? "true" : "false"
    case .day(let day): day.description
    case .numbers(let numbers):
      numbers.map { $0.map { String($0) } ?? "failed" }.joined(separator: " ")
    }
  }

  private static func word(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  private static func flag(_ flag: Bool?) -> JSONValue { flag.map { .boolean($0) } ?? .null }

  static func number(_ number: ResultNumber?) -> JSONValue {
    guard let number, let literal = JSONNumber(literal: number.description) else { return .null }
    return .number(literal)
  }

  static func integer(_ integer: Int?) -> JSONValue {
    integer.map { .number(JSONNumber(Int64($0))) } ?? .null
  }
}
