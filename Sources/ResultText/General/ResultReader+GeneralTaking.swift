import ResultGrammar
import TextCodecs

extension ResultReader {
  /// What a name in a text is to the described games.
  enum NamedGame {
    case described(GameBox)
    /// The name of a described game and words that make it another.
    case other
    case undescribed
  }

  /// Makes the result of a draft; `nil` if it is not a result.
  ///
  /// The box is that of the described game whose result or refusal it became.
  mutating func take(
    _ draft: GeneralDraft,
    bytes: [UInt8],
    sentOn day: CalendarDay?,
    into reading: inout TextReading
  ) -> (box: GameBox?, Void)? {
    guard !draft.name.isEmpty else {
      if let (box, result) = nameless(draft, bytes: bytes, sentOn: day) {
        reading.results.append(result)
        return (box, ())
      }
      // `Daily Word #12` and its grid: only these words can be the name.
      var draft = draft
      draft.name = draft.head.plainWords
      guard text.scalars[draft.name].contains(0x20) else { return nil }
      return take(draft, bytes: bytes, sentOn: day, into: &reading)
    }
    switch namedGame(draft.name) {
    case .described(let box):
      switch judge(draft, of: box, bytes: bytes, sentOn: day) {
      case .result(let result):
        reading.results.append(result)
        return (box, ())
      case .refused(let refusal):
        reading.refusals.append(refusal)
        return (box, ())
      case .otherGame: return nil
      case .otherForm(let refusal):
        guard statesEnd(draft) || !modes(of: draft).isEmpty else {
          reading.refusals.append(refusal)
          return (box, ())
        }
      case .nothing, .unclear: break
      }
    case .other, .undescribed: break
    }
    let modes = modes(of: draft)
    guard let result = undescribed(draft, bytes, sentOn: day) else { return nil }
    if modes.isEmpty {
      if let refusal = contradiction(in: result, draft) {
        reading.refusals.append(refusal)
      } else {
        reading.undescribed.append(result)
      }
    }
    for mode in modes {
      var one = result
      one.mode = words(of: mode.mode, bytes)
      (one.score, one.maximum, one.completed) = (mode.score, nil, mode.score != nil)
      one.identity = identity(of: one, draft)
      reading.undescribed.append(one)
    }
    return (nil, ())
  }

  // MARK: Described games in another form

  func namedGame(_ name: Range<Int>) -> NamedGame {
    var place = name.lowerBound
    while place < name.upperBound {
      let begins = place == name.lowerBound || !Symbols.isLetter(text.scalars[place - 1])
      if begins,
        let (game, end) = catalogue.names.name(
          in: text.scalars,
          at: place,
          before: name.upperBound
        ),
        end == name.upperBound
          || !Symbols.isLetter(text.scalars[end]) && !Symbols.isDigit(text.scalars[end])
      {
        // What follows the point is the rest of a host.
        let isHost = end < name.upperBound && text.scalars[end] == 0x2E
        let isSame =
          !endsInCountry(end)
          && !text.scalars[name.lowerBound..<place].contains(where: Symbols.isDigit)
          && NameWords(text.scalars, name.lowerBound..<place).areSame
          && (isHost || NameWords(text.scalars, end..<name.upperBound).areSame)
        return isSame ? .described(game) : .other
      }
      place += 1
    }
    return .undescribed
  }

  /// Whether a host ends here in a country, as that of a game in a language of its own: `wordle.at`.
  private func endsInCountry(_ point: Int) -> Bool {
    guard point + 2 < text.count, text.scalars[point] == 0x2E else { return false }
    let rest = text.scalars[(point + 1)..<text.count].prefix { Symbols.isLetter($0) }
    return rest.count == 2
      && GeneralWords.table.classes(of: text.scalars, rest.indices).has(.countries)
  }

