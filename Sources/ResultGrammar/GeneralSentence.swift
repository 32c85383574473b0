/// What the parts of a player's sentence say, name and numbers apart.
///
/// A sentence about a game is made of few kinds of words: who played, a verb, what a number counts,
/// words for games and for today, an invitation. Any other word makes it less sure that it is one.
package struct SentenceParts {
  /// Whether another person than the one who writes may be its subject: `Anna scored 12 points`.
  package var isOfOther = false
  /// Whether it has a verb that is said of puzzles, and of no race.
  package var isOfPuzzle = false
  /// Whether it has a word for games that matches and races share: `game`, `jogo`.
  package var isOfGame = false
  /// Whether it has a word that only games of the mind have: `quiz`, `crossword`.
  package var isOfQuiz = false
  /// Whether it is about the game of today.
  package var isOfToday = false
  /// Whether quotation marks are around the name.
  package var isQuoted = false
  /// Whether the score follows the verb at once: `I scored 4850 in Name`.
  package var isScoredByVerb = false
  /// Whether it counts what no list has: `I found 9 organelles in Name`.
  package var countsAnything = false
  /// Whether the player who writes is its subject.
  package var isOfSpeaker = false
  /// Whether it has a word for guesses.
  package var hasAttempts = false
  /// Whether a small letter is right before a capital in the name: `PumkinRaid`.
  package var isJoined = false
  /// How many words have no part in such a sentence; those of documents and work count more.
  package var unknownWords = 0
}

extension GeneralHeadReader {
  /// A player's sentence about a game: `I solved today's Name #12 in 2:01`.
  func sentence() -> GeneralHead? {
    guard let verb = verb() ?? subject() else { return nil }
    let statement = startOfStatement(before: verb)..<endOfStatement(behind: verb)
    var head = GeneralHead(
      start: tokens[tokens.startIndex].start,
      name: tokens[verb].end..<tokens[verb].end,
      end: tokens[tokens.endIndex - 1].end
    )
    head.isSentence = true
    readScore(behind: verb, into: &head)
    guard let named = name(in: statement, verb: verb, into: &head) else { return nil }
    readParts(of: statement, verb: verb, into: &head)
    head.parts.isJoined = head.name.dropFirst().contains {
      text[$0] &- 0x61 < 26 && text[$0 - 1] &- 0x61 < 26 && isCapital($0) && !isCapital($0 - 1)
    }
    readNumber(behind: named, into: &head)
    return head
  }

  // MARK: Where it is

  /// The verb among the first words; a weak one among six where no other is.
  private func verb() -> Int? {
    var words = 0
    var weak: Int?
    for index in tokens.indices where tokens[index].kind == .word {
      // `can you beat me`
      let isAsked =
        index > tokens.startIndex && tokens[index - 1].classes.has(.you)
        && tokens[index].classes.has(.invites)
      if isVerb(tokens[index]), !isAsked { return index }
      if weak == nil, words < 6, tokens[index].classes.has(.weakVerbs) { weak = index }
      words += 1
      if words == 10 { break }
    }
    return weak
  }

  /// The player, who begins a sentence whose verb is not known and which has a number behind a sign, a
  /// number and its maximum, or a word for quizzes; a number of points may begin it as well.
  ///
  /// In a line that invites another person, anyone may begin it, and a time says enough.
  private func subject() -> Int? {
    guard let first = tokens.firstIndex(where: { $0.kind == .word || $0.kind == .number }) else {
      return nil
    }
    let isSaid = tokens.contains { $0.kind == .sign }
    // The score is said first, and the invitation follows.
    let said = tokens[..<(invitation ?? tokens.startIndex)].indices
    if tokens[first].classes.has(.me) {
      let isScored = tokens.indices.contains {
        tokens[$0].kind == .ratio || most(behind: $0) != nil || tokens[$0].classes.has(.quizzes)
      }
      return isSaid || isScored || said.contains { tokens[$0].kind == .time || isPoints($0) }
        ? first : nil
    }
    return isSaid && tokens.indices.contains(where: isPoints) || said.contains(where: isPoints)
      ? first : nil
  }

  /// Where the sentence begins that has the verb: behind the last mark that ends another one.
  private func startOfStatement(before verb: Int) -> Int {
    let end = tokens[..<verb].lastIndex {
      $0.kind == .mark && [0x21, 0x2E, 0x3F].contains(text[$0.start])
    }
    guard let end, end + 1 < verb, isCapital(tokens[end + 1].start) else {
      return tokens.startIndex
    }
    return end + 1
  }

