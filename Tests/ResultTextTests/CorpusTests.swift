import Foundation
import JSONText
import ResultGrammar
import ResultText
import Testing

/// Real shared texts of many games, when there is a folder of them.
///
/// `FERRY_SHARE_TEXTS` names a folder with a file `share_texts.jsonl`: one object a line with
/// `game`, `text`, `source` and `expected`, in the words of the sources they come from.
@Suite(.enabled(if: SharedTexts.folder != nil, "FERRY_SHARE_TEXTS is not set"))
struct `Real shared texts` {
  @Test func `nearly all texts of known games are read as their sources read them`() throws {
    let table = try SharedTexts.table()
    print(table.text)
    let all = table.total
    #expect(all.count >= table.texts * 650 / 731)
    #expect(all.right * 100 >= all.count * 97)
    #expect(table.silentlyWrong.isEmpty, "\(table.silentlyWrong)")
  }
}

/// The texts, and what became of them.
enum SharedTexts {
  static let folder = ProcessInfo.processInfo.environment["FERRY_SHARE_TEXTS"]

  /// How many texts of one game came to which end.
  struct Row {
    var right = 0
    var refused = 0
    var wrong = 0
    var unrecognised = 0
    var count: Int { right + refused + wrong + unrecognised }
  }

  struct Table {
    var rows: [String: Row] = [:]
    var texts = 0
    var fieldsCompared = 0
    var fieldsInOtherMeasures = 0
    var silentlyWrong: [String] = []
    var remarks: [String] = []

    var total: Row {
      rows.values.reduce(into: Row()) { sum, row in
        sum.right += row.right
        sum.refused += row.refused
        sum.wrong += row.wrong
        sum.unrecognised += row.unrecognised
      }
    }

    var text: String {
      var lines = ["game | texts | right | refused | wrong | not recognised"]
      for (game, row) in rows.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
        lines.append(Self.line(game, row))
      }
      lines.append(Self.line("all", total))
      lines.append("\(texts) texts, \(total.count) of them of games in the catalogue")
      lines.append(
        "\(fieldsCompared) stated fields compared,"
          + " \(fieldsInOtherMeasures) in a measure of the source's own"
      )
      return (lines + remarks).joined(separator: "\n")
    }

    private static func line(_ game: String, _ row: Row) -> String {
      "\(game) | \(row.count) | \(row.right) | \(row.refused) | \(row.wrong) | \(row.unrecognised)"
    }
  }

  static func table() throws -> Table {
    let file = URL(filePath: folder ?? "").appending(path: "share_texts.jsonl")
    let catalogue = try BuiltInGames.catalogue()
    var reader = ResultReader(catalogue: catalogue, today: ReadTexts.today)
    var table = Table()
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    for (index, line) in lines.enumerated() {
      let entry = try JSONValue(parsing: String(line))
      table.texts += 1
      judge(entry, index, &reader, &table)
    }
    return table
  }

  /// Names of the file for what the catalogue knows under another.
  private static let otherNames = [
    "connections-3x3": "connections", "strands-bonus": "strands", "multiple": "wordle",
  ]

  private static func judge(
    _ entry: JSONValue,
    _ index: Int,
    _ reader: inout ResultReader,
    _ table: inout Table
  ) {
    let named = entry["game"]?.text ?? ""
    let game = otherNames[named] ?? named
    let text = entry["text"]?.text ?? ""
    let expected = entry["expected"]?.object ?? JSONObject()
    let reading = reader.read(Array(text.utf8), sentOn: sentDay(entry["source"]?.text ?? "", text))
    let mustBeRefused = expected["error"] != nil || expected["detected"]?.boolean == false
    if mustBeRefused, !reading.results.isEmpty { table.silentlyWrong.append("\(index): \(text)") }
    guard reader.catalogue.game(withID: game) != nil else { return }
    var row = table.rows[named] ?? Row()
    defer { table.rows[named] = row }
    if mustBeRefused {
      if reading.results.isEmpty { row.right += 1 } else { row.wrong += 1 }
      return
    }
    guard let result = reading.results.first(where: { $0.game == game || isTwin(game, $0.game) })
    else {
      if !reading.results.isEmpty {
        row.wrong += 1
        table.remarks.append("\(index) \(game): read as \(reading.results.map(\.game))")
      } else if let reason = reading.reason {
        row.refused += 1
        table.remarks.append("\(index) \(game): refused: \(reason)")
      } else {
        row.unrecognised += 1
        table.remarks.append("\(index) \(game): not recognised")
      }
      return
    }
    let comparison = FieldComparison(game: game, result: result, expected: expected)
    table.fieldsCompared += comparison.compared
    table.fieldsInOtherMeasures += comparison.otherMeasures
    if comparison.differences.isEmpty {
      row.right += 1
    } else {
      row.wrong += 1
      table.remarks.append("\(index) \(game): " + comparison.differences.joined(separator: ", "))
    }
  }

  /// One game of the file that the catalogue holds as two.
  private static func isTwin(_ game: String, _ other: String) -> Bool {
    [game, other] == ["juxtastat", "retrostat"] || [game, other] == ["framed", "framed-oneframe"]
  }

  /// Two texts are refused by their sources because the puzzle is of a later day than the clock of
  /// the source's test shows, which is this day; the other texts of the second source have no clock.
  private static func sentDay(_ source: String, _ text: String) -> CalendarDay? {
    if source.hasPrefix("gesteves/wordlebot") { return CalendarDay("2022-03-23") }
    if source.hasPrefix("harold-williams/wordgame-bot"), text.hasPrefix("Wordle 8 ") {
      return CalendarDay("2021-06-25")
    }
    return nil
  }
}
