import ResultGrammar

/// How surely lines are a result of a game that no description knows.
///
/// Nothing alone makes a result: the head, the values, the rows and the addresses are weighed
/// together. The weights are chosen so that the usual forms of shared texts reach ``enough``, and at
/// most one other paragraph in ten thousand does.
///
/// | Evidence | Weight |
/// |---|---|
/// | a puzzle's number behind a sign; behind a word for day; alone | 3; 2; 1 |
/// | a date; a title and a date alone | 1; 1 |
/// | a maximum above 999 | 1 |
/// | the name of a described game beside a number or a date | 3 |
/// | the name is behind a `#`; is a host | 1, in a sentence 2; 2 |
/// | the name ends as that of the best known game; is a level of difficulty | 1 |
/// | an address that names the game, one of a puzzle of it; that has a word of the name; any | 3, 4; 2; 1 |
/// | a stated or counted score, a ratio in the head, a lost one; any other value | 2; 1, together at most 3 |
/// | a verb that only the player who writes uses | 1 |
/// | a time behind a stopwatch; one that no clock shows; any other | 3; 2; 1 |
/// | rows of cells | up to 3 |
/// | a bar, a point or a dash behind the number of a text that has no other; a loss below it | 1 |
/// | a sentence about the game of today; a score right behind its verb; a word for games in it | 1 |
/// | a medal below a number, beside an address that names the game | 1 |
/// | an invitation to play: to a person; with an address | 2; 1 |
/// | nothing but a short title and rows of squares | 2 |
/// | a word of prose in the head's line, but a remark behind a score; a label in place of a name, an appointment | −1; −4 |
struct GeneralEvidence {
  var identity = 0
  var address = 0
  var value = 0
  var rows = 0
  var doubt = 0

  /// What the weights must reach together.
  static let enough = 5

  var isEnough: Bool {
    (value > 0 || rows > 1 || rows > 0 && address > 2)
      && identity + address + min(value, 3) + rows - doubt >= Self.enough
  }
}

extension ResultReader {
  /// Whether enough appears together that the text can only be a result of a game.
  func accepts(_ draft: GeneralDraft) -> Bool {
    let head = draft.head
    guard !draft.name.isEmpty else {
      return draft.rows.isGrid && head.isSigned && head.wordsBehind == 0
    }
    guard head.isSentence || head.wordsBehind < (draft.isLinked ? 8 : 4) else { return false }
    guard !head.isAnyWord || draft.isLinked else { return false }
    if head.isSentence, head.isSolved, head.time == nil,
      draft.tail.time != nil || head.isOfToday && draft.tail.isStated,
      isAboutPuzzle(draft),
      !isOfDocument(draft)
    {
      return true
    }
    return (!head.isSentence || saysResult(draft)) && (!head.isBare || isMoreThanTitle(draft))
      && evidence(draft).isEnough
  }

  /// Whether a title has more below it than a number that may count anything.
  private func isMoreThanTitle(_ draft: GeneralDraft) -> Bool {
    draft.rows.weight > 0 || draft.isLinkedToPuzzle || draft.tail.isSolved
      || draft.tail.day != nil || draft.tail.hasDate || lines.isAboveLabels(draft.lines.lowerBound)
      || draft.tail.time != nil || !lines.isAboveNumber(draft.lines.lowerBound)
  }

  /// Whether a sentence says more than that the game was played.
  private func saysResult(_ draft: GeneralDraft) -> Bool {
    let head = draft.head
    return head.isSolved || head.isLost || head.puzzle != nil || head.hasDate || head.score != nil
      || draft.tail.score != nil || draft.tail.time != nil || draft.rows.weight > 0
  }

  private func evidence(_ draft: GeneralDraft) -> GeneralEvidence {
    var evidence = GeneralEvidence()
    evidence.identity = identity(draft)
    evidence.address = draft.isLinked ? 3 : draft.isNearlyLinked ? 2 : draft.hasAddress ? 1 : 0
    if draft.isLinkedToPuzzle { evidence.address += 1 }
    evidence.value = value(draft)
    evidence.rows = max(draft.rows.weight, isCounted(draft) || isHit(draft) ? 2 : 0)
    evidence.doubt = doubt(draft)
    return evidence
  }

