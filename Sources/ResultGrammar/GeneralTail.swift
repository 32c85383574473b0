/// The tokens of one line, counted from zero.
package struct TokenLine: RandomAccessCollection {
  private let all: [LineToken]
  private let range: Range<Int>

  package init(_ all: [LineToken], _ range: Range<Int>) { (self.all, self.range) = (all, range) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { range.count }

  package subscript(_ index: Int) -> LineToken { all[range.lowerBound + index] }

  /// Whether there are words but those between a number and its maximum.
  var hasWords: Bool { contains { $0.kind == .word && !$0.classes.has(.of) } }

  /// Whether a word at one of these places is of one of the classes; places outside have none.
  package func has(_ classes: WordClasses, in places: Range<Int>) -> Bool {
    places.clamped(to: 0..<count).contains { self[$0].classes.has(classes) }
  }
}

/// What the lines behind a head say of a result of any game: score, time, completion.
package struct GeneralTail {
  package var score: ResultNumber?
  package var maximum: ResultNumber?
  package var time: ResultNumber?
  package var isLost: Bool { saysLost || verdicts == [false] }
  package var isSolved: Bool { saysSolved || verdicts == [true] }
  package var day: CalendarDay?

  /// Whether no clock shows the time.
  package var isLengthOfTime = false
  /// Whether a stopwatch or an hourglass is before the time.
  package private(set) var isMeasured = false
  /// Whether a line is of right and wrong cells and how many there were: `✅14 ⛔3`.
  package private(set) var hasCounts = false
  /// Whether a line has a date of which no one can know the year, or which part is the month.
  package private(set) var hasDate = false
  /// Whether a verb says that the player who writes solved it.
  package private(set) var isOwnVerb = false
  /// Whether the time is all that its line has.
  package var isTimeAlone = false
  /// Whether a medal begins a line.
  package private(set) var hasMedal = false
  /// Whether a share of a hundred is among the values.
  package var hasPercent = false

  /// How surely the lines invite another person to play: 2 where they speak to one, 1 where they
  /// only have an address to play at.
  package var invitation = 0
  /// Whether a ratio is one of guesses: `7/8 tries`.
  package var isTried = false
  /// Whether the score is no more than a number that ends the head's line: `Name #12 — 48`.
  package private(set) var isEndOfHead = false
  /// Whether the score is a ratio that its line begins with and nothing explains: `🎬 7/9`.
  package private(set) var isRound = false
  /// Whether a symbol is before such a ratio.
  package private(set) var isPictured = false
  /// Where numbers begin a line before a word that no list has: `34 zorks`.
  package private(set) var unknownCounts: [Int] = []

  /// How surely something is the score.
  private var rank = Rank.none
  private var saysLost = false
  private var saysSolved = false
  /// Whether it is right, of each line of a tick or a cross and a word; several are about questions.
  private var verdicts: [Bool] = []

  /// What a number is beside, from the least sure to the surest.
  private enum Rank: Int, Comparable {
    /// Nothing; alone in its line; alone as a share of a hundred; a slash; a trophy; a word for
    /// guesses; that and a maximum; a word for points; one behind a ratio; one and a colon before it;
    /// a word for points and a maximum.
    case none, alone, share, ratio, icon, counted, tried, scored, rated, labelled, whole

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  /// Whether words say that the score is one.
  package var isStated: Bool { rank > .ratio }

  package init() {}

  /// Takes what the tokens of one line say; `head` is a puzzle's number that they are behind.
  ///
  /// The words at the places of `name` say nothing of the game's end.
  package mutating func take(
    _ tokens: TokenLine,
    of text: [UInt32],
    behind head: GeneralHead? = nil,
    except name: Range<Int> = 0..<0
  ) {
    let isInviting = invites(tokens, text)
    let isOfSeries = head?.isOfSeries ?? false
    let hasPairs = hasPairs(tokens, text, isBehindNumber: head != nil)
    if hasPairs, head == nil || isOfSeries { hasCounts = true }
    let isValue = isOfSeries ? tokens.isRemark(of: text) : head != nil && !tokens.hasWords
    let isValued = head.map { $0.isScored || $0.time != nil } ?? false
    let question = tokens.startOfQuestion(in: text, isValued: isValued)
    let hasMoment = tokens.hasMoment(in: text)
    for index in 0..<tokens.count {
      let token = tokens[index]
      switch token.kind {
      case .ratio, .lostRatio, .number, .time:
        if index >= question { continue }
      default: break
      }
      switch token.kind {
      case .ratio, .lostRatio:
        let isCrossed = index > 0 && isCross(tokens[index - 1], text)
        takeRatio(
          token,
          index,
          tokens,
          isValue: isValue && !isCrossed,
          isRound: head == nil && !isCrossed && isRound(index, tokens, text)
        )
        // `❌ 6/6`
        if rank == .ratio, isCrossed {
          (saysLost, score) = (true, nil)
        }
      case .number:
        takeNumber(
          token,
          index,
          tokens,
          text,
          isValue: isValue,
          mayCount: head != nil && !hasPairs
        )
      case .time:
        if time == nil, !hasMoment, !tokens.has(.averages, in: index - 3..<index),
          !isLineOfTimes(tokens, text),
          !isMeasure(index, tokens, text)
        {
          time = token.value
          isTimeAlone = tokens.count == 1
          isMeasured = isBehind(Self.stopwatches, index, tokens, text)
          isLengthOfTime =
            token.isLengthOfTime(in: text) || isBehind(Self.clocks, index, tokens, text)
        }
      case .day:
        if day == nil { day = token.value.integer.map { CalendarDay(number: $0) } }
      case .word where name.contains(token.start): break
      case .word:
        takeWord(token, index, tokens, isInviting: isInviting)
      case .symbols:
        if text[token.start] == 0x1F4A5 { saysLost = true }
        if isTick(token, text), isBeforeTime(index, tokens) { saysSolved = true }
        takeVerdict(token, index, tokens, text)
        takeLabelledCell(token, index, tokens, text)
        if index == 0, Self.medals.contains(text[token.start]) { hasMedal = true }
        let isBehindSolved = index > 1 && tokens[index - 2].classes.has(.solved)
        if isBehindSolved, text[token.start] == 0x274C { (saysLost, saysSolved) = (true, false) }
      case .mark: if text[token.start] == 0x25, index > 0 { hasPercent = true }
      case .date: hasDate = true
      case .tag, .sign, .address: break
      }
    }
  }

  /// Whether a line begins with a ratio of few rounds behind symbols that show no place or day, and
  /// nothing says of what it is.
  private func isRound(_ index: Int, _ tokens: TokenLine, _ text: [UInt32]) -> Bool {
    let ratio = tokens[index]
    let isOrdered = ratio.kind == .lostRatio || ratio.value.digits <= ratio.maximum?.digits ?? .max
    return isOrdered && ratio.maximum.map { $0.digits <= Self.mostOfRounds } ?? true
      && tokens[..<index].allSatisfy {
        $0.kind == .symbols && !text[$0.start..<$0.end].contains(where: Self.isPlace)
      }
      && (index + 1 == tokens.count || isSign(tokens[index + 1]))
  }

  /// Whether a symbol is of a landscape, a building, a vehicle, a pin or a calendar.
  private static func isPlace(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x1F3D4...0x1F3F0, 0x1F4C5, 0x1F4C6, 0x1F4CC, 0x1F4CD, 0x1F680...0x1F6FF: true
    default: false
    }
  }

  /// The most that a ratio has which nothing explains, as most games have fewer guesses and rounds.
  private static let mostOfRounds = 20

  /// Takes what a word says of the game's end: `pas trouvé` is lost, `can you beat it` says nothing.
  private mutating func takeWord(
    _ token: LineToken,
    _ index: Int,
    _ tokens: TokenLine,
    isInviting: Bool
  ) {
    guard tokens.count < 12 else { return }
    if token.classes.has(.lost) {
      saysLost = true
      if token.classes.has(.ownVerb) { isOwnVerb = true }
    }
    guard token.classes.has([.solved, .toSolve]) else { return }
    // `pas trouvé`, `klarte ikke`
    if tokens.has(.negations, in: index - 2..<index)
      || tokens.has(.negations, in: index + 1..<index + 2)
    {
      saysLost = true
    } else if token.classes.has(.solved), !isInviting {
      saysSolved = true
      if token.classes.has(.ownVerb) { isOwnVerb = true }
    }
  }

  /// Takes a line of a tick or a cross and one word for right or wrong: `✅ Correct!`, `❌ Incorrect`.
  private mutating func takeVerdict(
    _ token: LineToken,
    _ index: Int,
    _ tokens: TokenLine,
    _ text: [UInt32]
  ) {
    guard index == 0, tokens.count == 2 || tokens.count == 3 && tokens[2].kind == .mark,
      tokens[1].classes.has([.scores, .solved, .lost])
        || Self.wrong.contains(Array(text[tokens[1].start..<tokens[1].end]))
    else { return }
    let isRight = isTick(token, text)
    if isRight || isCross(token, text) { verdicts.append(isRight) }
  }

  /// Takes the only cell behind a label: `Result: 🟩`.
  private mutating func takeLabelledCell(
    _ token: LineToken,
    _ index: Int,
    _ tokens: TokenLine,
    _ text: [UInt32]
  ) {
    guard index > 1, index + 1 == tokens.count, token.end - token.start == 1,
      isColon(tokens[index - 1], text), tokens[index - 2].classes.has(.scores)
    else { return }
    if OpenRows.isHit(text[token.start]) { saysSolved = true }
    if OpenRows.isMiss(text[token.start]) { saysLost = true }
  }

  private static let wrong = ["wrong", "incorrect"].map { Array($0.unicodeScalars.map(\.value)) }

  /// Whether a time follows at once, or behind a word for “in”: `✅ in 5.2s`.
  private func isBeforeTime(_ index: Int, _ tokens: TokenLine) -> Bool {
    let next = tokens.has(.within, in: index + 1..<index + 2) ? index + 2 : index + 1
    return next < tokens.count && tokens[next].kind == .time
  }

  /// Whether a line has several times and cells beside them: `0.5s 🟥 1s 🟩`.
  private func isLineOfTimes(_ tokens: TokenLine, _ text: [UInt32]) -> Bool {
    (0..<tokens.count).count { tokens[$0].kind == .time } > 1
      && (0..<tokens.count).contains {
        tokens[$0].kind == .symbols && Symbols.isSquare(text[tokens[$0].start])
      }
  }

  /// Whether a time is a length or a decade: `Depth: 42m`, `870 m`, `70s: 3`.
  private func isMeasure(_ index: Int, _ tokens: TokenLine, _ text: [UInt32]) -> Bool {
    let token = tokens[index]
    let unit = text[token.start..<token.end].drop { Symbols.isDigit($0) || $0 == 0x20 }
    guard unit.count == 1 else { return false }
    // An hour has a unit of its own, but `solved in 75m` is a time.
    if unit.first == 0x6D, token.value.digits > 3_600 {
      return !tokens.has(.within, in: index - 1..<index) && !tokens.has(.solved, in: 0..<index)
    }
    if unit.first == 0x73 { return index + 1 < tokens.count && isColon(tokens[index + 1], text) }
    return unit.first == 0x6D && index > 1 && isColon(tokens[index - 1], text)
      && tokens[index - 2].classes.has(.lengths)
  }

  /// Whether a line invites a person: `Can you beat me?`, `Play at name.example`.
  private mutating func invites(_ tokens: TokenLine, _ text: [UInt32]) -> Bool {
    let isAsked = tokens.has(.you, in: 0..<tokens.count)
    if isAsked, tokens.contains(where: { text[$0.start] == 0x3F }) {
      invitation = max(invitation, 1)
    }
    guard let verb = tokens.firstIndex(where: { $0.classes.has(.invites) }) else { return false }
    if isAsked || tokens.has(.me, in: verb - 1..<verb + 2) {
      invitation = 2
      return true
    }
    // `Come and try it!`, `— beat that!`
    if verb > 0, verb + 1 < tokens.count, verb + 5 > tokens.count,
      tokens[verb + 1].classes.has([.small, .prose])
    {
      let isParted = isSign(tokens[verb - 1])
      invitation = max(invitation, isParted ? 2 : 1)
      if isParted { return true }
    }
    guard tokens[0].classes.has(.invites) else { return false }
    if (0..<tokens.count).contains(where: { tokens[$0].kind == .address }) {
      invitation = max(invitation, 1)
    }
    return !tokens[0].classes.has(.solved)
  }

  /// Whether a word before says that a number is not a score, and no other number is between them:
  /// `streak: 5/7`, not `level 12 and scored 840`.
  private func isOther(_ index: Int, _ tokens: TokenLine) -> Bool {
    for place in (max(0, index - 4)..<index).reversed() {
      if tokens[place].classes.has(.otherValues) { return true }
      if tokens[place].kind == .number,
        (place + 1..<index).contains(where: {
          tokens[$0].kind == .word && !tokens[$0].classes.has(.of)
        })
      {
        return false
      }
    }
    return false
  }

  private mutating func takeRatio(
    _ token: LineToken,
    _ index: Int,
    _ tokens: TokenLine,
    isValue: Bool,
    isRound: Bool
  ) {
    guard !isOther(index, tokens) else { return }
    let isScored = tokens.has(.scores, in: index - 3..<index)
    let countsScore = tokens.has(.scores, in: index + 1..<index + 2)
    // `I solved Name in 4/8`
    let isWithin =
      tokens.has(.within, in: index - 1..<index) && tokens.has(.solved, in: 0..<index)
      && token.value.digits <= token.maximum?.digits ?? 0
    isTried =
      tokens.has(.attempts, in: index - 3..<index)
      || index + 1 < tokens.count && tokens[index + 1].classes.has(.attempts)
    let isCounted = isValue || isWithin
    let wanted: Rank =
      isScored
      ? .whole : countsScore ? .rated : isTried ? .tried : isCounted ? .counted : .ratio
    guard reach(wanted) else { return }
    (self.isRound, isEndOfHead) = (isRound && wanted == .ratio, false)
    isPictured = index > 0
    maximum = token.maximum
    if token.kind == .lostRatio {
      (saysLost, score) = (true, nil)
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
    _ tokens: TokenLine,
    _ text: [UInt32],
    isValue: Bool,
    mayCount: Bool
  ) {
    guard !isOther(index, tokens) else { return }
    if time == nil, isBehind(Self.clocks, index, tokens, text) {
      (time, isLengthOfTime) = (token.value, true)
      return
    }
    let most = most(behind: index, tokens)
    let next = most?.next ?? index + 1
    let isScored =
      isScored(index, tokens, text) || next < tokens.count && tokens[next].classes.has(.scores)
    let isCounted =
      isCounted(index, next: next, tokens, text)
      || most != nil
        && (isValue && tokens[..<index].allSatisfy(isSign)
          || tokens[..<index].allSatisfy(isSign) && next + 1 == tokens.count && isUnit(tokens[next])
          || tokens.has(.attempts, in: index - 1..<index)
          || tokens.count < 12 && tokens.has([.solved, .scores], in: 0..<tokens.count))
    let wanted: Rank =
      most != nil && (isScored || isCounted)
      ? .whole
      : isScored
        ? isLabelled(index, tokens, text) ? .labelled : .scored
        : isCounted
          ? .counted
          : isBehind(Self.trophies, index, tokens, text)
            ? .icon
            : isShare(index, tokens, text)
              ? .share
              : isAlone(index, tokens, text)
                || mayCount && (countsAnything(index, tokens, text) || isLast(index, tokens))
                ? .alone : .none
    if index == 0, wanted == .none, index + 1 < tokens.count, tokens[1].kind == .word,
      tokens[1].classes.isEmpty
    {
      unknownCounts.append(token.start)
    }
    guard reach(wanted) else { return }
    (isRound, isEndOfHead) = (false, wanted == .alone && isLast(index, tokens))
    // `2/5`, and `in 2 tries` below it.
    let isSame = score == token.count && wanted == .counted
    score =
      isNegative(index, tokens, text)
      ? ResultNumber(digits: -token.value.digits, scale: token.value.scale) : token.count
    maximum = wanted == .share ? ResultNumber(100) : most?.value ?? (isSame ? maximum : nil)
  }

  /// Whether nothing but marks is before a number that ends a line: `— 48,210`.
  private func isLast(_ index: Int, _ tokens: TokenLine) -> Bool {
    index > 0 && index + 1 == tokens.count && tokens[..<index].allSatisfy { $0.kind == .mark }
  }

  /// Whether a line, or what is behind its head, is a number and a sign for a hundredth: `92%`.
  private func isShare(_ index: Int, _ tokens: TokenLine, _ text: [UInt32]) -> Bool {
    guard index + 2 == tokens.count, text[tokens[index + 1].start] == 0x25 else { return false }
    return (0..<index).allSatisfy { tokens[$0].kind == .mark || tokens[$0].kind == .symbols }
  }

  private func isScored(
    _ index: Int,
    _ tokens: TokenLine,
    _ text: [UInt32]
  ) -> Bool {
    let index = isNegative(index, tokens, text) ? index - 1 : index
    return isLabelled(index, tokens, text) || index > 0 && tokens[index - 1].classes.has(.scores)
      || index > 1 && tokens[index - 1].classes.has(.of) && tokens[index - 2].classes.has(.scores)
      || index + 1 < tokens.count && tokens[index + 1].classes.has(.scores) && tokens.count < 14
  }

  /// Whether a word for points and a colon are before a number: `Score: 1760`.
  private func isLabelled(_ index: Int, _ tokens: TokenLine, _ text: [UInt32]) -> Bool {
    let index = isNegative(index, tokens, text) ? index - 1 : index
    return index > 1 && isColon(tokens[index - 1], text) && tokens[index - 2].classes.has(.scores)
  }

  /// Whether a hyphen is right before a number, and a colon before that: `Score: -3`.
  private func isNegative(_ index: Int, _ tokens: TokenLine, _ text: [UInt32]) -> Bool {
    index > 1 && text[tokens[index - 1].start] == 0x2D
      && tokens[index - 1].end == tokens[index].start
      && isColon(tokens[index - 2], text)
  }

  /// Whether a word for guesses is behind a number, which are not those that are left, or before it.
  private func isCounted(
    _ index: Int,
    next: Int,
    _ tokens: TokenLine,
    _ text: [UInt32]
  ) -> Bool {
    if next < tokens.count, tokens[next].classes.has(.attempts) {
      return !tokens.has(.unused, in: next..<next + 3)
    }
    if index > 1, isColon(tokens[index - 1], text), tokens[index - 2].classes.has(.attempts) {
      return true
    }
    let isBehindWithin = index > 0 && tokens[index - 1].classes.has(.within)
    // `Time 1:12 • Moves 34`
    if index > 0, tokens[index - 1].classes.has(.attempts),
      next == tokens.count || isSign(tokens[next]),
      index == 1 || isSign(tokens[index - 2])
    {
      return true
    }
    // `3 wrong guesses`
    if next + 1 < tokens.count, tokens[next].kind == .word, tokens[next].classes.isEmpty,
      tokens[next + 1].classes.has(.attempts)
    {
      return true
    }
    if isBehindWithin || index < 7 && tokens.has(.solved, in: 0..<index),
      countsAnything(index, tokens, text)
    {
      return true
    }
    // `4. Versuch`
    if next + 1 < tokens.count, [0x2E, 0xB0, 0xBA].contains(text[tokens[next].start]),
      tokens[next + 1].classes.has(.attempts)
    {
      return true
    }
    if index == 0, countsInTime(tokens) { return true }
    // `I solved Name in 3.`, `Got it in 3!`
    return index > 1 && tokens[index - 1].classes.has(.within)
      && tokens.has([.solved, .played], in: 0..<min(index, 6)) && tokens[index].value.digits < 1000
      && (next == tokens.count || isSign(tokens[next]) && !isColon(tokens[next], text))
  }

  /// Whether a line is a number, a word for what it counts, and a time: `5 clicks in 1:34`.
  private func countsInTime(_ tokens: TokenLine) -> Bool {
    tokens.count == 4 && isUnit(tokens[1]) && tokens[2].classes.has(.within)
      && tokens[3].kind == .time
  }

  /// Whether a word counts neither mistakes nor hints.
  private func isUnit(_ token: LineToken) -> Bool {
    token.kind == .word && !token.classes.has(.labels.union([.otherValues, .work]))
  }

  /// Whether one word ends the sentence behind a number, and says that it counts neither mistakes nor
  /// hints: `Finished with 1,250 chips`.
  private func countsAnything(_ index: Int, _ tokens: TokenLine, _ text: [UInt32]) -> Bool {
    guard index + 1 < tokens.count, isUnit(tokens[index + 1]) else { return false }
    let next = index + 2
    return next == tokens.count || next + 1 == tokens.count && isSign(tokens[next])
      || [0x21, 0x2E].contains(text[tokens[next].start])
  }

  /// Whether a token is a mark or symbols.
  private func isSign(_ token: LineToken) -> Bool { token.kind == .mark || token.kind == .symbols }

  /// The maximum of `4 of 6`, and where what follows it begins.
  private func most(
    behind index: Int,
    _ tokens: TokenLine
  ) -> (value: ResultNumber, next: Int)? {
    guard index + 2 < tokens.count else { return nil }
    for place in index + 1..<min(index + 4, tokens.count) {
      if tokens[place].kind == .number, place > index + 1 {
        let isOrdered = tokens[place].value.digits >= tokens[index].value.digits
        return isOrdered ? (tokens[place].value, place + 1) : nil
      }
      guard tokens[place].classes.has(.of) else { return nil }
    }
    return nil
  }

  /// Whether a line has no more than numbers and what they count: symbols before them, a cell among
  /// them; or words behind them, a number above nine among them and a puzzle's number before all:
  /// `✅14 ⛔3`, `#12: 41 słów, 212 znaków`.
  private func hasPairs(_ tokens: TokenLine, _ text: [UInt32], isBehindNumber: Bool) -> Bool {
    guard (4...12).contains(tokens.count) else { return false }
    var numbers = 0
    var isOfGame = false
    for index in tokens.indices {
      let isFirst = index == 0
      switch tokens[index].kind {
      case .number where !isFirst && tokens[index - 1].kind == .symbols:
        numbers += 1
        let symbol = text[tokens[index - 1].end - 1]
        if OpenRows.isHit(symbol) || OpenRows.isMiss(symbol) { isOfGame = true }
      case .number where isBehindNumber && index + 1 < tokens.count && isUnit(tokens[index + 1]):
        numbers += 1
        if tokens[index].value.digits > 9 { isOfGame = true }
      case .word where isBehindNumber && !isFirst && tokens[index - 1].kind == .number: break
      case .mark, .symbols: break
      default: return false
      }
    }
    return numbers > 1 && isOfGame
  }

  /// Whether one of these symbols is right before a value, with a colon or a label between them.
  private func isBehind(
    _ symbols: Set<UInt32>,
    _ index: Int,
    _ tokens: TokenLine,
    _ text: [UInt32]
  ) -> Bool {
    var before = index - 1
    if before > 0, isColon(tokens[before], text) { before -= 1 }
    if before > 0, tokens[before].classes.has(.label) { before -= 1 }
    guard before >= 0, tokens[before].kind == .symbols else { return false }
    return symbols.contains(text[tokens[before].end - 1])
  }

  /// Whether a line is a number, or begins with one that a mark parts from what follows.
  private func isAlone(_ index: Int, _ tokens: TokenLine, _ text: [UInt32]) -> Bool {
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

  /// Whether a token is one tick.
  private func isTick(_ token: LineToken, _ text: [UInt32]) -> Bool {
    token.end - token.start == 1 && (text[token.start] == 0x2714 || text[token.start] == 0x2705)
  }

  /// Watches and hourglasses, before a time.
  static let clocks = Set<UInt32>([
    0x23F0, 0x23F1, 0x23F2, 0x23F3, 0x231A, 0x231B, 0x1F570,
  ]).union(0x1F550...0x1F567)
  private static let stopwatches: Set<UInt32> = [0x23F1, 0x23F2, 0x23F3, 0x231B]
  private static let medals = Set<UInt32>([0x1F3C5]).union(0x1F947...0x1F949)
  /// What is before the score of a whole game.
  private static let trophies: Set<UInt32> = [0x1F3C6, 0x1F4DD]

  private func isColon(_ token: LineToken, _ text: [UInt32]) -> Bool { text[token.start] == 0x3A }
}
