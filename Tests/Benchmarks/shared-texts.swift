import Foundation
import JSONText
import ResultText

/// Reads the texts of a JSON Lines file with numbers of their own in every round, so that no text is
/// read twice, and says how many a second of the processor's time.
@main
struct SharedTextsBenchmark {
  static func main() throws {
    let path = CommandLine.arguments.dropFirst().first ?? ""
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let texts = try lines.compactMap { try JSONValue(parsing: String($0))["text"]?.text }
      .map { Array($0.utf8) }
    var reader = ResultReader(catalogue: try BuiltInGames.catalogue())
    for round in 1...5 {
      let distinct = (0..<100).flatMap { turn in
        texts.map { renumbered($0, by: round * 100 + turn) }
      }
      var ends = (results: 0, undescribed: 0, refusals: 0)
      let began = processorSeconds()
      for text in distinct {
        let reading = reader.read(text)
        ends.results += reading.results.count
        ends.undescribed += reading.undescribed.count
        ends.refusals += reading.refusals.count
      }
      let rate = Int(Double(distinct.count) / (processorSeconds() - began))
      print("round \(round): \(rate) texts a second, \(ends)")
    }
  }

  /// The text with other last digits in its numbers of three and four digits.
  private static func renumbered(_ text: [UInt8], by turn: Int) -> [UInt8] {
    var text = text
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] &- 0x30 < 10 { end += 1 }
      if end - start == 3 || end - start == 4 {
        text[end - 1] = 0x30 + UInt8(turn % 10)
        text[end - 2] = 0x30 + UInt8(turn / 10 % 10)
      }
      start = end + 1
    }
    return text
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
