import ResultGrammar

extension ResultReader {
  enum Verdict {
    case result(GameResult)
    case refused(Refusal)
    /// It lacks what every form of the game has, and may still say what the game's result was.
    case otherForm(Refusal)
    /// It has the name of a game and words that make it another one's.
    case otherGame(Refusal)
    /// It is chatter that names a game.
    case nothing
    /// It may be chatter, or a form of an undescribed game.
    case unclear
  }

  /// What is known of one result while it is judged.
  struct Draft {
    let gameBox: GameBox
    let formBox: FormBox
    let body: Body
    /// Where the region that belongs to the result begins.
    let start: Int
    var score: ResultNumber?
    var isLost = false
    var maximum: Int64?
    var isCompleted = false
    /// Whether rows are missing at the end of the text.
    var isTruncated = false
    var extra: [GameResult.Field] = []
  }

  /// Holds the text around one head against the rules of its game.
  mutating func judge(_ body: Body, bytes: [UInt8], sentOn day: CalendarDay?) -> Verdict {
    let head = catalogue.heads[body.head.head]
    let box = head.form
    let start = body.start
    var draft = Draft(gameBox: head.game, formBox: box, body: body, start: start)
    let kept = runner.captures.count
    for pattern in box.form.finds { _ = find(pattern, from: start, before: body.end) }
    let finds = kept..<runner.captures.count
    let verdict: Verdict
    do throws(Refused) {
      try judge(&draft, finds: finds)
      if let word = otherGame(draft, bytes) {
        throw .otherGame(word)
      }
      verdict = .result(try assemble(draft, finds: finds, bytes: bytes, sentOn: day))
    } catch {
      verdict = refusal(error, of: draft, bytes)
    }
    runner.forget(to: kept)
    return verdict
  }

  private func refusal(_ refused: Refused, of draft: Draft, _ bytes: [UInt8]) -> Verdict {
    switch refused {
    // `Capital Name #12`
    case .chatter: return otherGame(draft, bytes) == nil ? .nothing : .unclear
    case .unclear: return .unclear
    case .rule(let cause), .missing(let cause):
      // The rules of a game hold for no other one that has its name as well.
      if let word = otherGame(draft, bytes) {
        return refusal(.otherGame(word), of: draft, bytes)
      }
      if case .missing = refused { return .otherForm(refusal(cause, of: draft)) }
      return .refused(refusal(cause, of: draft))
    case .otherGame(let word):
      let cause = "a word beside its name makes it another game, found \(word)"
      return .otherGame(refusal(cause, of: draft))
    }
  }

  private func refusal(_ cause: String, of draft: Draft) -> Refusal {
    let head = draft.body.head
    return Refusal(
      game: draft.gameBox.game.id,
      gameName: draft.gameBox.game.name,
      cause: cause,
      range: Int(text.places[head.start])..<Int(text.places[head.end])
    )
  }

  /// Why a draft is no result.
  enum Refused: Error {
    case chatter
    /// Words are around its head, and no score is there.
    case unclear
    case rule(String)
    /// Something is not there that its form wants.
    case missing(String)
    case otherGame(String)
  }

  private mutating func judge(_ draft: inout Draft, finds: Range<Int>) throws(Refused) {
    // What it needs may appear with another result only.
    for need in draft.formBox.form.needs where !self.finds([need], in: draft) { throw .chatter }
    if let refusal = draft.formBox.form.refusal {
      if isInSentence(draft.body.head) { throw .chatter }
      throw .rule(refusal)
    }
    takeStated(&draft, finds: finds)
    for pattern in draft.formBox.form.lost {
      let kept = runner.captures.count
      let isThere = find(pattern, from: draft.start, before: draft.body.end)
      runner.forget(to: kept)
      if isThere {
        draft.isLost = true
        draft.score = nil
      }
    }
    if draft.score == nil, !draft.isLost, draft.formBox.form.mayBeLostInWords, saysLost(draft) {
      draft.isLost = true
    }
    if let rule = draft.formBox.form.grid { try readGrid(rule, into: &draft) }
    if let rule = draft.formBox.form.boards { try readBoards(rule, into: &draft) }
    switch draft.formBox.form.score {
    case .count(let scalars): draft.score = ResultNumber(count(of: scalars, in: draft))
    case .signs(let counted, let known): try countSigns(counted, known, in: &draft)
    default: break
    }
    for rule in draft.formBox.form.counts {
      let count = ResultNumber(count(of: rule.scalars, areOthers: rule.areOthers, in: draft))
      draft.extra.append(.init(name: draft.gameBox.game.slots[rule.slot], value: .number(count)))
    }
    if draft.formBox.form.score == .none { draft.score = nil }
    if draft.formBox.form.overIsLost, let score = draft.score, score.digits > draft.maximum ?? .max
    {
      draft.score = nil
      draft.isLost = true
    }
    try takeCompletion(&draft)
    switch draft.formBox.form.score {
    case .stated where draft.score == nil && !draft.isLost,
      .sum where draft.score == nil && !draft.isLost:
      if isInSentence(draft.body.head) { throw .unclear }
      throw .missing("no score belongs to it")
    default: try checkScore(draft)
    }
  }

  /// Whether words or signs in the text say that the game was lost, of which the form says nothing.
  private mutating func saysLost(_ draft: Draft) -> Bool {
    var tail = GeneralTail()
    let first = lines.index(at: draft.start)
    for index in first..<lines.lines.count where lines.lines[index].start < draft.body.end {
      guard index < first + Self.mostLinesOfEnd else { break }
      let range = tokens(ofLine: index)
      tail.take(TokenLine(lineTokens.tokens, range), of: text.scalars)
    }
    return tail.isLost
  }