  /// Where the sentence ends that has the verb: at a mark behind which no small word goes on, outside of
  /// quotation marks.
  private func endOfStatement(behind verb: Int) -> Int {
    var isQuoted = false
    for index in tokens.indices {
      let scalar = text[tokens[index].start]
      if scalar == 0x22 { isQuoted.toggle() }
      // `I got 4/12 on the Name 😬 no idea how`
      if index > verb, !isQuoted, tokens[index].kind == .symbols, index + 1 < tokens.endIndex,
        tokens[index + 1].kind == .word, tokens[index + 1].classes.isEmpty,
        !isCapital(tokens[index + 1].start)
      {
        return index
      }
      guard index > verb, !isQuoted, [0x21, 0x2E, 0x3F].contains(scalar),
        tokens[index].kind == .mark
      else { continue }
      let goesOn =
        index + 1 < tokens.endIndex && tokens[index + 1].kind == .word
        && !isCapital(tokens[index + 1].start)
      if !goesOn { return index }
    }
    return tokens.endIndex
  }

  private func isVerb(_ token: LineToken) -> Bool { token.classes.has(.verbs) }

  /// Where the line invites a person, and says to whom: `can you beat me`, `kannst du es besser?`.
  private var invitation: Int? {
    tokens.indices.first {
      tokens[$0].classes.has(.invites)
        && tokens[max(tokens.startIndex, $0 - 1)..<min(tokens.endIndex, $0 + 3)]
          .contains { $0.classes.has([.me, .you]) }
    }
  }

  /// Whether a number of points is here: `1240 points`.
  private func isPoints(_ index: Int) -> Bool {
    tokens[index].kind == .number && isOfScore(index) && tokens[index + 1].classes.has(.scores)
  }

  // MARK: The parts

  /// Sorts the words of a sentence by what they say.
  private func readParts(of statement: Range<Int>, verb: Int, into head: inout GeneralHead) {
    var denied = 0
    var hasSpeaker = false
    var hasOther = false
    // `It took me 12 tries to solve Name`
    let isCounted =
      tokens[statement].prefix(4).contains { $0.classes.has(.me) }
      && tokens[statement].contains { $0.classes.has(.attempts) }
    var isQuoted = false
    for index in statement {
      let token = tokens[index]
      if text[token.start] == 0x22 { isQuoted.toggle() }
      guard token.kind == .word else { continue }
      let classes = token.classes
      if classes.has(.quizzes) { head.parts.isOfQuiz = true }
      if classes.has([.puzzles, .challenges]) { head.parts.isOfGame = true }
      // The words of a name say nothing of the end.
      guard !head.name.contains(token.start) else { continue }
      denied -= 1
      if classes.has(.me) { hasSpeaker = true }
      if classes.has([.me, .ownVerb]) { head.parts.isOfSpeaker = true }
      if classes.has(.attempts) { head.parts.hasAttempts = true }
      if index == verb {
        let isOfOther = !hasSpeaker && !classes.has(.ownVerb)
        head.parts.isOfOther = isOfOther && hasOther
      }
      // `I finished Name (Hard) in 7m 3s`
      if classes.has(.levels), isInParentheses(index) { head.hasLevel = true }
      if classes.has(.solvedPuzzle) { head.parts.isOfPuzzle = true }
      if classes.has(.today), isBeforeWord(index) { head.parts.isOfToday = true }
      if classes.has(.negations) {
        denied = 3
      } else if denied > 0, classes.has([.solved, .toSolve]) {
        head.isLost = true
      } else if classes.has(isCounted ? [.solved, .toSolve] : .solved),
        index <= verb || !classes.has(.invites)
      {
        head.isSolved = true
      }
      if classes.has(.lost) { head.isLost = true }
      guard !classes.has(Self.known), !isQuoted else { continue }
      hasOther = true
      // A word with a capital is of another name.
      let isWork = classes.has([.documents, .work])
      if isWork || !isCapital(token.start) { head.parts.unknownWords += isWork ? 2 : 1 }
    }
    if head.isLost { head.isSolved = false }
  }

