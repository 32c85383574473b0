/// Finds the word that a person probably meant.
package enum NearestWord {
  /// The word of `known` that is nearest to `word`; `nil` when none is near.
  ///
  /// Near is one slip in three letters, and at most three: a letter too many, too few, another or
  /// in its neighbour's place.
  package static func to(_ word: String, among known: [String]) -> String? {
    if let nearest = nearest(to: word, among: known) { return nearest }
    // An abbreviation that can mean one thing only.
    let begun = known.filter { word.count > 1 && $0.hasPrefix(word.lowercased()) }
    return begun.count == 1 ? begun[0] : nil
  }

  /// The word of `known` that `word` is a slip for, where `word` may also be right as it is.
  ///
  /// Words of fewer than four letters are near too many others, and words that differ only in their
  /// digits are counted ones.
  package static func slip(_ word: String, among known: [String]) -> String? {
    func letters(_ word: String) -> String { word.filter { !$0.isNumber } }
    guard word.count > 3 else { return nil }
    return nearest(
      to: word,
      among: known.filter { $0.count > 3 && letters($0) != letters(word) }
    )
  }

  private static func nearest(to word: String, among known: [String]) -> String? {
    let limit = min(3, max(1, word.count / 3))
    let ranked = known.map { ($0, distance(word.lowercased(), $0.lowercased())) }
    let best = ranked.min { ($0.1, $0.0) < ($1.1, $1.0) }
    return best.flatMap { $0.1 <= limit ? $0.0 : nil }
  }

  /// What is said after an unknown word: a question, or nothing.
  package static func question(_ word: String, among known: [String]) -> String {
    to(word, among: known).map { "; did you mean \($0)?" } ?? ""
  }

  /// How many slips lead from one word to another.
  static func distance(_ first: String, _ second: String) -> Int {
    // No one mistypes a word of this length, and the table would grow with it.
    let (left, right) = (Array(first.prefix(64)), Array(second.prefix(64)))
    var before: [Int] = []
    var above = Array(0...right.count)
    for row in 0..<left.count {
      var line = [row + 1]
      for column in 0..<right.count {
        let cost = left[row] == right[column] ? 0 : 1
        var best = min(line[column] + 1, above[column + 1] + 1, above[column] + cost)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, before[column - 1] + 1)
        }
        line.append(best)
      }
      (before, above) = (above, line)
    }
    return above[right.count]
  }
}
