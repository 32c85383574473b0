import ResultGrammar

/// The names of games, found in texts by their first two characters.
struct GameNames: Sendable {
  private var buckets = [[Entry]](repeating: [], count: Self.bucketCount)
  private var isUsed = [Bool](repeating: false, count: Self.bucketCount)

  private static let bucketCount = 4096

  private struct Entry: Sendable {
    let game: GameBox
    /// The third character of the name; zero where words may be joined there.
    let third: UInt32
  }

  init(_ games: [GameBox]) {
    for game in games where game.name.count > 2 && !game.name[..<2].contains(0x20) {
      let bucket = Self.bucket(game.name[0], game.name[1])
      buckets[bucket].append(Entry(game: game, third: game.name[2] == 0x20 ? 0 : game.name[2]))
      isUsed[bucket] = true
    }
  }

  /// The longest name at `place`.
  func name(in text: [UInt32], at place: Int, before limit: Int) -> (game: GameBox, end: Int)? {
    guard place + 1 < limit else { return nil }
    var longest: (game: GameBox, end: Int)?
    let third = place + 2 < limit ? text[place + 2] : 0
    for entry in buckets[Self.bucket(text[place], text[place + 1])]
    where entry.third == third || entry.third == 0 {
      guard let end = Self.end(of: entry.game, in: text, at: place, before: limit),
        end > longest?.end ?? 0
      else { continue }
      longest = (entry.game, end)
    }
    return longest
  }

  /// Whether any name may begin with these two characters.
  func mayBegin(_ first: UInt32, _ second: UInt32) -> Bool {
    isUsed[Self.bucket(first, second)]
  }

  private static func bucket(_ first: UInt32, _ second: UInt32) -> Int {
    Int((first &* 0x9E37_79B1 &+ second &* 0x85EB_CA6B) >> 20)
  }

  /// Where the name of `game` ends, when it is at `start`.
  static func end(of game: GameBox, in text: [UInt32], at start: Int, before limit: Int) -> Int? {
    var place = start
    for scalar in game.name {
      if scalar == 0x20 {
        if place < limit, text[place] == 0x20 || text[place] == 0x2D { place += 1 }
      } else {
        guard place < limit, text[place] == scalar else { return nil }
        place += 1
      }
    }
    return place
  }

  /// A name in normal form, with a space wherever a word of it may begin: `guess the game`.
  static func scalars(of name: String) -> [UInt32] {
    var scalars: [UInt32] = []
    var wasSmall = false
    for scalar in name.unicodeScalars {
      if scalar.properties.isUppercase, wasSmall, scalars.last != 0x20 { scalars.append(0x20) }
      if let folded = NormalText.fold(scalar.value) { scalars.append(folded) }
      wasSmall = scalar.properties.isLowercase
    }
    return scalars
  }
}
