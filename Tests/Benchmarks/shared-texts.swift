import Foundation
import JSONText
import ResultText

/// Reads the texts of a JSON Lines file over and over, and says how many a second.
@main
struct SharedTextsBenchmark {
  static func main() throws {
    let path = CommandLine.arguments.dropFirst().first ?? ""
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let texts = try lines.compactMap { try JSONValue(parsing: String($0))["text"]?.text }
      .map { Array($0.utf8) }
    var reader = ResultReader(catalogue: try BuiltInGames.catalogue())
    let bytes = texts.reduce(0) { $0 + $1.count }
    for round in 1...5 {
      var results = 0
      let time = ContinuousClock().measure {
        for _ in 0..<200 {
          for text in texts { results += reader.read(text).results.count }
        }
      }
      let seconds = time / .seconds(1)
      let rate = Int(Double(texts.count * 200) / seconds)
      let speed = Int(Double(bytes * 200) / seconds / 1_000_000)
      print("round \(round): \(rate) texts a second, \(speed) MB/s, \(results / 200) results")
    }
  }
}