  /// Whether a word is before one that is not the speaker: `today's Name`, and not `Today I scored`.
  private func isBeforeWord(_ index: Int) -> Bool {
    index + 1 < tokens.endIndex && !tokens[index + 1].classes.has(.me)
      && [.word, .tag, .address].contains(tokens[index + 1].kind)
  }

  /// The words that have a part in a sentence about a game.
  private static let known = WordClasses.verbs.union([
    .me, .you, .today, .of, .within, .articles, .attempts, .scores, .averages, .generic, .levels,
    .puzzles,
    .challenges, .quizzes, .days, .weekdays, .months, .negations, .toSolve, .invites, .weakVerbs,
    .otherValues, .unused,
    .value, .without, .sameGame, .small,
  ])

  // MARK: The name

  /// Finds the name: before a sign, in quotation marks, behind a `#`, a host, words with capitals, or a
  /// word for a quiz and what follows it; and answers its last token.
  private func name(in statement: Range<Int>, verb: Int, into head: inout GeneralHead) -> Int? {
    if let named = nameBeforeSign(into: &head) ?? quotedName(in: statement, into: &head) {
      return named
    }
    if let tag = tokens.firstIndex(where: { $0.kind == .tag }) {
      // Tags behind the statement may be of anything, where its own words name the game.
      if !statement.contains(tag),
        let named = nameBehindJoint(from: verb, in: statement, into: &head)
      {
        return named
      }
      // What is behind the statement has no puzzle's number: `Solved in 3! #NameF1`.
      let isNumbered =
        !statement.contains(tag) && tag + 1 < tokens.endIndex && tokens[tag + 1].kind == .number
        && tokens[tag + 1].start == tokens[tag].end && tokens[tag + 1].value.digits < 10
      let last = isNumbered ? tag + 1 : tag
      (head.name, head.isTagged) = (tokens[tag].start + 1..<tokens[last].end, true)
      return last
    }
    let hasSpeaker = tokens[statement.lowerBound..<verb].contains { $0.classes.has(.me) }
    // The first word of a line that speaks to another person has a capital and is no name.
    let first = statement.first { tokens[$0].kind == .word } ?? statement.lowerBound
    let before = hasSpeaker ? statement.lowerBound..<verb : min(first + 1, verb)..<verb
    let behind = isVerb(tokens[verb]) ? verb : min(verb + 1, statement.upperBound)
    return quizName(in: statement, into: &head)
      ?? name(in: behind..<statement.upperBound, into: &head)
      ?? (hasSpeaker || invitation != nil ? name(in: before, into: &head) : nil)
      ?? commonName(in: verb..<statement.upperBound, into: &head)
      ?? (hasSpeaker ? commonName(in: statement.lowerBound..<verb, into: &head) : nil)
  }

  /// Words with capitals behind a small word and the score: `I scored 12,480 in Name`.
  private func nameBehindJoint(
    from verb: Int,
    in statement: Range<Int>,
    into head: inout GeneralHead
  ) -> Int? {
    guard let score = tokens[verb..<statement.upperBound].firstIndex(where: { $0.kind == .number })
    else { return nil }
    let joint = tokens[score..<statement.upperBound].firstIndex {
      $0.kind == .word && $0.classes.has([.within, .articles])
    }
    guard let joint, joint + 1 < statement.upperBound, isCapital(tokens[joint + 1].start) else {
      return nil
    }
    return name(in: joint + 1..<statement.upperBound, into: &head)
  }

  /// A name in quotation marks beside a word for games: `игре "Name"`, `the "Name" quiz`.
  private func quotedName(in statement: Range<Int>, into head: inout GeneralHead) -> Int? {
    var open: Int?
    for index in statement where text[tokens[index].start] == 0x22 {
      guard let first = open else {
        open = index
        continue
      }
      // `today's Name Quiz "answer"`
      let isNamed =
        first > statement.lowerBound + 1 && isCapital(tokens[first - 1].start)
        && tokens[first - 2].kind == .word && isCapital(tokens[first - 2].start)
      let isBeside =
        [first - 1, first - 2, index + 1].contains {
          statement.contains($0) && tokens[$0].classes.has([.puzzles, .quizzes])
        } && !isNamed
      if index > first + 1, isBeside {
        head.name = tokens[first].end..<tokens[index].start
        head.parts.isQuoted = true
        return index
      }
      open = nil
    }
    return nil
  }