  /// Whether a short row has as many cells as the score says: `2/5`, `🟥🟩`.
  private func isCounted(_ draft: GeneralDraft) -> Bool {
    guard let score = draft.head.score?.integer else { return false }
    return score > 1 && draft.rows.rows.count == 1 && draft.rows.rows[0].count == score
      && draft.rows.rows[0].shapes == score
  }

  /// Whether a row or column of three cells and more behind a puzzle's number has one hit, at its end:
  /// `🟥🟥🟩`.
  private func isHit(_ draft: GeneralDraft) -> Bool {
    draft.head.isSigned
      && draft.rows.hitPosition.map { $0 > 0 && $0 == draft.rows.hitWidth } ?? false
  }

  private func identity(_ draft: GeneralDraft) -> Int {
    let head = draft.head
    var weight = head.isSigned ? 3 : head.puzzle == nil ? 0 : head.isOfDay ? 2 : 1
    if head.hasDate || draft.tail.day != nil || draft.tail.hasDate { weight += 1 }
    if isTitleAndDay(draft) { weight += 1 }
    if let most = head.maximum, head.score != nil, most.digits > 999 { weight += 1 }
    if head.isHost { weight += 2 } else if head.isTagged { weight += head.isSentence ? 2 : 1 }
    if endsLikeGame(draft.name) { weight += 1 }
    if head.hasLevel { weight += 1 }
    if case .described = namedGame(draft.name), head.puzzle != nil || head.hasDate { weight += 3 }
    if head.isOfToday || !head.isSentence && NameWords(text.scalars, draft.name).any.has(.today) {
      weight += 1
    }
    if head.isScoredByVerb { weight += 1 }
    if head.isSentence, head.isOfGame,
      !head.isOfToday || NameWords(text.scalars, draft.name).any.has(.puzzles)
    {
      weight += 1
    }
    if head.isSentence, head.isOfToday, head.isOfChallenge, head.isScoredByVerb { weight += 1 }
    if isTimedPuzzle(draft) { weight += head.hasDate && draft.tail.isSolved ? 2 : 1 }
    if isTitleOfRows(draft) { weight += 2 }
    weight += draft.tail.invitation
    if isWhole(draft) { weight += 2 }
    if isBarred(draft) || isLostBelow(draft) { weight += 1 }
    return weight
  }

  private func value(_ draft: GeneralDraft) -> Int {
    let (head, tail) = (draft.head, draft.tail)
    var weight = 0
    if head.isScored || tail.isStated || tail.isLost && tail.maximum != nil {
      weight += 2
    } else if tail.score != nil {
      weight += 1
    }
    if head.time != nil || tail.time != nil {
      weight += tail.isMeasured ? 3 : head.isLengthOfTime || tail.isLengthOfTime ? 2 : 1
    }
    if head.isSolved || head.isLost || tail.isSolved || tail.isLost { weight += 1 }
    if tail.isOwnVerb { weight += 1 }
    if tail.hasPercent { weight += 1 }
    if tail.hasMedal, head.isSigned, draft.isLinked { weight += 1 }
    if tail.hasCounts { weight += 1 }
    return weight
  }

  private func doubt(_ draft: GeneralDraft) -> Int {
    var weight = draft.head.isSentence ? 0 : draft.head.wordsBehind
    if draft.isLinked { weight = min(weight, 1) }
    if !draft.head.isMode, !draft.isLinked {
      if isDocument(draft.name) { weight += 4 }
      if isLabel(draft.name) { weight += draft.rows.weight > 2 ? 1 : 4 }
    }
    if isOfDocument(draft) || isKey(draft.name) || hasMail(draft) { weight += 4 }
    if isAppointment(draft) { weight += 4 }
    if draft.lines.count > 12, !draft.rows.isGrid { weight += 2 }
    return weight
  }

  /// Whether a date, an alarm clock or a pin, and a time of the day are below a number, and nothing of
  /// a game is.
  private func isAppointment(_ draft: GeneralDraft) -> Bool {
    guard draft.tail.day != nil, let time = draft.tail.time, !draft.isLinked, !draft.isScored,
      !draft.tail.isSolved, draft.rows.weight == 0, (600..<1_440).contains(time.digits)
    else { return false }
    return text.scalars[draft.start..<draft.end].contains { $0 == 0x23F0 || $0 == 0x1F4CD }
  }

