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
/// | the name is behind a `#`; is a host | 1; 2 |
/// | the name ends as that of the best known game; is a level of difficulty | 1 |
/// | an address that names the game, one of a puzzle of it; that has a word of the name; any | 3, 4; 2; 1 |
/// | a stated or counted score, a ratio in the head, a lost one; any other value | 2; 1, together at most 3 |
/// | a ratio of few rounds that begins a line, beside a symbol, a time, rows or an address | 2 |
/// | a verb that only the player who writes uses | 1 |
/// | a time behind a stopwatch; one that no clock shows; any other | 3; 2; 1 |
/// | rows of cells | up to 3 |
/// | a bar, a point or a dash behind the number of a text that has no other; a loss below it or a day | 1 |
/// | a name with a word for today or daily | 1 |
/// | a medal below a number, beside an address that names the game | 1 |
/// | an invitation to play: to a person; with an address | 2; 1 |
/// | nothing but a short title and rows of squares | 2 |
/// | a word of prose in the head's line, but a remark behind a score; a label in place of a name, an appointment | −1; −4 |
/// | a label and a colon before the name, without a score or an address that names the game | −2 |
/// | the head's line is an item of a list, without a score | −2 |
///
/// A sentence has weights of its own, and must reach ``ResultReader/enoughOfSentence``:
///
/// | Evidence | Weight |
/// |---|---|
/// | a score with its maximum, or above 999; any other stated one; a time | 2; 1; 1 or 2 |
/// | a loss; a solved game behind a `#` or a host, or today's with a share of a hundred | 1 |
/// | a word for a quiz; for any game: beside a maximum, only with symbols, a label or another row here | 2; 1 |
/// | the name ends as that of the best known game, with symbols, a label or another row here | 1 |
/// | an invitation, an address, rows of cells | as above |
/// | a number behind a sign; alone; a tag or a host | 2; 1; 2 |
/// | a pad, a joystick, a die or a piece of a jigsaw; a prize, any picture beside what the player did | 2; 1 |
/// | today's game, a verb of puzzles, a quoted name, a date, a level, guesses and a time, a share | 1 each |
/// | a score right behind the verb, and a capital within a word of the name | 2 |
/// | a word in small letters that such sentences do not have, but the first; another person as its subject | −1; −3 |
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
    guard !head.isSentence else {
      return saysResult(draft) && certainty(draft) >= Self.enoughOfSentence
    }
    return (head.hasTheme ? 1 : head.wordsBehind) < (draft.isLinked ? 8 : 4)
      && (!head.isBare || isMoreThanTitle(draft))
      && (!head.isSmall || head.puzzle != nil || head.hasDate || draft.isLinked
        || head.isOfSmallWords && isGridOfScore(draft))
      && evidence(draft).isEnough
  }

  /// Whether a grid has as many rows as the score says, or as its maximum where the game was lost.
  private func isGridOfScore(_ draft: GeneralDraft) -> Bool {
    let rows = draft.head.isLost ? draft.head.maximum : draft.head.score
    return draft.rows.isGrid && draft.rows.areEqual && rows?.integer == draft.rows.height
  }

  /// Whether a title has more below it than a number that may count anything.
  private func isMoreThanTitle(_ draft: GeneralDraft) -> Bool {
    draft.rows.weight > 0 || draft.isLinkedToPuzzle || draft.tail.isSolved
      || draft.tail.isStated && draft.tail.invitation > 0
      || draft.tail.day != nil || draft.tail.hasDate || lines.isAboveLabels(draft.lines.lowerBound)
      || draft.tail.time != nil || !lines.isAboveNumber(draft.lines.lowerBound)
  }

  // MARK: Sentences

  /// What a sentence must reach.
  static let enoughOfSentence = 3

  /// Whether a sentence says more than that the game was played, and names it.
  private func saysResult(_ draft: GeneralDraft) -> Bool {
    let head = draft.head
    let saysMore =
      head.isSolved || head.isLost || head.puzzle != nil || head.hasDate || head.score != nil
      || draft.tail.score != nil || draft.tail.maximum != nil || draft.tail.time != nil
      || draft.rows.weight > 0
    let isNamed =
      !head.isCommon || head.parts.isOfToday || draft.isLinked || draft.rows.weight > 2
    return saysMore && isNamed
      && (sentenceValue(draft) > 0 || draft.rows.weight > 1 || isSolvedAtHost(draft))
  }

  /// Whether the player who writes solved a numbered game, or that of today, whose own host is there.
  private func isSolvedAtHost(_ draft: GeneralDraft) -> Bool {
    let (head, parts) = (draft.head, draft.head.parts)
    return head.isSolved && draft.isLinked && draft.isAtOwnHost && parts.isOfSpeaker
      && (head.isSigned || parts.isOfToday)
  }

  /// How surely a sentence is about a game: what it says, of which kind the game is, to whom it
  /// speaks; less what has no part in such a sentence.
  private func certainty(_ draft: GeneralDraft) -> Int {
    let (head, parts) = (draft.head, draft.head.parts)
    let hasCells = draft.rows.rows.contains { $0.shapes > 0 }
    var weight = (hasCells ? draft.rows.weight : 0) + draft.tail.invitation
    weight += draft.isLinked ? 3 : draft.isNearlyLinked ? 2 : draft.hasAddress ? 1 : 0
    weight += head.isSigned ? 2 : head.puzzle == nil ? 0 : 1
    weight += head.isHost || head.isTagged ? 2 : 0
    weight += hasDevice(draft) ? 2 : hasPicture(draft) ? 1 : 0
    let facts = [
      parts.isOfPuzzle, parts.isOfToday, parts.isQuoted, head.hasDate, head.hasLevel,
      draft.isTimed && draft.tail.isStated,
      head.parts.isScoredByVerb && draft.tail.hasPercent,
    ]
    weight += facts.count { $0 }
    // `I got 18/20 on my History quiz` is of a school, `I scored 18/20 in Seattle` of anything.
    let hasMore = weight > 0 || isDecorated(draft)
    if hasMore, endsLikeGame(draft.name) { weight += 1 }
    if hasMore || head.maximum ?? draft.tail.maximum == nil {
      weight += parts.isOfQuiz ? 2 : parts.isOfGame ? 1 : 0
    }
    // `I scored 120 points in PumkinRaid!`
    if parts.isScoredByVerb, parts.isJoined { weight += 2 }
    weight += sentenceValue(draft)
    weight -= max(0, parts.unknownWords - 1) + (parts.isOfOther ? 3 : 0)
    if isOfDocument(draft) || hasMail(draft) { weight -= 4 }
    return weight
  }

  /// Whether a score of a maximum has only what cheers beside it, as a mark at school may: `18/20 🎉`.
  private func isCheered(_ draft: GeneralDraft) -> Bool {
    let line = lines.lines[draft.lines.lowerBound]
    return draft.head.maximum ?? draft.tail.maximum != nil
      && text.scalars[line.start..<line.end].contains {
        switch $0 {
        case 0x1F389, 0x1F38A, 0x1F393, 0x1F3C5, 0x1F3C6, 0x1F4AF, 0x1F525, 0x1F947...0x1F949: true
        default: false
        }
      }
  }

  /// Whether the sentence's line has symbols, or a label with a colon: `Level: Expert`.
  private func isDecorated(_ draft: GeneralDraft) -> Bool {
    let line = lines.lines[draft.lines.lowerBound]
    return line.symbols > 0 && !isCheered(draft)
      || (line.start..<line.end).dropLast().contains {
        text.scalars[$0] == 0x3A && text.scalars[$0 + 1] == 0x20
      }
  }

  /// Whether a pad, a joystick, a piece of a jigsaw or a die is in the sentence's line.
  private func hasDevice(_ draft: GeneralDraft) -> Bool {
    let line = lines.lines[draft.lines.lowerBound]
    return line.symbols > 0
      && text.scalars[line.start..<line.end].contains {
        [0x1F3AE, 0x1F579, 0x1F9E9, 0x1F3B2].contains($0)
      }
  }

  /// Whether the sentence's line has a prize, or any picture beside what the player who writes did;
  /// faces, hands and what cheers are none.
  private func hasPicture(_ draft: GeneralDraft) -> Bool {
    let line = lines.lines[draft.lines.lowerBound]
    return line.symbols > 0 && !isCheered(draft)
      && text.scalars[line.start..<line.end].contains {
        switch $0 {
        case 0x1F3AF, 0x1F3C5, 0x1F3C6, 0x1F525, 0x1F947...0x1F949, 0x1F9E0: true
        case 0x1F389, 0x1F38A, 0x1F393, 0x1F400...0x1F43F, 0x1F442...0x1F450, 0x1F48B...0x1F49F,
          0x1F4AF, 0x1F600...0x1F64F, 0x1F900...0x1F93F, 0x1F970...0x1F97A:
          false
        default: draft.head.parts.isOfSpeaker && $0 >= 0x1F300
        }
      }
  }

  /// What a sentence and the lines below it state: a score and its maximum or a share, points, guesses,
  /// a time, an end.
  private func sentenceValue(_ draft: GeneralDraft) -> Int {
    let (head, tail) = (draft.head, draft.tail)
    let score = head.score ?? tail.score
    var weight = 0
    if head.parts.isScoredByVerb || tail.isStated {
      let isLarge = score.map { $0.digits > 999 && $0.scale == 0 } ?? false
      weight += head.maximum != nil || tail.maximum != nil || isLarge ? 2 : 1
    } else if head.parts.countsAnything {
      weight += head.maximum == nil ? 1 : 2
    } else if head.isSolved, head.parts.isOfPuzzle, head.parts.hasAttempts {
      weight += 1
    } else if head.isSolved, head.parts.isOfPuzzle, head.parts.isOfToday, tail.hasPercent {
      weight += 1
    }
    if draft.isTimed { weight += head.isLengthOfTime || tail.isLengthOfTime ? 2 : 1 }
    if head.isLost || tail.isLost || head.isSolved && head.isTagged { weight += 1 }
    return weight
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
    if head.isHost { weight += 2 } else if head.isTagged { weight += 1 }
    if endsLikeGame(draft.name) { weight += 1 }
    if head.hasLevel { weight += 1 }
    if case .described = namedGame(draft.name), head.puzzle != nil || head.hasDate { weight += 3 }
    if NameWords(text.scalars, draft.name).any.has(.today) { weight += 1 }
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
    if head.isScored || tail.isStated || tail.isLost && tail.maximum != nil
      || tail.isRound && isExplained(draft)
    {
      weight += 2
    } else if let score = tail.score, !tail.isEndOfHead || score.digits > 999 || isShown(draft) {
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

  /// Whether something beside a number and a ratio of its own line is of a game: a symbol before the
  /// ratio, a time, rows, an address.
  private func isExplained(_ draft: GeneralDraft) -> Bool {
    draft.tail.isPictured || draft.isTimed || draft.hasAddress || draft.rows.weight > 0
  }

  /// Whether rows or an address that names the game are below the head.
  private func isShown(_ draft: GeneralDraft) -> Bool {
    draft.isLinked || draft.rows.weight > 0
  }

  private func doubt(_ draft: GeneralDraft) -> Int {
    var weight = draft.head.wordsBehind
    let isToday = NameWords(text.scalars, draft.name).any.has(.today)
    if draft.isLinked || draft.head.hasTheme && (isToday || isShown(draft)) {
      weight = min(weight, 1)
    }
    if !draft.head.isMode, !draft.isLinked {
      if isDocument(draft.name) { weight += 4 }
      if isLabel(draft.name) { weight += draft.rows.weight > 2 ? 1 : 4 }
    }
    if isOfDocument(draft) || isKey(draft.name) || hasMail(draft) { weight += 4 }
    if !draft.isLinked, !draft.head.isScored, isEntry(draft.name) { weight += 2 }
    if isAppointment(draft) { weight += 4 }
    if draft.lines.count > 12, !draft.rows.isGrid { weight += 2 }
    if !draft.head.isScored, isItem(draft) { weight += 2 }
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
    if head.hasDate, head.puzzle == nil, head.wordsBehind == 0,
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
    if isAlone, endsLikeGame(draft.name),
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
    if isAlone, head.hasDate, draft.tail.isStated, partsAttempts(draft) { return true }
    guard isAlone, head.isScored, let puzzle = head.puzzle, let maximum = head.maximum
    else { return false }
    return puzzle > (isTried ? 31 : 99) && maximum.scale == 0 && (3...12).contains(maximum.digits)
  }

  /// Whether a text is short and has one line that is no row.
  ///
  /// The lines of a long one are not counted: each may have a head.
  private var isOnlyLineOfWords: Bool {
    lines.lines.count < 40
      && lines.lines.count(where: { !$0.isBlank && !$0.isRow && !isTries($0) }) == 1
  }

  /// Whether a line is no more than a ratio of guesses: `4/8 guesses`.
  private func isTries(_ line: TextLines.Line) -> Bool {
    line.hasRatio && line.words == 1
      && NameWords(text.scalars, line.start..<line.end).last.has(.attempts)
  }

  /// Whether a short text is a number behind a sign or a day, and below it that the game was lost,
  /// with a symbol: `Name #12`, `DNF 💀`.
  private func isLostBelow(_ draft: GeneralDraft) -> Bool {
    (draft.head.isSigned || draft.head.hasDate) && draft.head.wordsBehind == 0 && draft.hasSymbols
      && (draft.tail.isLost || draft.head.isLost) && lines.lines.count < 4
      && lines.lines.allSatisfy { $0.words < 6 }
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

  /// Whether a bullet parts a head's line, with a word for attempts behind it.
  private func partsAttempts(_ draft: GeneralDraft) -> Bool {
    let line = lines.lines[draft.lines.lowerBound]
    let scalars = text.scalars[line.start..<line.end]
    guard let bullet = scalars.lastIndex(where: { $0 == 0xB7 || $0 == 0x2022 }) else {
      return false
    }
    return NameWords(text.scalars, bullet + 1..<line.end).any.has(.attempts)
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

  /// Whether a name ends with a word for puzzles, and a time that no evening has is alone below its
  /// number; or has one, and a day and a time are with it.
  private func isTimedPuzzle(_ draft: GeneralDraft) -> Bool {
    let head = draft.head
    if head.hasDate, draft.isTimed {
      return NameWords(text.scalars, draft.name).any.has(.puzzles)
    }
    guard head.isSigned, head.time == nil, head.wordsBehind == 0,
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

  /// Whether the first word of a name is a label, with a colon behind it: `Author: Anna`.
  private func isEntry(_ name: Range<Int>) -> Bool {
    let word = text.scalars[name].prefix { Symbols.isLetter($0) }
    return word.endIndex < name.upperBound && text.scalars[word.endIndex] == 0x3A
  }

  /// Whether an address of mail is in the head's line, as in the signature of a change.
  private func hasMail(_ draft: GeneralDraft) -> Bool {
    let line = lines.lines[draft.lines.lowerBound]
    return text.scalars[line.start..<line.end].indices.dropFirst().dropLast().contains {
      text.scalars[$0] == 0x40 && Symbols.isLetter(text.scalars[$0 + 1])
        && (Symbols.isLetter(text.scalars[$0 - 1]) || Symbols.isDigit(text.scalars[$0 - 1]))
    }
  }

  /// Whether the head's line is an item of a list: `- Fix`, `* Added`.
  private func isItem(_ draft: GeneralDraft) -> Bool {
    let line = lines.lines[draft.lines.lowerBound]
    return line.start + 1 < line.end && text.scalars[line.start + 1] == 0x20
      && [0x2A, 0x2B, 0x2D].contains(text.scalars[line.start])
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