  /// The name that is right before the sign of a puzzle's number, in a sentence of any order of
  /// words; and its last token.
  private func nameBeforeSign(into head: inout GeneralHead) -> Int? {
    guard let sign = tokens.firstIndex(where: { $0.kind == .sign }), sign > tokens.startIndex
    else { return nil }
    let isBracketed = text[tokens[sign - 1].start] == 0x28 && sign - 1 > tokens.startIndex
    // `(#3 of the month)` is a rank.
    if isBracketed, sign + 2 >= tokens.endIndex || text[tokens[sign + 2].start] != 0x29 {
      return nil
    }
    let end = isBracketed ? sign - 2 : sign - 1
    // `Connect 5 #88`
    let isNumber =
      tokens[end].kind == .number && end > tokens.startIndex
      && isOfName(tokens[end - 1], isCapital: true)
    let last = isNumber ? end - 1 : end
    if tokens[last].kind == .tag {
      (head.name, head.isTagged) = (tokens[last].start + 1..<tokens[last].end, true)
      return last
    }
    // `Ranked #12 of all`
    guard isOfName(tokens[last], isCapital: nil), !Self.ranks.contains(word(tokens[last])) else {
      return nil
    }
    let isCapital = isCapital(tokens[last].start)
    var first = last
    while first > tokens.startIndex, last - first < Self.longestName,
      isOfName(tokens[first - 1], isCapital: isCapital)
    {
      first -= 1
    }
    // `Name en español #12`
    if !isCapital, first - 2 > tokens.startIndex, tokens[first - 1].classes.has(.within),
      isOfName(tokens[first - 2], isCapital: true)
    {
      first -= 2
    }
    // `Daily Name #12`
    if isCapital, first > tokens.startIndex, tokens[first - 1].classes.has(.today),
      self.isCapital(tokens[first - 1].start)
    {
      first -= 1
    }
    head.name = tokens[first].start..<tokens[end].end
    return end
  }

  /// Whether a word may be of a name that has capitals, or none.
  private func isOfName(_ token: LineToken, isCapital: Bool?) -> Bool {
    token.kind == .word && isCapital.map { self.isCapital(token.start) == $0 } ?? true
      && !token.classes.has(.articles.union([.me, .today, .scores, .attempts, .within]))
      && (!token.classes.has(.small) || self.isCapital(token.start)) && !isVerb(token)
  }

  /// A host or words with capitals; and the last token.
  private func name(in range: Range<Int>, into head: inout GeneralHead) -> Int? {
    for index in range {
      let token = tokens[index]
      if token.kind == .address, isHost(token), let host = Self.host(of: token, in: text) {
        (head.name, head.isTagged, head.isHost) = (host, true, true)
        return index
      }
      guard mayBeginName(index), hasCapital(token), index > tokens.startIndex, !isUnit(index) else {
        continue
      }
      let last = lastOfName(from: index)
      let first = firstOfName(at: index)
      guard tokens[last].end - tokens[first].start > 2 else { continue }
      // A word for puzzles or for today alone names no game: `Rätsel`.
      if first == last, token.classes.has([.generic, .today]) { continue }
      head.name = tokens[first].start..<tokens[last].end
      return last
    }
    return nil
  }

  /// Whether a word in capitals is what a number counts, and a small word goes on: `92 WPM with`.
  private func isUnit(_ index: Int) -> Bool {
    tokens[index - 1].kind == .number && isAcronym(tokens[index]) && index + 1 < tokens.endIndex
      && tokens[index + 1].kind == .word && !isCapital(tokens[index + 1].start)
  }

  /// Whether a word begins with a capital, or has one within: `codeDash`.
  private func hasCapital(_ token: LineToken) -> Bool {
    isCapital(token.start)
      || (token.start..<token.end).contains { text[$0] &- 0x61 < 26 && isCapital($0) }
  }

  /// A word for a quiz and one without a capital that only the name has: `quiz ambientale`.
  private func quizName(in range: Range<Int>, into head: inout GeneralHead) -> Int? {
    let quiz = range.dropLast().first {
      tokens[$0].classes.has(.quizzes) && tokens[$0 + 1].kind == .word
        && tokens[$0 + 1].classes.isEmpty && !hasCapital(tokens[$0 + 1])
    }
    guard let quiz else { return nil }
    let last = lastOfName(from: quiz + 1)
    head.name = tokens[quiz].start..<tokens[last].end
    return last
  }

