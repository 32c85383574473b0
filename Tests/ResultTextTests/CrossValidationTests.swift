import Foundation
import JSONText
import ResultText
import Testing

/// What the general reader makes of real texts whose game is taken out of the catalogue.
@Suite(.enabled(if: SharedTexts.folder != nil, "FERRY_SHARE_TEXTS is not set"))
struct `Games taken out of the catalogue` {
  private struct Count {
    var texts = 0
    var alike = 0
  }

  @Test func `puzzle and score stay the same for four of five texts with a number and a score`()
    throws
  {
    var counts: [String: Count] = [:]
    for (game, texts) in try Self.textsByGame() {
      counts[game] = try Self.count(texts, without: game)
    }
    let sum = counts.values.reduce(into: Count()) { sum, count in
      sum.texts += count.texts
      sum.alike += count.alike
    }
    for (game, count) in counts.sorted(by: { $0.key < $1.key }) where count.alike < count.texts {
      print("\(game): \(count.alike) of \(count.texts)")
    }
    print("\(sum.alike) of \(sum.texts)")
    #expect(sum.alike * 100 >= sum.texts * 80)
  }

  private static func textsByGame() throws -> [String: [(GameResult, [UInt8])]] {
    let file = URL(filePath: SharedTexts.folder ?? "").appending(path: "share_texts.jsonl")
    var texts: [String: [(GameResult, [UInt8])]] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      guard let text = try JSONValue(parsing: String(line))["text"]?.text,
        try showsScore(text)
      else { continue }
      let reading = try ReadTexts.reading(text)
      guard reading.results.count == 1, let result = reading.results.first, result.puzzle != nil,
        result.maxAttempts != nil || result.timeSeconds != nil
      else { continue }
      texts[result.game, default: []].append((result, Array(text.utf8)))
    }
    return texts
  }

  /// Whether a text has a ratio or a time.
  private static func showsScore(_ text: String) throws -> Bool {
    let score = try Regex("[0-9xX] ?/ ?[0-9]|[0-9]:[0-9][0-9]")
    return try score.firstMatch(in: text) != nil
  }

  private static func count(
    _ texts: [(GameResult, [UInt8])],
    without game: String
  ) throws -> Count {
    let all = try BuiltInGames.catalogue()
    let catalogue = try GameCatalogue(games: all.games.filter { $0.id != game })
    var reader = ResultReader(catalogue: catalogue, today: ReadTexts.today)
    var count = Count()
    for (result, text) in texts {
      count.texts += 1
      let isAlike = reader.read(text).undescribed.contains {
        let isTimed = $0.timeSeconds != nil && $0.timeSeconds == result.timeSeconds
        return $0.puzzle == result.puzzle && ($0.score == result.score || isTimed)
      }
      if isAlike { count.alike += 1 }
    }
    return count
  }
}