  /// In so many lines a game says that it was lost.
  private static let mostLinesOfEnd = 4

  /// How many of these signs are in the rows of squares, or in the text of a game without rows.
  private func count(of scalars: [UInt32], areOthers: Bool = false, in draft: Draft) -> Int {
    let ranges =
      draft.formBox.form.grid == nil ? [draft.start..<draft.body.end] : grid.rows.map(\.range)
    return ranges.reduce(0) { sum, range in
      sum
        + text.scalars[range].count {
          areOthers ? Symbols.isSymbol($0) && !scalars.contains($0) : scalars.contains($0)
        }
    }
  }

  /// Counts the signs of one kind in the first block of symbols.
  ///
  /// Signs that the game does not know may represent those that count: then no one can say how many
  /// there are.
  private func countSigns(
    _ counted: [UInt32],
    _ known: [UInt32],
    in draft: inout Draft
  ) throws(Refused) {
    var block = draft.start..<draft.start
    var symbols = 0
    for place in draft.start..<draft.body.end {
      let scalar = text.scalars[place]
      let isBlankLine =
        scalar == 0x0A && place > block.lowerBound && text.scalars[place - 1] == 0x0A
      if isBlankLine || Symbols.isLetter(scalar) || Symbols.isDigit(scalar) {
        if symbols > 2 { break }
        (block, symbols) = (place + 1..<place + 1, 0)
      } else {
        if Symbols.isSymbol(scalar) { symbols += 1 }
        block = block.lowerBound..<place + 1
      }
    }
    guard symbols > 2 else {
      if isInSentence(draft.body.head) { throw .chatter }
      throw .missing("no rows of symbols belong to it")
    }
    let signs = text.scalars[block]
    let count = signs.count { counted.contains($0) }
    let isKnown = count > 0 || signs.contains { known.contains($0) }
    draft.score = isKnown ? ResultNumber(count) : nil
  }

  /// Whether one of `patterns` is in the text of the draft, its head included.
  private mutating func finds(_ patterns: [TextPattern], in draft: Draft) -> Bool {
    let kept = runner.captures.count
    let start = min(draft.start, draft.body.head.start)
    let isThere = patterns.contains { find($0, from: start, before: draft.body.end) }
    runner.forget(to: kept)
    return isThere
  }

  private mutating func takeCompletion(_ draft: inout Draft) throws(Refused) {
    switch draft.formBox.form.completed {
    case .scored, .always: draft.isCompleted = !draft.isLost
    case .never:
      (draft.isCompleted, draft.isLost, draft.score) = (false, true, nil)
    case .full: draft.isCompleted = draft.score?.integer.map(Int64.init) == draft.maximum
    case .atLeast(let least): draft.isCompleted = (draft.score?.digits ?? -1) >= least
    case .counted(let slot, let least):
      let name = draft.gameBox.game.slots[slot]
      if case .number(let number)? = draft.extra.first(where: { $0.name == name })?.value {
        draft.isCompleted = number.digits >= least
      }
    case .contains(let patterns):
      draft.isCompleted = finds(patterns, in: draft)
      if !draft.isCompleted { (draft.isLost, draft.score) = (true, nil) }
    case .lacks(let patterns): draft.isCompleted = !finds(patterns, in: draft)
    }
  }

  private func takeStated(_ draft: inout Draft, finds: Range<Int>) {
    if let maximum = capture(Slot.maximum, draft, finds) {
      draft.maximum = maximum.reading.value
    } else {
      draft.maximum = draft.gameBox.game.maximum.map(Int64.init)
    }
    if draft.formBox.form.score == .sum {
      let found = finds.map { runner.captures[$0] }.filter { $0.reading.form == .number }
      let sum = found.reduce(0) { $0 + $1.reading.value }
      draft.score = found.isEmpty ? nil : ResultNumber(Int(sum))
      return
    }
    let slot = draft.formBox.form.score == .time ? Slot.time : Slot.score
    guard let score = capture(slot, draft, finds) else { return }
    if score.reading.form == .lost {
      draft.isLost = true
    } else {
      draft.score = ResultNumber(digits: score.reading.value, scale: score.reading.scale)
    }
  }

  /// What the head, or else a find, kept under `slot`.
  func capture(_ slot: Int, _ draft: Draft, _ finds: Range<Int>) -> Capture? {
    for index in draft.body.head.captures where runner.captures[index].slot == slot {
      return runner.captures[index]
    }
    return finds.lazy.map { runner.captures[$0] }.filter { $0.slot == slot }
      .min { $0.start < $1.start }
  }

  private func checkScore(_ draft: Draft) throws(Refused) {
    if !draft.formBox.form.maxima.isEmpty, let maximum = draft.maximum,
      !draft.formBox.form.maxima.contains(maximum)
    {
      let known = draft.formBox.form.maxima.map(String.init).joined(separator: ", ")
      throw .rule("the maximum \(maximum) is not the game's: \(known)")
    }
    guard let score = draft.score else { return }
    if let scores = draft.formBox.form.scores {
      guard let value = score.integer, scores.contains(Int64(value)) else {
        throw .rule(
          "the score \(score) is not between \(scores.lowerBound) and \(scores.upperBound)"
        )
      }
    } else if let maximum = draft.maximum, draft.formBox.form.score != .time {
      let least = draft.gameBox.game.scoring == .attempts ? 1 : 0
      guard score >= ResultNumber(least), score <= ResultNumber(Int(maximum)) else {
        throw .rule("the score \(score) is not between \(least) and \(maximum)")
      }
    }
  }
}