  /// The result of the only game whose rows are enough without a name.
  private mutating func nameless(
    _ draft: GeneralDraft,
    bytes: [UInt8],
    sentOn day: CalendarDay?
  ) -> (GameBox, GameResult)? {
    var found: (GameBox, GameResult)?
    for box in catalogue.namelessGames {
      guard case .result(let result) = judge(draft, of: box, bytes: bytes, sentOn: day) else {
        continue
      }
      guard found == nil else { return nil }
      found = (box, result)
    }
    return found
  }

  /// Holds a draft against the rules of each form of a described game.
  private mutating func judge(
    _ draft: GeneralDraft,
    of game: GameBox,
    bytes: [UInt8],
    sentOn day: CalendarDay?
  ) -> Verdict {
    var first: Verdict = .nothing
    var tried: [ObjectIdentifier] = []
    // Rows are held against a form that has some, or they would count for nothing.
    let needsRows =
      draft.rows.isGrid
      && catalogue.heads.contains { $0.game === game && ($0.form.form.hasRows) }
    for (number, head) in catalogue.heads.enumerated() where head.game === game {
      let form = head.form.form
      guard form.refusal == nil, !tried.contains(ObjectIdentifier(head.form)),
        draft.mode == nil || form.variant == nil, form.hasRows || !needsRows,
        form.score != .time || draft.isTimed || !draft.isScored
      else { continue }
      tried.append(ObjectIdentifier(head.form))
      let kept = runner.captures.count
      keep(draft, for: head)
      let found = FoundHead(
        head: number,
        start: draft.head.start,
        end: draft.head.end,
        captures: kept..<runner.captures.count
      )
      let start = head.form.form.looksBefore ? draft.start : draft.head.end
      let body = Body(head: found, previousEnd: draft.start, start: start, end: draft.end)
      let verdict = judge(body, bytes: bytes, sentOn: day)
      runner.forget(to: kept)
      switch verdict {
      case .result: return verdict
      case .refused, .otherForm: first = surer(first, verdict)
      case .otherGame, .nothing, .unclear: break
      }
    }
    return first
  }

  /// Of two verdicts of forms, the one that says more of the text.
  private func surer(_ first: Verdict, _ second: Verdict) -> Verdict {
    switch (first, second) {
    case (.nothing, _), (.otherForm, .refused): second
    default: first
    }
  }

  /// Whether a draft says what the result was: a score, a time, a loss or a whole grid.
  private func statesEnd(_ draft: GeneralDraft) -> Bool {
    draft.isScored || draft.isTimed || draft.head.isLost || draft.tail.isLost
      || shownScore(draft) != nil
  }

  /// Whether something that the form looks for by itself is there, and is a score.
  private mutating func findsScore(_ form: ResultForm, in draft: GeneralDraft) -> Bool {
    let kept = runner.captures.count
    defer { runner.forget(to: kept) }
    return form.finds.contains {
      $0.keeps(Slot.score) && find($0, from: draft.start, before: draft.end)
    }
  }

