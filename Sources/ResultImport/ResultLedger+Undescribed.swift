import JSONText
import LegacyFiles
import Records
import ResultGrammar
import ResultText

extension ResultLedger {
  /// What begins the identity of a result that no description knows.
  static let undescribedMark = "undescribed:"

  /// Takes the results of games that no description knows: they count for no streak.
  mutating func takeUndescribed(
    _ origin: Origin,
    _ player: String?,
    makesRecords: Bool,
    into outcome: inout ImportOutcome
  ) {
    let day = day(of: origin.entry.date)
    for result in outcome.reading.undescribed {
      let identity = ResultIdentity(result.identity, recordedOn: day, player: player)
      guard noteUndescribed(identity) else {
        outcome.duplicateCount += 1
        continue
      }
      if outcome.bucket == .duplicate { outcome.bucket = .undescribed }
      outcome.undescribedGames.append(result.name)
      if player != nil { outcome.othersCount += 1 }
      guard makesRecords else { continue }
      outcome.undescribed.append(ResultRecord.make(result, identity, origin, in: self))
    }
  }
}

extension ResultRecord {
  /// The record of a result of a game that no description knows.
  static func make(
    _ result: UndescribedResult,
    _ identity: ResultIdentity,
    _ origin: Origin,
    in ledger: ResultLedger
  ) -> JSONObject {
    func word(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    func flag(_ flag: Bool?) -> JSONValue { flag.map { .boolean($0) } ?? .null }
    var record = JSONObject()
    record["id"] = .string(identity.id)
    record["name"] = .string(result.name)
    record["mode"] = word(result.mode)
    record["puzzleNumber"] = integer(result.puzzle)
    record["puzzleDay"] = word(result.puzzleDay?.description)
    record["score"] = number(result.score)
    record["maximum"] = number(result.maximum)
    record["timeSeconds"] = number(result.timeSeconds)
    record["completed"] = flag(result.completed)
    record["hardMode"] = flag(result.hardMode)
    record["rows"] = .array(result.rows.map { .string($0) })
    record["date"] = date(of: origin.entry, ledger.settings)
    record["sharedText"] = .string(String(decoding: origin.entry.text[result.range], as: UTF8.self))
    record["player"] = word(identity.player)
    record["identity"] = .string(identity.key)
    record["origin"] = origin.json
    return record
  }
}