  /// A name without a capital, between an article and how it went.
  private func commonName(in range: Range<Int>, into head: inout GeneralHead) -> Int? {
    for index in range where mayBeginName(index) {
      guard isOfToday(index) || isBehindArticle(index) else { continue }
      head.isCommon = true
      var last = lastOfName(from: index)
      // `the sliding puzzle`
      if last + 1 < tokens.endIndex, tokens[last + 1].classes.has(.challenges),
        !tokens[last].classes.has(.quizzes)
      {
        last += 1
      }
      head.name = tokens[index].start..<tokens[last].end
      return last
    }
    return nil
  }

  /// Whether a word in a sentence may be the first one of a name.
  private func mayBeginName(_ index: Int) -> Bool {
    let token = tokens[index]
    let isOther =
      token.classes.has(.labels.union(.weekdays)) && !token.classes.has(.quizzes)
      && !(token.classes.has([.attempts, .toSolve]) && isNamed(index))
      && !(isCapital(token.start) && isBehindDaily(index))
      || token.classes.has(.articles) && !isAcronym(token)
    return token.kind == .word && !isOther
      && (!token.classes.has(.levels)
        || index > tokens.startIndex
          && tokens[index - 1].classes.has([.articles, .weekdays]))
      && !(isVerb(token) && !isNamed(index))
  }

  /// Whether a word for daily that has a capital is right before a word: `Daily Link`.
  private func isBehindDaily(_ index: Int) -> Bool {
    index > tokens.startIndex && tokens[index - 1].classes.has(.today)
      && isCapital(tokens[index - 1].start)
  }

  /// Whether a verb is a word of a name: it has a capital, and an article is before it: `the Lost Letter`,
  /// `on Guess the Flag`.
  private func isNamed(_ index: Int) -> Bool {
    guard index > tokens.startIndex, isCapital(tokens[index].start),
      tokens[index - 1].classes.has(.articles)
    else { return false }
    let next = tokens[(index + 1)...].prefix(2)
      .first { $0.kind != .word || isCapital($0.start) || !Self.joints.contains(word($0)) }
    return next.map { $0.kind == .word && isCapital($0.start) } ?? false
  }

  /// Whether a word is in capitals where other words are not: the `LA` of `LA Times`.
  private func isAcronym(_ word: LineToken) -> Bool {
    word.end - word.start > 1 && isCapital(word.start) && isCapital(word.start + 1)
      && tokens.contains {
        $0.kind == .word && $0.end - $0.start > 2 && !isCapital($0.start + 1)
      }
  }

  /// Whether a word is right behind one for today's, and the sentence goes on behind it or a word for
  /// puzzle.
  private func isOfToday(_ index: Int) -> Bool {
    guard index > tokens.startIndex, tokens[index - 1].classes.has(.today),
      tokens[index - 1].end - tokens[index - 1].start > 5
    else { return false }
    let next = tokens[(index + 1)...].prefix(2).first { !$0.classes.has(.challenges) }
    return next.map { $0.classes.has(.within) } ?? false
  }

  /// Whether a word is right behind `the`, or behind that and a word for daily, and how it went is
  /// right behind it or a word for puzzle: `I solved the name in 2:01`, `the daily name puzzle in 2:01`.
  private func isBehindArticle(_ index: Int) -> Bool {
    guard index > tokens.startIndex, tokens[index - 1].classes.has(.articles) else { return false }
    let isDaily = tokens[index - 1].classes.has(.today)
    let isQuiz = tokens[index].classes.has([.puzzles, .quizzes])
    let isKind = index + 1 < tokens.endIndex && tokens[index + 1].classes.has(.challenges)
    guard !isDaily || isQuiz || isKind else { return false }
    guard isDaily || !isQuiz && !tokens[index].classes.has([.generic, .prose]) else { return false }
    let next = tokens[(index + 1)...].prefix(2).first { !$0.classes.has(.generic) }
    return next.map { $0.classes.has(.within) } ?? false
  }