  /// Keeps what the draft says as if a head of the form had kept it.
  private mutating func keep(_ draft: GeneralDraft, for head: GameCatalogue.Head) {
    let place = draft.head.start
    func capture(_ slot: Int, _ number: ResultNumber, _ form: FieldReading.Form) -> Capture {
      let reading = FieldReading(
        end: place,
        value: number.digits,
        scale: number.scale,
        form: form
      )
      return Capture(slot: slot, start: place, reading: reading, isFlag: false)
    }
    if let puzzle = draft.head.puzzle {
      runner.keep(capture(Slot.puzzle, ResultNumber(puzzle), .number))
    }
    if let day = draft.head.day ?? draft.tail.day {
      runner.keep(capture(Slot.date, ResultNumber(day.number), .day))
    }
    if let time = draft.head.time ?? draft.tail.time {
      runner.keep(capture(Slot.time, time, .seconds))
    }
    if draft.head.isHard, head.form.form.offersHardMode {
      let reading = FieldReading(end: place, form: .text)
      runner.keep(Capture(slot: Slot.hard, start: place, reading: reading, isFlag: true))
    }
    if let mode = draft.mode {
      let reading = FieldReading(end: mode.upperBound, form: .text)
      runner.keep(
        Capture(slot: Slot.variant, start: mode.lowerBound, reading: reading, isFlag: false)
      )
    }
    // What a form finds by itself is surer than what any text may mean.
    guard !findsScore(head.form.form, in: draft) else { return }
    let maximum = draft.head.isScored ? draft.head.maximum : draft.tail.maximum
    if let maximum { runner.keep(capture(Slot.maximum, maximum, .number)) }
    if draft.head.isLost || draft.head.score == nil && draft.tail.isLost {
      runner.keep(capture(Slot.score, ResultNumber(0), .lost))
    } else if let score = draft.head.score ?? draft.tail.score {
      runner.keep(capture(Slot.score, score, .number))
    } else if head.form.form.score == .stated, head.form.form.grid == nil {
      if let shown = shownScore(draft) { runner.keep(capture(Slot.score, shown, .number)) }
    }
  }

  // MARK: Games that no description knows

  private func undescribed(
    _ draft: GeneralDraft,
    _ bytes: [UInt8],
    sentOn day: CalendarDay?
  ) -> UndescribedResult? {
    let rows = draft.rows.rows.filter { $0.shapes > 0 || draft.rows.isGrid }
    var result = UndescribedResult(
      name: words(of: draft.name, bytes),
      mode: draft.mode.map { words(of: $0, bytes) },
      puzzle: draft.head.puzzle,
      puzzleDay: draft.head.day ?? draft.tail.day,
      score: draft.head.score ?? draft.tail.score,
      maximum: draft.head.isScored ? draft.head.maximum : draft.tail.maximum,
      timeSeconds: draft.head.time ?? draft.tail.time,
      completed: nil,
      hardMode: draft.head.isHard ? true : nil,
      rows: rows.map { OpenRows.text(of: $0, in: text.scalars) },
      range: range(of: draft),
      identity: ""
    )
    complete(&result, draft)
    if let puzzleDay = result.puzzleDay, puzzleDay > (day ?? today).adding(2) { return nil }
    result.identity = identity(of: result, draft)
    return result
  }

  /// Why a score above its maximum is not believed, unless the text shows that the game has it: in as
  /// many cells or rows, as above par, or in a whole grid that was not solved.
  private func contradiction(in result: UndescribedResult, _ draft: GeneralDraft) -> Refusal? {
    guard let score = result.score, let maximum = result.maximum, score > maximum,
      !isLostByScore(result, draft),
      ![draft.rows.cellCount, draft.rows.height].contains(score.integer)
    else { return nil }
    return Refusal(
      game: "",
      gameName: result.name,
      cause: "its score \(score) is above its maximum \(maximum)",
      range: result.range
    )
  }

  /// Whether a score one above its maximum says that no row of a whole grid was right: `7/6`.
  private func isLostByScore(_ result: UndescribedResult, _ draft: GeneralDraft) -> Bool {
    guard let score = result.score?.integer, let maximum = result.maximum?.integer else {
      return false
    }
    return score == maximum + 1 && draft.rows.isGrid && draft.rows.height == maximum
  }

  /// Says whether the game was completed, and its score, where only the rows show them.
  private func complete(_ result: inout UndescribedResult, _ draft: GeneralDraft) {
    let saysLost = draft.head.isLost || draft.head.score == nil && draft.tail.isLost
    if saysLost {
      (result.completed, result.score) = (false, nil)
      return
    }
    if isLostByScore(result, draft) {
      result.completed = false
    } else if draft.head.isSolved || draft.tail.isSolved || draft.rows.endsSolved
      || isHitAtScore(result, draft)
    {
      result.completed = true
    } else if let score = result.score?.integer, let maximum = result.maximum?.integer,
      score == draft.rows.rows.count, score < maximum, draft.rows.isGrid, draft.rows.areEqual
    {
      result.completed = true
    }
    let hasHit = draft.rows.hitPosition != nil
    guard result.score == nil, result.timeSeconds == nil || hasHit, draft.rows.weight > 0 else {
      return
    }
    result.score = shownScore(draft)
    if let position = draft.rows.hitPosition {
      // A row that ends with the hit does not say how many guesses there are.
      if position < draft.rows.hitWidth { result.maximum = ResultNumber(draft.rows.hitWidth) }
      result.completed = position > 0
    }
  }

