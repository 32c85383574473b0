/// The results of one puzzle, found by their players and by what they came to; the first of each counts.
struct KnownResults {
  private var byPlayer: [String?: ResultLedger.KnownResult] = [:]
  private var byContent: [ResultContent: ResultLedger.KnownResult] = [:]
  /// Those of players whom their file does not know.
  private var unknown: [ResultContent: ResultLedger.KnownResult] = [:]

  init(_ first: ResultLedger.KnownResult) { add(first) }

  mutating func add(_ result: ResultLedger.KnownResult) {
    if byPlayer[result.player] == nil { byPlayer[result.player] = result }
    if byContent[result.content] == nil { byContent[result.content] = result }
    if !result.isPlayerKnown, unknown[result.content] == nil { unknown[result.content] = result }
  }

  /// The result of a player; `nil` is the owner.
  func result(of player: String?) -> ResultLedger.KnownResult? { byPlayer[player] }

  /// The result that came to the same, unless both files know whose theirs is.
  func result(alike content: ResultContent, isPlayerKnown: Bool) -> ResultLedger.KnownResult? {
    isPlayerKnown ? unknown[content] : byContent[content]
  }
}