  /// Whether a short title begins the text, and a line with no more than a date follows; or the date
  /// is beside it, and a score and a time are below.
  private func isTitleAndDay(_ draft: GeneralDraft) -> Bool {
    let head = draft.head
    if head.hasDate, head.puzzle == nil, !head.isSentence, head.wordsBehind == 0,
      draft.lines.lowerBound == 0, !head.isScored, head.time == nil
    {
      return draft.tail.isStated && draft.tail.time != nil
    }
    guard draft.head.isBare, draft.lines.lowerBound == 0,
      draft.tail.day != nil || draft.tail.hasDate
    else { return false }
    let next = lines.lines.dropFirst().prefix(2).first { !$0.isBlank }
    return next.map { $0.hasDigits && !$0.isLabel && $0.words < 3 } ?? false
  }

  /// Whether the text is no more than a short title, rows of squares of several kinds, and a streak;
  /// or rows of which the last is the solution.
  private func isTitleOfRows(_ draft: GeneralDraft) -> Bool {
    guard draft.head.isBare, draft.lines.lowerBound == 0,
      draft.lines.upperBound == lines.lines.count,
      lines.lines[0].words < 4, draft.rows.isGrid, draft.rows.isMany
    else { return false }
    let rest = lines.lines.dropFirst()
    return (rest.contains(where: \.isLabel) || draft.rows.endsSolved && draft.rows.areEqual)
      && rest.allSatisfy {
        $0.words == 0
          || $0.isLabel
            && NameWords(text.scalars, $0.start..<$0.end).first.has([.value, .averages])
      }
  }

  /// Whether the text is a name, a number of three digits and more, and a score, and nothing else; or
  /// a name, a day, a score and a time.
  private func isWhole(_ draft: GeneralDraft) -> Bool {
    let head = draft.head
    let isAlone =
      (head.wordsBehind == 0 || head.wordsBehind == 1 && draft.rows.weight > 0)
      && isOnlyLineOfWords
    let isTried = draft.tail.isTried || head.isTried
    if isAlone, head.isSigned, draft.tail.hasCounts { return true }
    if isAlone, endsLikeGame(draft.name), !head.isSentence,
      isTried || head.isScored || head.puzzle != nil && draft.tail.isStated
    {
      return true
    }
    if isAlone, head.hasDate, isTried || draft.tail.isStated && draft.tail.isSolved { return true }
    // `Name of the day: found in 3 tries in 0:48`
    if isAlone, draft.tail.isStated, draft.isTimed, draft.tail.isSolved,
      NameWords(text.scalars, draft.name).any.has(.today)
    {
      return true
    }
    let isTimed = head.isLengthOfTime || draft.tail.isLengthOfTime
    if isAlone, head.hasDate, draft.tail.isStated, isTimed || head.isTagged { return true }
    if isAlone, head.hasDate, draft.tail.isLost, draft.tail.maximum != nil { return true }
    if isAlone, head.hasDate, head.isScored, draft.isTimed { return true }
    guard isAlone, head.isScored, let puzzle = head.puzzle, let maximum = head.maximum
    else { return false }
    return puzzle > (isTried ? 31 : 99) && maximum.scale == 0 && (3...12).contains(maximum.digits)
  }

  /// Whether a text is short and has one line that is no row.
  ///
  /// The lines of a long one are not counted: each may have a head.
  private var isOnlyLineOfWords: Bool {
    lines.lines.count < 40 && lines.lines.count(where: { !$0.isBlank && !$0.isRow }) == 1
  }

  /// Whether a short text is a number behind a sign, and below it that the game was lost, with a
  /// symbol: `Name #12`, `DNF 💀`.
  private func isLostBelow(_ draft: GeneralDraft) -> Bool {
    draft.head.isSigned && draft.head.wordsBehind == 0 && draft.hasSymbols
      && (draft.tail.isLost || draft.head.isLost) && lines.lines.count < 4
      && lines.lines.allSatisfy { $0.words < 5 }
  }