  /// Whether the only hit of the only row is where the score says: `3/6`, `🟥🟥🟩⬜⬜⬜`.
  private func isHitAtScore(_ result: UndescribedResult, _ draft: GeneralDraft) -> Bool {
    guard let score = result.score?.integer, score > 0 else { return false }
    return draft.rows.hitPosition == score
  }

  /// The score that only the rows show: the place of the hit in one row, or how many rows lead to the
  /// solution.
  private func shownScore(_ draft: GeneralDraft) -> ResultNumber? {
    if let position = draft.rows.hitPosition {
      return position > 0 && !hasCountBesideRow(draft) ? ResultNumber(position) : nil
    }
    return draft.rows.endsSolved && draft.rows.areEqual
      ? ResultNumber(draft.rows.height) : nil
  }

  /// Whether a line beside the first row counts what no list has, which may be the guesses.
  private func hasCountBesideRow(_ draft: GeneralDraft) -> Bool {
    guard let shaped = draft.rows.rows.first(where: { $0.shapes > 0 }) else { return false }
    let row = lines.index(at: shaped.range.lowerBound)
    return draft.tail.unknownCounts.contains { abs(lines.index(at: $0) - row) == 1 }
  }

  /// The words at a place as they are written, without marks around them.
  private func words(of range: Range<Int>, _ bytes: [UInt8]) -> String {
    var (start, end) = (range.lowerBound, range.upperBound)
    // A parenthesis that does not close holds the number: `Name (Game #12)`.
    if let open = text.scalars[range].firstIndex(of: 0x28), !text.scalars[range].contains(0x29) {
      end = open
    }
    while start < end, Self.isMark(text.scalars[start]) { start += 1 }
    while end > start, Self.isMark(text.scalars[end - 1]) { end -= 1 }
    let places = Int(text.places[start])..<Int(text.places[end])
    return String(decoding: bytes[places], as: UTF8.self)
  }

  /// White space, and the marks around a name: `- : # @ * _ " | ,`.
  private static func isMark(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x20, 0x0A, 0x2D, 0x3A, 0x23, 0x40, 0x2A, 0x5F, 0x22, 0x7C, 0x2C: true
    default: false
    }
  }

  private func range(of draft: GeneralDraft) -> Range<Int> {
    var end = draft.end
    while end > draft.head.end, text.scalars[end - 1] == 0x20 || text.scalars[end - 1] == 0x0A {
      end -= 1
    }
    return Int(text.places[min(draft.start, draft.head.start)])..<Int(text.places[end])
  }

  /// The name in letters, the mode, and the puzzle's number or day; else a digest of the text.
  private func identity(of result: UndescribedResult, _ draft: GeneralDraft) -> String {
    var identity = "undescribed:"
    for scalar in text.scalars[draft.name] where Symbols.isLetter(scalar) || Symbols.isDigit(scalar)
    {
      identity.unicodeScalars.append(Unicode.Scalar(WordTable.small(scalar)) ?? "\u{FFFD}")
    }
    if let mode = result.mode { identity += ":" + mode.lowercased() }
    if let puzzle = result.puzzle { return identity + "/" + String(puzzle) }
    if let day = result.puzzleDay { return identity + "/" + day.description }
    return identity + "#" + digest(of: min(draft.start, draft.head.start)..<draft.end)
  }
}