  /// The word for a quiz before a name, with small words between them: `quiz de Historia`.
  private func firstOfName(at index: Int) -> Int {
    var first = index
    while first > tokens.startIndex, index - first < 3 {
      let before = tokens[first - 1]
      if before.classes.has(.quizzes) { return first - 1 }
      guard before.kind == .word, before.classes.has(.of) || before.classes.isEmpty else { break }
      first -= 1
    }
    // `Daily Name`, `Daily Puzzle Name`, `La Name`
    first = index
    while first - 1 > tokens.startIndex, index - first < 2, isCapital(tokens[first - 1].start),
      tokens[first - 1].classes.has([.today, .challenges, .articles])
    {
      first -= 1
    }
    return first
  }

  private func lastOfName(from first: Int) -> Int {
    var last = first
    while last + 1 < tokens.endIndex, last - first < Self.longestName {
      let next = tokens[last + 1]
      let isJoint =
        next.kind == .symbols && last + 2 < tokens.endIndex
        || next.kind == .word && (next.classes.has(.of) || Self.joints.contains(word(next)))
      // `Name to the Name`
      let isDouble =
        isJoint && last + 3 < tokens.endIndex && tokens[last + 2].kind == .word
        && Self.joints.contains(word(tokens[last + 2]))
      let named = isDouble ? last + 3 : last + 2
      let isBefore =
        isJoint && named < tokens.endIndex && tokens[named].kind == .word
        && isCapital(tokens[named].start)
      let isCapitalized = next.kind == .word && isCapital(next.start) && !next.classes.has(.prose)
      // `Star Atlas trivia`
      let isOfPuzzles =
        next.classes.has([.puzzles, .quizzes]) && !next.classes.has(.generic)
      // `My Name score: 7/10`
      let isLabel = next.classes.has(.scores) && isBehindWord(last + 1, 0x3A)
      guard !isLabel, isBefore || isCapitalized || isOfPuzzles else { break }
      last += 1
    }
    return last
  }

  /// Small words within a name: `Needles to Say`.
  private static let joints = Set(
    [
      "to", "the", "or", "vs", "a", "as", "os", "la", "le", "los", "las", "el", "il", "der", "die",
      "das",
      "den",
    ].map { $0.unicodeScalars.map(\.value) }
  )

  /// Words before the sign of a place among players.
  private static let ranks = Set(
    ["ranked", "rank", "place", "placed", "platz", "rang", "puesto", "posición"].map {
      $0.unicodeScalars.map(\.value)
    }
  )

  private func word(_ token: LineToken) -> [UInt32] { Array(text[token.start..<token.end]) }

  // MARK: Numbers

  /// The score that follows a verb at once: `I got 11,341 on the Name Daily`.
  private func readScore(behind verb: Int, into head: inout GeneralHead) {
    guard
      let next = tokens[verb...].firstIndex(where: { $0.start > tokens[verb].start && !isVerb($0) })
    else { return }
    let index = skipKindOfScore(from: next)
    guard index < tokens.endIndex else { return }
    // `I reached Level 7 in Name`; points are surer.
    if tokens[index].classes.has(.value), index + 2 < tokens.endIndex,
      tokens[index + 1].kind == .number, tokens[index + 2].kind == .word,
      !tokens[(index + 2)...].contains(where: { $0.kind == .number || $0.kind == .ratio })
    {
      head.score = tokens[index + 1].count
      head.parts.countsAnything = true
      return
    }
    if countsOthers(index) {
      guard countsAnything(index) else { return }
      (head.score, head.maximum) = (tokens[index].count, tokens[index].maximum)
      head.parts.countsAnything = true
      return
    }
    if tokens[index].kind == .ratio {
      (head.score, head.maximum) = (tokens[index].value, tokens[index].maximum)
    } else if tokens[index].kind == .number, !countsAttempts(index) {
      head.score = tokens[index].count
      head.maximum = most(behind: index)
    }
    head.parts.isScoredByVerb = head.score != nil
  }

  /// The maximum of `4 of 6`.
  private func most(behind index: Int) -> ResultNumber? {
    guard tokens[index].kind == .number, index + 2 < tokens.endIndex,
      tokens[index + 1].classes.has(.of)
    else { return nil }
    let next = tokens[(index + 2)...].prefix(2).first { !$0.classes.has(.of) }
    return next.flatMap { $0.kind == .number ? $0.count : nil }
  }

  /// Skips the words that say what a number is: the `a score of` of `I got a score of 342`.
  private func skipKindOfScore(from start: Int) -> Int {
    let words = tokens[start...].prefix(4).prefix {
      $0.kind == .word && $0.classes.has(.articles.union([.averages, .of, .scores]))
    }
    let saysKind = words.contains { $0.classes.has([.averages, .scores]) }
    return saysKind ? words.endIndex : start
  }

