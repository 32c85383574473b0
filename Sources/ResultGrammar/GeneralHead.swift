/// What a line says that may begin a result of any game: `Name #123 4/6`, `I solved Name in 2:01`.
package struct GeneralHead {
  /// Where the line's part begins that is the head.
  package var start: Int
  /// Where the name is; empty where the line has none but only a number: `Puzzle #12`.
  package var name: Range<Int>
  package var end: Int
  /// The puzzle's number, and whether a sign is before it.
  package var puzzle: Int?
  package var isSigned = false
  package var day: CalendarDay?
  package var hasDate = false
  package var score: ResultNumber?
  package var maximum: ResultNumber?
  package var time: ResultNumber?
  package var isHard = false
  /// Whether the player says that the game was solved, or lost.
  package var isSolved = false
  package var isLost = false
  /// Whether the line is a sentence about the game and no title.
  package var isSentence = false
  /// Whether a word for number is before the number: `Name no 12`.
  fileprivate var isNumbered = false
  /// Whether the name is behind a `#` or is an address.
  package var isTagged = false
  /// Whether the name is an address.
  package var isHost = false
  /// Whether the score is one of guesses: `4/6 tries`.
  package var isTried = false
  /// Whether a word for day is before the number: `Name Day 12`.
  package var isOfDay = false
  /// Whether a level of difficulty is behind the number: `Name #12 Easy`.
  package var hasLevel = false
  /// Whether no clock shows the time: `0:59`, `3m 11s`.
  package var isLengthOfTime = false
  /// Whether parentheses are around the whole name, as around that of a mode.
  package var isMode = false
  /// What the parts of a sentence say of the game.
  package var parts = SentenceParts()
  /// Whether the name has no capital and may only say what was guessed: `I guessed today's athlete`.
  package var isCommon = false
  /// Whether the name of a title begins with a small letter.
  package var isSmall = false
  /// Whether the line is small words and a score, which only a grid makes a name.
  package var isOfSmallWords = false
  /// How many words the line has behind the head.
  package var wordsBehind = 0
  /// Whether those may be the theme of a puzzle: `Name #12: Best Pirate Films`.
  package var hasTheme = false
  /// The words before the number, where they name no game by themselves: `Daily Word`.
  package var plainWords = 0..<0

  package init(start: Int, name: Range<Int>, end: Int) {
    (self.start, self.name, self.end) = (start, name, end)
  }

  package var isScored: Bool { score != nil || isLost && maximum != nil }
  /// Whether a date or a number that few other things reach says that it is one of many puzzles.
  package var isOfSeries: Bool { hasDate || isSigned && puzzle.map { $0 > 31 } ?? false }
  /// Whether the ratio may be a month and a day: `11/26`.
  package var mayBeDate: Bool {
    puzzle == nil && !hasDate && !isLost && GeneralDate.mayBe(score, of: maximum)
  }
  /// Whether it is no more than a name.
  package var isBare: Bool {
    puzzle == nil && !hasDate && !isScored && time == nil && !isSentence
  }
}

/// The heads of the lines that were looked at.
package struct KnownHeads {
  private var heads: [GeneralHead] = []
  /// For each line the place of its head; one for a line without a head; another one for a line
  /// that was not looked at.
  private var places: [Int32] = []

  private static let unknown: Int32 = -2
  private static let none: Int32 = -1

  package init() {}

  /// Forgets the text before.
  package mutating func begin(lines: Int) {
    heads.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    places.append(contentsOf: repeatElement(Self.unknown, count: lines))
  }

  /// How many heads there are.
  package var count: Int { heads.count }

  package func isKnown(_ line: Int) -> Bool { places[line] != Self.unknown }

  package mutating func keep(_ head: GeneralHead?, at line: Int) {
    places[line] = head == nil ? Self.none : Int32(heads.count)
    if let head { heads.append(head) }
  }

  package subscript(_ line: Int) -> GeneralHead? {
    places[line] >= 0 ? heads[Int(places[line])] : nil
  }
}

