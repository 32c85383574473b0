/// What the lines behind a head say of a result of any game: score, time, completion.
struct GeneralTail {
  var score: ResultNumber?
  var maximum: ResultNumber?
  var time: ResultNumber?
  var isLost = false
  var isSolved = false
  var day: CalendarDay?

  /// Whether the score is a number beside a word for guesses.
  var countsAttempts = false

  /// How surely something is the score: a ratio, a number with a word that counts, or a ratio that
  /// something else may be.
  private var rank = 0

  /// Takes what the tokens of one line say.
  mutating func take(_ tokens: [LineToken], of text: [UInt32], isFirst: Bool) {
    let words = tokens.map { $0.kind == .word || $0.kind == .tag ? Self.word($0, text) : "" }
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .ratio, .lostRatio: takeRatio(token, index, words)
      case .number: takeNumber(token, index, words, tokens, text)
      case .time:
        if time == nil, !isAverage(index, words) { time = token.value }
      case .day:
        if day == nil { day = token.value.integer.map { CalendarDay(number: $0) } }
      case .word:
        if GeneralWords.lost.contains(words[index]), tokens.count < 12 { isLost = true }
        if GeneralWords.solved.contains(words[index]), tokens.count < 12 { isSolved = true }
      case .symbols:
        if text[token.start] == 0x1F4A5 { isLost = true }
        let isBehindSolved = index > 1 && GeneralWords.solved.contains(words[index - 2])
        if isBehindSolved, text[token.start] == 0x274C { (isLost, isSolved) = (true, false) }
      case .tag, .sign, .date, .address, .mark: break
      }
    }
  }

  static func word(_ token: LineToken, _ text: [UInt32]) -> String {
    String(text[(token.kind == .tag ? token.start + 1 : token.start)..<token.end])
  }

  private func isAverage(_ index: Int, _ words: [String]) -> Bool {
    words[max(0, index - 3)..<index].contains {
      ["average", "avg", "best", "streak", "record", "mean", "next"].contains($0)
    }
  }

  /// Whether a word before says that a number is not a score: `streak: 5/7`.
  private func isOther(_ index: Int, _ words: [String]) -> Bool {
    words[max(0, index - 4)..<index].contains {
      [
        "rank", "streak", "average", "avg", "best", "max", "top", "hint", "hints", "played", "wins",
        "round", "rarity", "uniqueness", "skill", "luck", "accuracy", "racha", "serie", "série",
      ].contains($0)
    }
  }

  private mutating func takeRatio(_ token: LineToken, _ index: Int, _ words: [String]) {
    guard !isOther(index, words) else { return }
    let isNamed = words[max(0, index - 3)..<index].contains {
      GeneralWords.scores.contains($0) || GeneralWords.attempts.contains($0)
    }
    let wanted = isNamed ? 4 : 2
    guard wanted > rank else { return }
    rank = wanted
    maximum = token.maximum
    if token.kind == .lostRatio {
      (isLost, score) = (true, nil)
    } else {
      score = token.value
    }
  }

  private mutating func takeNumber(
    _ token: LineToken,
    _ index: Int,
    _ words: [String],
    _ tokens: [LineToken],
    _ text: [UInt32]
  ) {
    guard !isOther(index, words) else { return }
    let next = index + 1 < words.count ? words[index + 1] : ""
    let isCounted =
      GeneralWords.attempts.contains(next)
      || index > 1 && isColon(tokens[index - 1], text)
        && GeneralWords.attempts.contains(words[index - 2])
    let isScored =
      index > 1 && isColon(tokens[index - 1], text)
      && GeneralWords.scores.contains(words[index - 2])
      || index > 0 && GeneralWords.scores.contains(words[index - 1])
      || GeneralWords.scores.contains(next) && tokens.count < 8
    let wanted = isScored ? 3 : isCounted ? 3 : 0
    guard wanted > rank else { return }
    rank = wanted
    score = token.value
    maximum = nil
    countsAttempts = isCounted
  }

  private func isColon(_ token: LineToken, _ text: [UInt32]) -> Bool { text[token.start] == 0x3A }
}
