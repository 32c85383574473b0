/// What the lines behind a head say of a result of any game: score, time, completion.
struct GeneralTail {
  var score: ResultNumber?
  var maximum: ResultNumber?
  var time: ResultNumber?
  var isLost = false
  var isSolved = false
  var day: CalendarDay?

  /// Whether no clock shows the time.
  var isLengthOfTime = false
  /// Whether a share of a hundred is among the values.
  var hasPercent = false

  /// How surely something is the score.
  private var rank = Rank.none

  /// What a number is beside, from the least sure to the surest.
  private enum Rank: Int, Comparable {
    /// Nothing; alone in its line; a slash; a trophy; a word for guesses; that and a maximum; a word
    /// for points; that and a maximum.
    case none, alone, ratio, icon, counted, tried, scored, whole

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  /// Whether words say that the score is one.
  var isStated: Bool { rank > .ratio }

  /// Takes what the tokens of one line say.
  mutating func take(_ tokens: [LineToken], of text: [UInt32], isFirst: Bool) {
    let words = tokens.map { $0.kind == .word || $0.kind == .tag ? Self.word($0, text) : "" }
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .ratio, .lostRatio:
        takeRatio(token, index, words)
        // `❌ 6/6`
        if rank == .ratio, index > 0, isCross(tokens[index - 1], text) {
          (isLost, score) = (true, nil)
        }
      case .number: takeNumber(token, index, words, tokens, text)
      case .time:
        if time == nil, !isAverage(index, words) {
          time = token.value
          isLengthOfTime =
            token.isLengthOfTime(in: text) || isBehind(Self.clocks, index, tokens, text)
        }
      case .day:
        if day == nil { day = token.value.integer.map { CalendarDay(number: $0) } }
      case .word:
        if GeneralWords.lost.contains(words[index]), tokens.count < 12 { isLost = true }
        if GeneralWords.solved.contains(words[index]), tokens.count < 12 { isSolved = true }
      case .symbols:
        if text[token.start] == 0x1F4A5 { isLost = true }
        let isBehindSolved = index > 1 && GeneralWords.solved.contains(words[index - 2])
        if isBehindSolved, text[token.start] == 0x274C { (isLost, isSolved) = (true, false) }
      case .mark: if text[token.start] == 0x25, index > 0 { hasPercent = true }
      case .tag, .sign, .date, .address: break
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
    words[max(0, index - 4)..<index].contains { GeneralWords.otherValues.contains($0) }
  }

  private mutating func takeRatio(_ token: LineToken, _ index: Int, _ words: [String]) {
    guard !isOther(index, words) else { return }
    let before = words[max(0, index - 3)..<index]
    let isScored = before.contains { GeneralWords.scores.contains($0) }
    let isTried = before.contains { GeneralWords.attempts.contains($0) }
    guard reach(isScored ? .whole : isTried ? .tried : .ratio) else { return }
    maximum = token.maximum
    if token.kind == .lostRatio {
      (isLost, score) = (true, nil)
    } else {
      score = token.value
    }
  }

  /// Whether `wanted` is surer than what was found; it is kept then.
  private mutating func reach(_ wanted: Rank) -> Bool {
    guard wanted > rank else { return false }
    rank = wanted
    return true
  }

  private mutating func takeNumber(
    _ token: LineToken,
    _ index: Int,
    _ words: [String],
    _ tokens: [LineToken],
    _ text: [UInt32]
  ) {
    guard !isOther(index, words) else { return }
    if time == nil, isBehind(Self.clocks, index, tokens, text) {
      (time, isLengthOfTime) = (token.value, true)
      return
    }
    let most = most(behind: index, words, tokens)
    let isScored = isScored(index, words, tokens, text)
    let next = most?.next ?? index + 1
    let isCounted = isCounted(index, next: next, words, tokens, text)
    let wanted: Rank =
      most != nil && (isScored || isCounted)
      ? .whole
      : isScored
        ? .scored
        : isCounted
          ? .counted
          : isBehind(Self.trophies, index, tokens, text)
            ? .icon
            : isAlone(index, tokens, text) ? .alone : .none
    guard reach(wanted) else { return }
    score = token.count
    maximum = most?.value
  }

  private func isScored(
    _ index: Int,
    _ words: [String],
    _ tokens: [LineToken],
    _ text: [UInt32]
  ) -> Bool {
    let next = index + 1 < words.count ? words[index + 1] : ""
    return index > 1 && isColon(tokens[index - 1], text)
      && GeneralWords.scores.contains(words[index - 2])
      || index > 0 && GeneralWords.scores.contains(words[index - 1])
      || index > 1 && GeneralWords.of.contains(words[index - 1])
        && GeneralWords.scores.contains(words[index - 2])
      || GeneralWords.scores.contains(next) && tokens.count < 8
  }

  /// Whether a word for guesses is behind a number, which are not those that are left, or before it.
  private func isCounted(
    _ index: Int,
    next: Int,
    _ words: [String],
    _ tokens: [LineToken],
    _ text: [UInt32]
  ) -> Bool {
    let following = words[min(next, words.count)...].prefix(3)
    if let first = following.first, GeneralWords.attempts.contains(first) {
      return !following.contains { ["spare", "left", "remaining"].contains($0) }
    }
    return index > 1 && isColon(tokens[index - 1], text)
      && GeneralWords.attempts.contains(words[index - 2])
  }

  /// The maximum of `4 of 6`, and where what follows it begins.
  private func most(
    behind index: Int,
    _ words: [String],
    _ tokens: [LineToken]
  ) -> (value: ResultNumber, next: Int)? {
    guard index + 2 < tokens.count else { return nil }
    for place in index + 1..<min(index + 4, tokens.count) {
      if tokens[place].kind == .number, place > index + 1 {
        let isOrdered = tokens[place].value.digits >= tokens[index].value.digits
        return isOrdered ? (tokens[place].value, place + 1) : nil
      }
      guard GeneralWords.of.contains(words[place]) else { return nil }
    }
    return nil
  }

  /// Whether one of these symbols is right before a value, with a colon between them or none.
  private func isBehind(
    _ symbols: Set<UInt32>,
    _ index: Int,
    _ tokens: [LineToken],
    _ text: [UInt32]
  ) -> Bool {
    var before = index - 1
    if before > 0, isColon(tokens[before], text) { before -= 1 }
    guard before >= 0, tokens[before].kind == .symbols else { return false }
    return symbols.contains(text[tokens[before].end - 1])
  }

  /// Whether a line is a number, or begins with one that a mark parts from what follows.
  private func isAlone(_ index: Int, _ tokens: [LineToken], _ text: [UInt32]) -> Bool {
    guard index == 0 else { return false }
    guard tokens.count > 1 else { return true }
    switch text[tokens[1].start] {
    case 0x7C, 0xB7, 0x2022: return true
    default: return false
    }
  }

  /// Whether a token is one cross.
  private func isCross(_ token: LineToken, _ text: [UInt32]) -> Bool {
    token.kind == .symbols && token.end - token.start == 1
      && [0x274C, 0x2717, 0x2718].contains(text[token.start])
  }

  /// Watches and hourglasses, before a time.
  private static let clocks = Set<UInt32>([0x23F0, 0x23F1, 0x23F2, 0x23F3, 0x231A, 0x231B])
    .union(0x1F550...0x1F567)
  /// What is before the score of a whole game.
  private static let trophies: Set<UInt32> = [0x1F3C6, 0x1F4DD]

  private func isColon(_ token: LineToken, _ text: [UInt32]) -> Bool { text[token.start] == 0x3A }
}