/// Reads heads of results from the tokens of a line.
package struct GeneralHeadReader {
  package let source: NormalText
  package let bytes: [UInt8]
  package let tokens: ArraySlice<LineToken>

  package init(source: NormalText, bytes: [UInt8], tokens: ArraySlice<LineToken>) {
    (self.source, self.bytes, self.tokens) = (source, bytes, tokens)
  }

  var text: [UInt32] { source.scalars }

  /// Whether what is at a place was written with a capital, or has no case.
  func isCapital(_ place: Int) -> Bool { source.isCapital(place, bytes) }

  static let longestName = 6

  /// The head that the tokens begin with.
  package func head() -> GeneralHead? {
    guard !tokens.hasMoment(in: text) else { return nil }
    let title = title()
    if let title, title.puzzle != nil || title.isScored, !hasVerb(in: title.name) { return title }
    return sentence() ?? title
  }

  /// Whether a name holds the verb of a sentence about the game, or begins with its subject.
  private func hasVerb(in name: Range<Int>) -> Bool {
    tokens.contains {
      guard $0.kind == .word, name.contains($0.start) else { return false }
      return $0.classes.has(.verbs.union(.weakVerbs))
        || $0.start == name.lowerBound && $0.end < name.upperBound && $0.classes.has(.me)
    }
  }

  // MARK: Titles

  /// A name, and behind it a number, a date, a score or a time.
  private func title() -> GeneralHead? {
    var index = tokens.startIndex
    let leading = leadingScore()
    if let leading { index = leading + 1 }
    while index < tokens.endIndex, tokens[index].kind == .symbols || isOpening(tokens[index]) {
      index += 1
    }
    guard index < tokens.endIndex else { return nil }
    if let leading, !isTitle(index, behind: leading) { return nil }
    var head = GeneralHead(
      start: tokens[tokens.startIndex].start,
      name: tokens[index].start..<tokens[index].start,
      end: tokens[index].start
    )
    index = readOrdinal(from: index, into: &head)
    guard let afterName = readName(from: index, into: &head) else { return nil }
    guard readValues(from: afterName, into: &head) else { return nil }
    if let leading {
      guard head.isSigned, !head.isScored else { return nil }
      (head.score, head.maximum) = (tokens[leading].value, tokens[leading].maximum)
      if tokens[leading].kind == .lostRatio { (head.score, head.isLost) = (nil, true) }
    }
    return head
  }

  /// Whether what is behind a score can only be a title: a tag, or a capital behind symbols or a dash.
  private func isTitle(_ index: Int, behind score: Int) -> Bool {
    tokens[index].kind == .tag || index > score + 1 && isCapital(tokens[index].start)
  }

  /// Where the score is that a line begins with: `4/6 #Name #12`, `Score: 4/6 – Name #12`.
  private func leadingScore() -> Int? {
    var index = tokens.startIndex
    if tokens[index].classes.has(.scores), isBehindWord(index, 0x3A) { index += 2 }
    guard index + 1 < tokens.endIndex,
      tokens[index].kind == .ratio || tokens[index].kind == .lostRatio
    else { return nil }
    return index
  }

  private func isOpening(_ token: LineToken) -> Bool {
    token.kind == .mark && text[token.start] != 0x28
  }

  /// Reads the puzzle's number where it is before the name, as in Japanese and Korean: `第12回 Name`,
  /// `12번째 Name`; and answers where the name begins.
  private func readOrdinal(from start: Int, into head: inout GeneralHead) -> Int {
    let number = text[tokens[start].start] == 0x7B2C ? start + 1 : start
    guard number + 2 < tokens.endIndex, tokens[number].kind == .number,
      let puzzle = tokens[number].grouped, isCounter(number + 1),
      number > start
        || tokens[number + 1].end - tokens[number + 1].start == 2
    else { return start }
    (head.puzzle, head.isSigned) = (puzzle, true)
    let name = number + 2
    head.name = tokens[name].start..<tokens[name].start
    return name
  }

  /// Whether a word of one or two letters is right behind a number and counts puzzles: `回`, `번째`.
  private func isCounter(_ index: Int) -> Bool {
    let token = tokens[index]
    return token.kind == .word && token.end - token.start < 3 && text[token.start] >= 0x3040
      && token.start == tokens[index - 1].end && tokens[index + 1].kind == .word
  }

  /// Reads the words of a name, and answers where what follows begins.
  private func readName(from start: Int, into head: inout GeneralHead) -> Int? {
    var index = start
    var words = 0
    var meaning = 0
    if tokens[index].kind == .sign || isScoredNumber(index) { return index }
    if tokens[index].kind == .day, tokens.count == 1 { return index }
    if text[tokens[index].start] == 0x28 {
      guard let closed = closing(from: index) else { return nil }
      head.isMode = true
      head.name = tokens[index].end..<tokens[closed].start
      return closed + 1
    }
    head.isHost = tokens[index].kind == .address
    head.isTagged = tokens[index].kind == .tag || head.isHost
    var first = tokens[index].start
    var lastWords: (before: Int?, last: Int?) = (nil, nil)
    var wasMarked = false
    var wasSymbol = false
    while index < tokens.endIndex, words < Self.longestName {
      let token = tokens[index]
      if token.kind == .word || token.kind == .tag || token.kind == .address && words == 0 {
        if token.kind == .address, !isHost(token), !isBeforeValue(index) {
          // `late.sh Le Word #81`: what looks like a file is before the name.
          guard index + 1 < tokens.endIndex, tokens[index + 1].kind == .word,
            isCapital(tokens[index + 1].start)
          else { return nil }
          head.isHost = false
          head.isTagged = false
          head.name = tokens[index + 1].start..<tokens[index + 1].start
          index += 1
          first = tokens[index].start
          continue
        }
        if wasSymbol, words > 0, !token.classes.has([.generic, .days]) {
          // What is before a symbol is not about the game.
          (words, meaning, lastWords) = (0, 0, (nil, nil))
          head.name = token.start..<token.start
          wasSymbol = false
        }
        // `Name of the day: found in 3 tries`
        if wasMarked, words > 1, token.classes.has(.solved), !isCapital(token.start) { break }
        if wasMarked, words > 0, !isCapital(token.start), token.kind == .word,
          !token.classes.has([.generic, .days])
        {
          return nil
        }
        wasMarked = false
        if words > 0, token.classes.has(.scores), isBehindWord(index, 0x3A) {
          // `Name result: 7/10`
          return index + 1
        }
        words += 1
        if !token.classes.has([.generic, .days]) { meaning += 1 }
        head.name = head.name.lowerBound..<token.end
        lastWords = (lastWords.last, index)
      } else if text[token.start] == 0x28, words > 0, let closed = closing(from: index) {
        head.name = head.name.lowerBound..<tokens[closed].end
        index = closed
      } else if token.kind == .number || token.kind == .time, words > 0, isOfName(index) {
        // A number of the name itself: `Top 5 #364`, `Find 5 letters #12`, `Songs 80s #12`.
        head.name = head.name.lowerBound..<token.end
      } else if token.kind == .number, index == start, beginsName(index) {
        // `6-letter Name 12 4/6`
        head.name = token.start..<token.end
      } else if token.kind == .mark, isJoint(text[token.start]) {
        wasMarked = !isWithinWord(index)
      } else if token.kind == .symbols, words > 0,
        !text[token.start..<token.end].contains(where: Symbols.isSquare)
      {
        wasSymbol = true
      } else {
        break
      }
      index += 1
    }
    guard words > 0 else { return nil }
    if let last = lastWords.last, let before = lastWords.before, index < tokens.endIndex,
      tokens[last].classes.has(.days), !tokens[before].classes.has(.of),
      isValue(tokens[index].kind)
    {
      // `Name Day 12`: the word is the number's.
      head.name = head.name.lowerBound..<tokens[before].end
      head.isOfDay = !tokens[last].classes.has(.weeks)
    }
    readSmallWord(behind: lastWords, at: index, into: &head)
    if head.isHost, let host = Self.host(of: tokens[start], in: text) {
      head.name =
        host
        .lowerBound..<(head.name.upperBound > tokens[start].end
        ? head.name.upperBound : host.upperBound)
    }
    if meaning == 0 { (head.plainWords, head.name) = (head.name, first..<first) }
    let isNamed =
      isCapital(head.isTagged ? first + 1 : first) || hasInnerCapital(first) || head.isTagged
      || tokens.count == 1
    head.isSmall = !isNamed
    guard isNamed || index < tokens.endIndex && isValue(tokens[index].kind) || isDated(index, words)
    else { return nil }
    head.isOfSmallWords = isSmallTitle(head.name, isNamed: isNamed, before: index)
    // A score may be behind any words; a name's last one has a capital, or it is the only one.
    if index < tokens.endIndex, tokens[index].kind == .ratio || tokens[index].kind == .lostRatio,
      words > 1 && !head.name.isEmpty ? !isCapital(lastWord(in: head.name)) : !isNamed,
      !head.isOfSmallWords
    {
      return nil
    }
    return index
  }

  /// Whether a word that begins with a small letter has a capital behind it: `eName`.
  private func hasInnerCapital(_ start: Int) -> Bool {
    start + 1 < text.count && Symbols.isLetter(text[start + 1]) && isCapital(start + 1)
  }

  /// Whether small words that no list has, but one for puzzles, and a score are all that a line has:
  /// `name wordle 4/6`.
  private func isSmallTitle(_ name: Range<Int>, isNamed: Bool, before score: Int) -> Bool {
    !isNamed && !name.isEmpty && score + 1 == tokens.endIndex
      && tokens[..<score].allSatisfy {
        $0.kind == .word && ($0.classes.isEmpty || $0.classes.has([.puzzles, .quizzes]))
      }
  }

  /// Takes a small word from the end of a name: `Name no 12`, `Name du 12/03/2026`.
  private func readSmallWord(
    behind words: (before: Int?, last: Int?),
    at index: Int,
    into head: inout GeneralHead
  ) {
    guard let last = words.last, let before = words.before, index == last + 1,
      index < tokens.endIndex, !head.name.isEmpty
    else { return }
    let isNumber =
      tokens[index].kind == .number
      && text[tokens[last].start..<tokens[last].end].elementsEqual([0x6E, 0x6F])
      && isCapital(head.name.lowerBound)
    let isDay =
      (tokens[index].kind == .day || tokens[index].kind == .date)
      && tokens[last].classes.has(.of)
    guard isNumber || isDay else { return }
    head.name = head.name.lowerBound..<tokens[before].end
    head.isNumbered = isNumber
  }

  /// Whether a slash joins one letter to a word: `r/name`.
  private func isWithinWord(_ index: Int) -> Bool {
    text[tokens[index].start] == 0x2F && index == tokens.startIndex + 1
      && tokens[index].start == tokens[tokens.startIndex].start + 1
      && index + 1 < tokens.endIndex && tokens[index + 1].start == tokens[index].end
  }

  /// Whether a line is one word and a day: `name 14/03/2026`.
  private func isDated(_ index: Int, _ words: Int) -> Bool {
    words == 1 && index + 1 == tokens.endIndex
      && (tokens[index].kind == .day || tokens[index].kind == .date)
  }

  /// Whether the number here belongs to a name: a sign follows, or a number and its score, with a
  /// word between them or none.
  private func isOfName(_ index: Int) -> Bool {
    guard index + 1 < tokens.endIndex, !text[tokens[index].start..<tokens[index].end].contains(0x3A)
    else { return false }
    if tokens[index + 1].kind == .sign { return true }
    guard tokens[index + 1].kind == .word, index + 2 < tokens.endIndex,
      !tokens[index + 1].classes.has([.days, .levels, .generic])
    else { return false }
    return tokens[index + 2].kind == .sign || isScoredNumber(index + 2)
  }

  /// Whether the number here begins a name: a word is behind it, a hyphen or white space between them,
  /// and a puzzle's number and its score behind those, or a date and a score.
  private func beginsName(_ index: Int) -> Bool {
    guard index + 3 < tokens.endIndex else { return false }
    let isJoined = text[tokens[index].end] == 0x2D
    let word = isJoined ? index + 2 : index + 1
    guard tokens[word].kind == .word, tokens[word].start == tokens[index].end + 1,
      isJoined || !tokens[word].classes.has(.labels.union([.of, .within, .prose, .work]))
    else { return false }
    return tokens[(word + 1)...].prefix(4).indices.contains {
      tokens[$0].kind == .sign || isScoredNumber($0)
        || (tokens[$0].kind == .day || tokens[$0].kind == .date) && isBeforeRatio($0)
    }
  }

  /// Whether a ratio is right behind what is here.
  private func isBeforeRatio(_ index: Int) -> Bool {
    index + 1 < tokens.endIndex
      && (tokens[index + 1].kind == .ratio || tokens[index + 1].kind == .lostRatio)
  }

  /// Whether an address is here, and a puzzle's number or a score behind it: `name.example/daily #12`.
  private func isBeforeValue(_ index: Int) -> Bool {
    index + 1 < tokens.endIndex && Self.host(of: tokens[index], in: text) != nil
      && tokens[index + 1].kind != .number && isValue(tokens[index + 1].kind)
  }

  /// Whether a mark is right behind a word.
  func isBehindWord(_ index: Int, _ mark: UInt32) -> Bool {
    index + 1 < tokens.endIndex && text[tokens[index + 1].start] == mark
  }

  /// Whether a number is here, and a ratio right behind it.
  private func isScoredNumber(_ index: Int) -> Bool {
    guard tokens[index].kind == .number else { return false }
    let next = tokens[(index + 1)...].first { $0.kind != .mark }
    return next.map { $0.kind == .ratio || $0.kind == .lostRatio } ?? false
  }

  private func lastWord(in name: Range<Int>) -> Int {
    var place = name.upperBound - 1
    if let open = text[name].firstIndex(of: 0x28), open > name.lowerBound { place = open - 1 }
    while place > name.lowerBound, !Symbols.isLetter(text[place]) { place -= 1 }
    while place > name.lowerBound, Symbols.isLetter(text[place - 1]) { place -= 1 }
    return place
  }

  private func isValue(_ kind: LineToken.Kind) -> Bool {
    kind == .sign || kind == .number || kind == .ratio || kind == .lostRatio
  }

  /// An address without a path: `conexo.ws`.
  func isHost(_ token: LineToken) -> Bool {
    guard let host = Self.host(of: token, in: text) else { return false }
    return host.upperBound == token.end
      || host.upperBound + 1 == token.end && text[host.upperBound] == 0x2F
  }

  /// The host in an address, without `www.`; `nil` where it is the name of a file.
  package static func host(of address: LineToken, in text: [UInt32]) -> Range<Int>? {
    var start = address.start
    if let scheme = (start..<address.end).first(where: {
      text[$0] == 0x2F && $0 + 1 < address.end && text[$0 + 1] == 0x2F
    }) {
      start = scheme + 2
    }
    var end = (start..<address.end).first { text[$0] == 0x2F || text[$0] == 0x3F } ?? address.end
    while end > start, !Symbols.isLetter(text[end - 1]), !Symbols.isDigit(text[end - 1]) {
      end -= 1
    }
    var host = start..<end
    if text[host].starts(with: [0x77, 0x77, 0x77, 0x2E]) { host = start + 4..<end }
    // An address of mail belongs to no game.
    let isMail =
      address.start > 0 && text[address.start - 1] == 0x40 || text[start..<end].contains(0x40)
    guard host.count > 3, !isMail, let point = text[host].lastIndex(of: 0x2E) else { return nil }
    let ending = GeneralWords.table.classes(of: text, point + 1..<end)
    let isLetters = text[point + 1..<end].allSatisfy { $0 < 0x80 && Symbols.isLetter($0) }
    guard end - point > 2, isLetters, !ending.has(.fileEndings) else { return nil }
    // `configure.in` is a file, `sys.path` is code, and `lnkd.in/name` an address.
    if start > address.start || address.isAlone { return host }
    if end < address.end { return ending.has(.hostEndings.union(.countriesAndFiles)) ? host : nil }
    return ending.has(.hostEndings) && !ending.has(.countriesAndFiles) ? host : nil
  }

  private func isJoint(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x28, 0x2D, 0x3A, 0x2F, 0x7C, 0xB7, 0x2C, 0x7E, 0x5F, 0x2A, 0x21, 0x22, 0x27, 0x40, 0x2022,
      0x26, 0x2B, 0x5B, 0x5D:
      true
    default: false
    }
  }

  /// The `)` of a parenthesis with at most four tokens and no score; a number may only be in one that a
  /// puzzle's number follows, or beside a word in one that a score follows: `Name (80s) #12`,
  /// `Name (7 letters) 4/6`.
  private func closing(from open: Int) -> Int? {
    var hasNumber = false
    var hasWord = false
    for index in open + 1..<max(open + 1, min(tokens.endIndex, open + 6)) {
      if text[tokens[index].start] == 0x29 {
        let isSigned = index + 1 < tokens.endIndex && tokens[index + 1].kind == .sign
        let mayCount = isSigned || hasWord && isBeforeRatio(index)
        return index > open + 1 && (!hasNumber || mayCount) ? index : nil
      }
      switch tokens[index].kind {
      case .word: hasWord = true
      case .tag, .address, .mark, .symbols: continue
      case .number, .time: hasNumber = true
      case .sign, .ratio, .lostRatio, .day, .date: return nil
      }
    }
    return nil
  }

  /// Reads what follows a name; `false` where it is no head.
  private func readValues(from start: Int, into head: inout GeneralHead) -> Bool {
    var index = start
    var isSigned = head.isNumbered
    values: while index < tokens.endIndex {
      let token = tokens[index]
      switch token.kind {
      case .sign where isReference(index): return false
      case .sign: isSigned = true
      case .number where isStreak(index):
        index += 1
        continue
      case .number:
        if isOrdinal(index) { isSigned = true }
        // `Harbour 12-2` is of a match.
        if !isSigned, isOfMatch(index) { return false }
        // A share is no puzzle's number, and behind a day nothing with a point is one, and none that
        // ends the line.
        if isShare(index) || head.hasDate && token.grouped == nil { break values }
        if !isSigned, head.hasDate, tokens[(index + 1)...].allSatisfy({ $0.kind == .symbols }) {
          break values
        }
        // Two numbers, or one with a point, are none of a puzzle: `12,50`, `1_234`.
        if head.isSigned || head.puzzle != nil && isParted(index) { break values }
        // `name - 5 Round Sum`
        if !isSigned, head.puzzle == nil, isParted(index), countsName(index) { break values }
        // `Rarity: 145` is a value, and so is `845 pts`.
        if !isSigned, isBehindColon(index) || isOfScore(index), !isScoredNumber(index) {
          break values
        }
        guard head.puzzle == nil, let number = token.grouped else { return false }
        head.puzzle = number
        head.isSigned = isSigned
      case .ratio where isOfOther(index): break values
      case .ratio where head.puzzle == nil && !head.hasDate && isDate(index):
        head.hasDate = true
      case .ratio:
        head.score = token.value
        head.maximum = token.maximum
        head.end = token.end
        readHard(behind: index, into: &head)
        index += 1
        head.isTried = index < tokens.endIndex && tokens[index].classes.has(.attempts)
        break values
      case .lostRatio:
        head.isLost = true
        head.maximum = token.maximum
        head.end = token.end
        readHard(behind: index, into: &head)
        index += 1
        break values
      case .time:
        head.time = token.value
        head.isLengthOfTime = token.isLengthOfTime(in: text) || isBehindClock(index)
        head.end = token.end
        index += 1
        if index < tokens.endIndex, text[tokens[index].start] == 0x2705 { head.isSolved = true }
        break values
      case .day, .date:
        guard !head.hasDate else { break values }
        head.hasDate = true
        let day = token.kind == .day ? token : dayFirst(index)
        if let day { head.day = day.value.integer.map { CalendarDay(number: $0) } }
      case .symbols where isTick(index):
        head.isSolved = true
        index += 1
        continue
      case .symbols where isBullet(index):
        index += 1
        continue
      case .symbols where isCross(index):
        head.isLost = true
        index += 1
        continue
      case .symbols:
        guard !text[token.start..<token.end].contains(where: Symbols.isSquare) else { break values }
        // `Name #12 ✗ — 5/5`
        if text[token.start] == 0x2717 || text[token.start] == 0x2718 { head.isLost = true }
        if text[token.start] == 0x2714 { head.isSolved = true }
        index += 1
        continue
      case .mark where text[token.start] == 0x28 && (head.puzzle != nil || head.hasDate):
        // `Name 12 (Weekend) 3/6`
        index = (closing(from: index) ?? index) + 1
        continue
      case .mark:
        index += 1
        continue
      case .word where token.classes.has(.levels):
        head.hasLevel = true
        index += 1
        continue
      case .word where token.classes.has(.days) && head.puzzle != nil:
        // `Name 88. day`
        head.isOfDay = true
        index += 1
        continue
      case .word where token.classes.has(.generic) || text[token.start] >= 0x3040:
        if token.classes.has(.solved) { head.isSolved = true }
        if token.classes.has(.lost) { head.isLost = true }
        index += 1
        continue
      case .word where isBeforeTime(index) || isBeforeScore(index) || isBeforeLost(index):
        index += 1
        continue
      case .word, .tag, .address: break values
      }
      head.end = token.end
      index += 1
    }
    head.end = max(head.end, head.name.upperBound)
    // A quotation mark that was passed is counted again.
    let isQuoted = index > tokens.startIndex && text[tokens[index - 1].start] == 0x22
    let behind = tokens[(isQuoted ? index - 1 : index)...]
    let isValued = head.isScored || head.time != nil
    let rest = behind[..<behind.startOfQuestion(in: text, isValued: isValued)]
    let isSure =
      head.isOfSeries && (head.isScored || rest.contains { $0.kind == .ratio })
      && !NameWords(text, head.name).any.has(.documents)
    head.wordsBehind = words(in: rest, isSure: isSure)
    head.hasTheme = (head.isSigned || head.hasDate) && isTheme(rest)
    return true
  }

  /// Whether brackets that nothing but a remark opens are around a number: `[#12](`,
  /// `Fix a loop (closes: #12)`, `#12)`.
  private func isReference(_ index: Int) -> Bool {
    guard index + 2 < tokens.endIndex else { return false }
    let before = tokens[..<index]
    switch text[tokens[index + 2].start] {
    case 0x5D: return before.last.map { [0x5B, 0x5C].contains(text[$0.start]) } ?? false
    case 0x29, 0x2C:
      guard let open = before.lastIndex(where: { text[$0.start] == 0x28 }) else {
        return before.isEmpty && text[tokens[index + 2].start] == 0x29
      }
      return before[..<open].last.map { $0.kind == .word && !isCapital($0.start) } ?? false
    default: return false
    }
  }

  /// Whether a colon or a dash parts words from a puzzle's number that begin with capitals, small words
  /// among them: the theme of a puzzle.
  private func isTheme(_ rest: ArraySlice<LineToken>) -> Bool {
    guard rest.startIndex > tokens.startIndex, rest.count < 8,
      [0x3A, 0x2D].contains(text[tokens[rest.startIndex - 1].start])
    else { return false }
    return rest.allSatisfy {
      $0.kind == .word && (isCapital($0.start) || $0.classes.has([.of, .articles, .small]))
    }
  }

  /// A date of which no one can know which part is the month, behind a word that only languages have
  /// which write the day first: `du 12/03/2026`, `vom 12/03/2026`.
  private func dayFirst(_ index: Int) -> LineToken? {
    guard index > tokens.startIndex, tokens[index - 1].classes.has(.of) else { return nil }
    let word = text[tokens[index - 1].start..<tokens[index - 1].end]
    let end = tokens[tokens.endIndex - 1].end
    guard !word.elementsEqual([0x6F, 0x66]),
      let date = DateReader.digits(
        in: text,
        at: tokens[index].start,
        before: end,
        monthFirst: false
      ), date.end == tokens[index].end
    else { return nil }
    return GeneralDate.token(date, tokens[index].start)
  }

  /// Whether a word that has a capital and says nothing of a result is right behind a number.
  private func countsName(_ index: Int) -> Bool {
    index + 1 < tokens.endIndex && tokens[index + 1].kind == .word
      && !tokens[index + 1].classes.has(
        .verbs.union([.levels, .generic, .days, .attempts, .scores])
      )
      && text[tokens[index + 1].start] < 0x80
      && isCapital(tokens[index + 1].start)
  }

  /// Whether a watch or an hourglass is right before a time: `#12 ⏱ 2:13`.
  private func isBehindClock(_ index: Int) -> Bool {
    index > tokens.startIndex && tokens[index - 1].kind == .symbols
      && GeneralTail.clocks.contains(text[tokens[index - 1].end - 1])
  }

  /// Whether a fire is right before a number, which counts days without a loss: `🔥7`.
  private func isStreak(_ index: Int) -> Bool {
    index > tokens.startIndex && tokens[index - 1].kind == .symbols
      && text[tokens[index - 1].end - 1] == 0x1F525
  }

  /// Whether a hyphen and another number are right behind one.
  private func isOfMatch(_ index: Int) -> Bool {
    let hyphen = tokens[index].end
    return index + 2 < tokens.endIndex && text[hyphen] == 0x2D
      && tokens[index + 2].kind == .number && tokens[index + 2].start == hyphen + 1
  }

  /// Whether a sign for a hundredth is right behind a number.
  private func isShare(_ index: Int) -> Bool {
    index + 1 < tokens.endIndex && text[tokens[index + 1].start] == 0x25
  }

  /// Whether a cross ends a line behind a puzzle's number: `Name #12 ❌`.
  private func isCross(_ index: Int) -> Bool {
    index + 1 == tokens.endIndex && tokens[index - 1].kind == .number
      && tokens[index].end - tokens[index].start == 1 && text[tokens[index].start] == 0x274C
  }

  /// Whether a small square parts two values: `#12 ▪ 3/5`.
  private func isBullet(_ index: Int) -> Bool {
    let token = tokens[index]
    guard token.end - token.start == 1, index + 1 < tokens.endIndex else { return false }
    let next = tokens[index + 1].kind
    return [0x25AA, 0x25AB, 0x25B8, 0x25BA, 0x25FD, 0x25FE].contains(text[token.start])
      && (isValue(next) || next == .time)
  }

  /// Whether a word for points or guesses is right behind a number, or behind its point: `4. Versuch`.
  func isOfScore(_ index: Int) -> Bool {
    let isPointed = isBehindWord(index, 0x2E) && tokens[index + 1].start == tokens[index].end
    let next = isPointed ? index + 2 : index + 1
    return next < tokens.endIndex && tokens[next].kind == .word
      && tokens[next].classes.has([.scores, .attempts]) && !isBeforeScore(next)
  }

  /// Whether what counts puzzles is right behind a number: `12번째`, `12日目`.
  private func isOrdinal(_ index: Int) -> Bool {
    guard index + 1 < tokens.endIndex, tokens[index + 1].start == tokens[index].end else {
      return false
    }
    return Self.counters.contains { text[tokens[index].end...].starts(with: $0) }
  }

  static let counters = ["번째", "회차", "일차", "日目", "号", "期", "关", "關"].map {
    $0.unicodeScalars.map(\.value)
  }

  /// Whether a ratio is a month and a day: another one follows, or it is more than its maximum.
  private func isDate(_ index: Int) -> Bool {
    let ratio = tokens[index]
    guard GeneralDate.mayBe(ratio.value, of: ratio.maximum) else { return false }
    return ratio.value.digits > ratio.maximum?.digits ?? .max
      || tokens[(index + 1)...].contains { $0.kind == .ratio || $0.kind == .lostRatio }
  }

  /// Whether a tick stands alone before a score, or ends a line behind a puzzle's number: `✅ 3/6`,
  /// `Name #12 ✅`.
  private func isTick(_ index: Int) -> Bool {
    let token = tokens[index]
    guard token.end - token.start == 1, text[token.start] == 0x2705 else { return false }
    return index + 1 == tokens.endIndex
      ? tokens[index - 1].kind == .number : tokens[index + 1].kind == .ratio
  }

  /// Whether a word for `in` is here, and a time behind it: `Name 12 in 1:04`.
  private func isBeforeTime(_ index: Int) -> Bool {
    tokens[index].classes.has(.within) && index + 1 < tokens.endIndex
      && tokens[index + 1].kind == .time
  }

  /// Whether a word for points is here, and a ratio right behind it: `Name 12 score 4/6`.
  private func isBeforeScore(_ index: Int) -> Bool {
    tokens[index].classes.has(.scores) && index + 1 < tokens.endIndex
      && (tokens[index + 1].kind == .ratio || tokens[index + 1].kind == .lostRatio)
  }

  /// Whether a denial or a verb is here, and a lost score behind it or its verb: `nicht gelöst X/6`.
  private func isBeforeLost(_ index: Int) -> Bool {
    tokens[index].classes.has([.negations, .solved, .lost])
      && tokens[(index + 1)...].prefix(2).contains { $0.kind == .lostRatio }
  }

  /// Whether a ratio is one of something else, and that of the guesses follows: `3/3 words, 7/8 tries`.
  private func isOfOther(_ index: Int) -> Bool {
    guard index + 1 < tokens.endIndex, tokens[index + 1].kind == .word,
      !tokens[index + 1].classes.has(.attempts)
    else { return false }
    return tokens.indices.dropLast().contains {
      $0 > index && tokens[$0].kind == .ratio && tokens[$0 + 1].classes.has(.attempts)
    }
  }

  /// How many words of prose there are: no labels, no units and grades, and none in quotation marks.
  ///
  /// Where the head can only be a result's, a few words that no list has are its own language.
  private func words(in tokens: ArraySlice<LineToken>, isSure: Bool) -> Int {
    let mayBeUnknown = isSure && tokens.isRemark(of: text)
    var isQuoted = false
    var count = 0
    for index in tokens.indices {
      let token = tokens[index]
      if text[token.start] == 0x22 { isQuoted.toggle() }
      // `gave up`
      let isOfLoss = index > tokens.startIndex && tokens[index - 1].classes.has(.lost)
      guard token.kind == .word, !isQuoted, !isOfLoss, !isUnit(index), !isBeforeLabel(index),
        !text[token.start..<token.end].contains(where: Symbols.isDigit)
      else { continue }
      if mayBeUnknown, token.isOfRemark { continue }
      if !token.classes.has(.labels.union(.verbs).union([.of, .within, .me])) { count += 1 }
    }
    return count
  }

  /// Whether a word is beside a number: what it counts, or a word for “in” before it.
  private func isUnit(_ index: Int) -> Bool {
    if index + 1 < tokens.endIndex, tokens[index + 1].kind == .number { return true }
    guard index > tokens.startIndex else { return false }
    // Scripts that write no spaces join a particle to a value: `6分41秒で`, `7문제 중 5개`.
    let isJoined =
      tokens[index - 1].end == tokens[index].start && text[tokens[index].start] >= 0x3040
      && (tokens[index - 1].kind == .time || tokens[index - 1].kind == .ratio)
    return isJoined || tokens[index - 1].kind == .number
  }

  /// Whether a word for none is here, and a label behind it: `no hints`, `ohne Hinweise`.
  private func isBeforeLabel(_ index: Int) -> Bool {
    index + 1 < tokens.endIndex && tokens[index].classes.has([.generic, .negations, .without])
      && tokens[index + 1].classes.has(.values)
  }

  private func isBehindColon(_ index: Int) -> Bool {
    index > tokens.startIndex && text[tokens[index - 1].start] == 0x3A
  }

  /// Whether a mark parts a number from the one before: `777: 14 guesses`.
  private func isParted(_ index: Int) -> Bool {
    guard index > tokens.startIndex else { return false }
    switch text[tokens[index - 1].start] {
    case 0x2D, 0x3A, 0x7C, 0xB7, 0x2022: return true
    default: return tokens[index - 1].kind == .symbols
    }
  }

  /// The asterisk of hard mode, right behind a score.
  private func readHard(behind index: Int, into head: inout GeneralHead) {
    guard index + 1 < tokens.endIndex, text[tokens[index + 1].start] == 0x2A else { return }
    head.isHard = true
    head.end = tokens[index + 1].end
  }
}