  /// Whether a number counts what is neither points nor guesses: `4/9 tasks`.
  private func countsOthers(_ index: Int) -> Bool {
    guard index + 1 < tokens.endIndex, tokens[index + 1].kind == .word else { return false }
    let classes = tokens[index + 1].classes
    return !classes.has([.scores, .attempts, .within, .of, .articles])
  }

  /// Whether a word that no list has is between a number and a small word, or the sentence's end:
  /// `9 organelles in Name`.
  private func countsAnything(_ index: Int) -> Bool {
    (tokens[index].kind == .ratio || tokens[index].kind == .number) && index + 2 < tokens.endIndex
      && tokens[index + 1].classes.isEmpty && !isCapital(tokens[index + 1].start)
      && (tokens[index + 2].classes.has([.within, .articles, .of])
        || [0x21, 0x2E].contains(text[tokens[index + 2].start]))
  }

  private func countsAttempts(_ index: Int) -> Bool {
    index + 1 < tokens.endIndex && tokens[index + 1].kind == .word
      && tokens[index + 1].classes.has(.attempts)
  }

  /// The puzzle's number or day behind a name, and a score or time anywhere in the sentence.
  private func readNumber(behind named: Int, into head: inout GeneralHead) {
    var index = named + 1
    var isSigned = false
    while index < tokens.endIndex, index <= named + 4, head.puzzle == nil, !head.hasDate {
      switch tokens[index].kind {
      case .sign:
        // `(#3 of the month)` is a rank.
        guard !isRank(index) else { return }
        isSigned = true
      case .number
      where isSigned || isInParentheses(index)
        || isNext(index, to: named) && !isCount(index)
          && !((head.parts.isOfGame || head.parts.isOfQuiz) && index == named + 1
            && isYear(tokens[index])):
        head.puzzle = tokens[index].grouped ?? tokens[index].value.integer
        head.isSigned = isSigned
      case .day, .date:
        head.hasDate = true
        if tokens[index].kind == .day {
          head.day = tokens[index].value.integer.map { CalendarDay(number: $0) }
        }
      case .ratio where GeneralDate.mayBe(tokens[index].value, of: tokens[index].maximum):
        head.hasDate = true
      case .number, .ratio, .lostRatio, .time: return
      case .word, .tag, .symbols, .address, .mark: break
      }
      index += 1
    }
  }

  /// Whether a sign begins a parenthesis that has more than its number.
  private func isRank(_ sign: Int) -> Bool {
    sign > tokens.startIndex && text[tokens[sign - 1].start] == 0x28
      && (sign + 2 >= tokens.endIndex || text[tokens[sign + 2].start] != 0x29)
  }

  /// Whether a number or a word is all that a parenthesis has: `Name (386)`.
  private func isInParentheses(_ index: Int) -> Bool {
    index > tokens.startIndex && index + 1 < tokens.endIndex
      && text[tokens[index - 1].start] == 0x28 && text[tokens[index + 1].start] == 0x29
  }

  /// Whether a token follows a name, with no more than words for puzzle between them.
  private func isNext(_ index: Int, to named: Int) -> Bool {
    index - named < 4
      && tokens[(named + 1)..<index].allSatisfy { $0.kind == .word && $0.classes.has(.generic) }
  }

  /// Whether a number counts guesses or points, or belongs to a name: `640 of 1000`, `9 Game Show`.
  private func isCount(_ index: Int) -> Bool {
    guard index + 1 < tokens.endIndex, tokens[index + 1].kind == .word else { return false }
    let next = tokens[index + 1]
    return next.classes.has([.attempts, .scores, .of])
      || text[next.start] < 0x80 && isCapital(next.start) && !next.classes.has(Self.behindNumbers)
  }

  /// What a word behind a puzzle's number may be about, though it begins with a capital.
  private static let behindNumbers: WordClasses = [
    .levels, .weekdays, .today, .within, .prose, .me, .you, .invites,
  ]

  /// Whether a number may be the year in the name of a quiz: `Name Cup 2026`.
  private func isYear(_ number: LineToken) -> Bool {
    number.end - number.start == 4 && (2_000...2_100).contains(number.value.digits)
  }
}