  /// Whether a bar, a point or a dash is behind the number, and the text is not more than that result:
  /// `Name #12 | 2:45`, `Name Day 12 · 450 pts`.
  ///
  /// A player sends a result alone; a list of appointments has more lines of the kind.
  private func isBarred(_ draft: GeneralDraft) -> Bool {
    guard draft.head.isSigned || draft.head.isOfDay, lines.lines.count < 5 else { return false }
    let line = lines.lines[lines.index(at: draft.head.name.lowerBound)]
    let rest = draft.head.name.upperBound..<line.end
    return rest.contains { isBar($0) } && lines.lines.count(where: \.hasSignedNumber) < 2
  }

  /// Whether a bar or a point is here, or a dash that white space is around.
  private func isBar(_ place: Int) -> Bool {
    switch text.scalars[place] {
    case 0x7C, 0xB7, 0x2022, 0x25AA: true
    case 0x2D:
      place > 0 && text.scalars[place - 1] == 0x20 && place + 1 < text.count
        && text.scalars[place + 1] == 0x20
    default: false
    }
  }

  /// `I solved today's Name in 2:01`: the verb of puzzles, and nothing of a race.
  private func isAboutPuzzle(_ draft: GeneralDraft) -> Bool {
    draft.head.isOfPuzzle || NameWords(text.scalars, draft.name).any.has(.puzzles)
      || draft.head.isOfGame && draft.tail.isStated && draft.tail.time != nil
  }

  /// Whether a name ends with a word for puzzles, and a time that no evening has is alone below its
  /// number; or has one, and a day and a time are with it.
  private func isTimedPuzzle(_ draft: GeneralDraft) -> Bool {
    let head = draft.head
    if head.hasDate, !head.isSentence, draft.isTimed {
      return NameWords(text.scalars, draft.name).any.has(.puzzles)
    }
    guard head.isSigned, !head.isSentence, head.time == nil, head.wordsBehind == 0,
      draft.tail.isTimeAlone, draft.tail.time.map({ $0.digits < 600 }) ?? false,
      draft.name.lowerBound < head.end
    else { return false }
    return NameWords(text.scalars, draft.name.lowerBound..<head.end).last.has(.puzzles)
  }

  /// Whether a name ends as games that follow a well-known one do: `Phoodle`, `Mapguessr (easy)`.
  private func endsLikeGame(_ name: Range<Int>) -> Bool {
    let letters = text.scalars[name].prefix { $0 != 0x28 }.filter { Symbols.isLetter($0) }
    return letters.count > 4 && Self.gameEndings.contains { letters.suffix($0.count) == $0[...] }
  }

  private static let gameEndings = ["le", "guessr", "doku"].map {
    Array($0.unicodeScalars.map(\.value))
  }

  /// Whether the number in a sentence is that of a document: `I solved the Zorkle bug #12`.
  private func isOfDocument(_ draft: GeneralDraft) -> Bool {
    draft.head.isSentence && draft.head.isSigned && draft.name.lowerBound < draft.head.end
      && NameWords(text.scalars, draft.name.lowerBound..<draft.head.end).any.has(.documents)
  }

  /// Whether a name is a key of JSON, or begins with one: `"key": "value"`.
  private func isKey(_ name: Range<Int>) -> Bool {
    let limit = min(name.upperBound, text.count - 1)
    return (name.lowerBound...max(name.lowerBound, limit)).contains {
      $0 + 1 < text.count && text.scalars[$0] == 0x22 && text.scalars[$0 + 1] == 0x3A
    }
  }

  /// Whether an address of mail is in the head's line, as in the signature of a change.
  private func hasMail(_ draft: GeneralDraft) -> Bool {
    let line = lines.lines[draft.lines.lowerBound]
    return text.scalars[line.start..<line.end].indices.dropFirst().dropLast().contains {
      text.scalars[$0] == 0x40 && Symbols.isLetter(text.scalars[$0 + 1])
        && (Symbols.isLetter(text.scalars[$0 - 1]) || Symbols.isDigit(text.scalars[$0 - 1]))
    }
  }

  /// Whether a name is only words for something that is counted: `Level #26`.
  private func isLabel(_ name: Range<Int>) -> Bool {
    NameWords(text.scalars, name).areLabels
  }

  /// Whether a name is short and begins with a word of documents, work or sports: `Test run #3`.
  private func isDocument(_ name: Range<Int>) -> Bool {
    let words = NameWords(text.scalars, name)
    return words.first.has(.documents) && (words.count < 3 || words.last.has(.documents))
  }
}
