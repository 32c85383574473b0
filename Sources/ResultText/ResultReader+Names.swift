import ResultGrammar

extension ResultReader {
  /// The name of a game in a text, and how it is there.
  struct Mention {
    let game: GameBox
    let start: Int
    let end: Int
    let line: Int
    let kind: Kind

    enum Kind {
      /// A line begins with it.
      case first
      case hashtag
      /// In an address.
      case address
      /// Within a sentence.
      case inside
    }
  }

  /// The name of a game where a word begins and the text may mean the game.
  struct Name {
    let game: GameBox
    let start: Int
    let end: Int
    let isInAddress: Bool
    /// Whether it is behind a `#`.
    let isTagged: Bool
  }

  /// Finds the names of games outside of the heads that were found.
  ///
  /// A text without a digit and without a square shows no result of any game. A name in small letters
  /// counts in an address, behind a `#` and before a number: many games are called by words that
  /// everybody uses.
  func findNames(in bytes: [UInt8]) -> [Name] {
    guard text.mayShowResult else { return [] }
    var names: [Name] = []
    var first = 0
    var head = 0
    for number in 0..<text.startCount where names.count < 4096 {
      let place = Int(text.starts[number])
      while head < found.count, place >= found[head].start {
        first = max(first, found[head].end)
        head += 1
      }
      guard place >= first, place + 1 < text.count,
        catalogue.names.mayBegin(text.scalars[place], text.scalars[place + 1]),
        let (game, end) = catalogue.names.name(in: text.scalars, at: place, before: text.count)
      else { continue }
      if let name = name(of: game, at: place, before: end, bytes) { names.append(name) }
      first = end
    }
    return names
  }

  /// The name of a game at a place; `nil` where it is only a word, whatever its line is.
  private func name(of game: GameBox, at start: Int, before end: Int, _ bytes: [UInt8]) -> Name? {
    let isInAddress = game.name.count > 4 && self.isInAddress(start, end)
    let isTagged = start > 0 && text.scalars[start - 1] == 0x23
    if !isInAddress {
      guard end == text.count || !Symbols.isLetter(text.scalars[end]) else { return nil }
      guard isTagged || isCapital(start, bytes) || isNumbered(end) else { return nil }
    }
    return Name(game: game, start: start, end: end, isInAddress: isInAddress, isTagged: isTagged)
  }

  /// How a name is in its line; `nil` where it is only a word.
  func mention(_ name: Name, _ bytes: [UInt8]) -> Mention? {
    let line = lines.index(at: name.start)
    let kind: Mention.Kind
    if name.isInAddress {
      kind = .address
    } else if lines.lines[line].first == name.start {
      kind = .first
    } else if name.isTagged {
      kind = .hashtag
    } else {
      guard isCapital(name.start, bytes) else { return nil }
      kind = .inside
    }
    return Mention(game: name.game, start: name.start, end: name.end, line: line, kind: kind)
  }

  /// Whether an address names a game here: its host, or a part of its path.
  private func isInAddress(_ start: Int, _ end: Int) -> Bool {
    let scalars = text.scalars
    guard start == 0 || !Symbols.isLetter(scalars[start - 1]) else { return false }
    let word = word(at: start)
    // A name of several words may begin at the end of an address and go on behind it.
    guard end <= word.upperBound else { return false }
    if isInHost(start, of: word) { return endsLabel(end, before: word.upperBound) }
    guard hasScheme(word, before: start) else { return false }
    return end == word.upperBound || !Symbols.isLetter(scalars[end])
  }

  /// Whether a part of a host ends here, or goes on as that of a game does: `geogridgame.com`.
  private func endsLabel(_ end: Int, before limit: Int) -> Bool {
    let rest = text.scalars[end..<limit].prefix { Symbols.isLetter($0) || Symbols.isDigit($0) }
    return rest.isEmpty || Self.labelEndings.contains(String(rest))
  }

  private static let labelEndings: Set = ["app", "archive", "daily", "game", "games", "io", "s"]

  /// Whether the host of an address is here: behind `://`, or a name, a point and more letters.
  private func isInHost(_ place: Int, of word: Range<Int>) -> Bool {
    let scalars = text.scalars
    if hasScheme(word, before: place) {
      return scalars[word.lowerBound..<place].count { $0 == 0x2F } == 2
    }
    guard !scalars[word.lowerBound..<place].contains(0x2F) else { return false }
    var end = place
    var points = 0
    while end < word.upperBound,
      Symbols.isLetter(scalars[end]) || Symbols.isDigit(scalars[end])
        || scalars[end] == 0x2D || Symbols.joinsAddress(scalars, end, word.upperBound)
    {
      if scalars[end] == 0x2E { points += 1 }
      end += 1
    }
    return points > 0 && (end == word.upperBound || scalars[end] != 0x28)
  }

  private func hasScheme(_ word: Range<Int>, before place: Int) -> Bool {
    (word.lowerBound..<max(word.lowerBound, place - 2)).contains {
      text.scalars[$0] == 0x3A && text.scalars[$0 + 1] == 0x2F && text.scalars[$0 + 2] == 0x2F
    }
  }

  /// What is together without white space, as far as it is looked at.
  private func word(at place: Int) -> Range<Int> {
    var start = place
    while start > max(0, place - 200), text.scalars[start - 1] > 0x20 { start -= 1 }
    var end = place
    while end < min(text.count, place + 200), text.scalars[end] > 0x20 { end += 1 }
    return start..<end
  }

  /// Whether what is here was written with a capital, or is no ASCII letter.
  func isCapital(_ place: Int, _ bytes: [UInt8]) -> Bool {
    let byte = bytes[Int(text.places[place])]
    return !(byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
  }

  /// Whether a number follows at once, with or without a sign: `#12`, `12`, `: #12`.
  private func isNumbered(_ start: Int) -> Bool {
    let next = text.scalars[start..<min(text.count, start + 4)].first {
      $0 != 0x20 && $0 != 0x23 && $0 != 0x3A && $0 != 0x2D
    }
    return next.map(Symbols.isDigit) ?? false
  }

  /// Whether a text that names a game shows a result of it as well, which no form reads.
  ///
  /// A result shows itself by a puzzle's number, a score, a time or rows of squares that are with
  /// the name. `lower` and `upper` are where other results end and begin.
  func showsResult(_ mention: Mention, from lower: Int, before upper: Int) -> Bool {
    switch mention.kind {
    case .first, .hashtag:
      return !isTitle(mention)
        && (isSigned(mention.end) || showsResult(behind: mention, before: upper))
    case .inside:
      return isSigned(mention.end) || showsSquares(behind: mention, before: upper)
    case .address:
      return !isTitle(mention)
        && linesNear(mention, from: lower, before: upper).contains { line in
          line.hasRatio || line.hasTime || line.hasSignedNumber || line.hasAmount
            || line.isLabel && line.hasDigits || line.squares > 2
        }
    }
  }

  /// The lines around an address that belong to no other result.
  func linesNear(_ mention: Mention, from lower: Int, before upper: Int) -> [TextLines.Line] {
    let first = max(0, mention.line - Self.nearLines)
    let last = min(lines.lines.count - 1, mention.line + Self.nearLines)
    return lines.lines[first...last].filter { $0.start >= lower && $0.start < upper }
  }

  /// How many lines around a name are looked at.
  private static let nearLines = 12

  /// Whether a head of the same game is in this line or one of the next two.
  private func isTitle(_ mention: Mention) -> Bool {
    guard let next = firstHead(behind: mention.end),
      catalogue.heads[next.head].game === mention.game
    else { return false }
    return lines.index(at: next.start) <= mention.line + 2
  }

  /// The first head that begins at a place or behind it.
  private func firstHead(behind place: Int) -> FoundHead? {
    var (low, high) = (0, found.count)
    while low < high {
      let middle = (low + high) / 2
      if found[middle].start < place { low = middle + 1 } else { high = middle }
    }
    return low < found.count ? found[low] : nil
  }

  /// Whether a puzzle's number is at once behind a name: `#12`, `nº 12`, `no. 12`.
  private func isSigned(_ start: Int) -> Bool {
    let end = lines.lines[lines.index(at: max(0, start - 1))].end
    return (start..<min(start + 3, end)).contains {
      HeadReader.numberSign(text.scalars, $0, end) != nil
    }
  }

  private func showsResult(behind mention: Mention, before upper: Int) -> Bool {
    let own = lines.lines[mention.line]
    let names = mention.game.name.count { $0 == 0x20 } + 1
    if own.hasRatio, own.words <= names + 3 { return true }
    if own.hasTime, own.words <= names { return true }
    if showsSquares(behind: mention, before: upper) { return true }
    let isNumbered = HeadReader.isNameAndNumber(text.scalars, mention.start, own.end)
    var seen = 0
    for index in following(mention.line, before: upper) where !lines.lines[index].isBlank {
      let line = lines.lines[index]
      if line.squares > 2 { return true }
      seen += 1
      guard seen <= 4 else { continue }
      if line.words <= 3, line.hasRatio || line.isLabel && line.hasDigits { return true }
      if seen == 1, line.words == 0 && line.hasTime || isNumbered && line.symbols > 0 {
        return true
      }
    }
    return false
  }

  /// Whether squares are behind the name in its line, or rows of symbols in those below it.
  private func showsSquares(behind mention: Mention, before upper: Int) -> Bool {
    if lines.lines[mention.line].squares > 2 { return true }
    let next = following(mention.line, before: upper).filter { !lines.lines[$0].isBlank }.prefix(2)
    let rows = next.map { lines.lines[$0] }
    return rows.first.map { $0.isRow && ($0.squares > 2 || rows.count > 1 && rows[1].isRow) }
      ?? false
  }

  /// The lines behind one, up to the next that begins something else.
  private func following(_ line: Int, before upper: Int) -> [Int] {
    var indices: [Int] = []
    for index in (line + 1)..<max(line + 1, min(lines.lines.count, line + 1 + Self.nearLines)) {
      // Right below a name may appear its number: `Connections`, `Puzzle #12`.
      let isItsNumber = index == line + 1 && !lines.lines[index].hasRatio
      guard lines.lines[index].start < upper, isItsNumber || !lines.beginsResult(index) else {
        break
      }
      indices.append(index)
    }
    return indices
  }
}

extension ResultReader {
  /// The words beside a game's name that make it another game: the `Capitals` of Globle Capitals.
  func otherGame(_ draft: Draft, _ bytes: [UInt8]) -> String? {
    let head = draft.body.head
    let start = head.start
    if GameNames.end(of: draft.gameBox, in: text.scalars, at: start, before: head.end) != nil,
      let word = wordBefore(head, bytes)
    {
      return word
    }
    let isNamed = (start..<head.end).contains { isName(of: draft.gameBox, at: $0, head.end) != nil }
    let line = lines.index(at: start)
    let above = line > 0 && !isNamed ? lines.lines[line - 1].start : start
    var place = min(max(above, draft.body.previousEnd), draft.start)
    let first = draft.gameBox.first
    while place < draft.body.end {
      if text.scalars[place] == first,
        let end = isName(of: draft.gameBox, at: place, draft.body.end),
        let word = wordBehind(place, end, isWord: !isNamed, bytes)
      {
        return word
      }
      place += 1
    }
    return nil
  }

  private func isName(of game: GameBox, at place: Int, _ limit: Int) -> Int? {
    guard text.scalars[place] == game.first, place == 0 || !isLetter(at: place - 1) else {
      return nil
    }
    return GameNames.end(of: game, in: text.scalars, at: place, before: limit)
  }

  private func isLetter(at place: Int) -> Bool { Symbols.isLetter(text.scalars[place]) }

  /// A word that is right before the name and has a capital, or is joined to it with a hyphen.
  ///
  /// Where the game writes itself in small letters, its namesakes do so too: `maxi nerdlegame`.
  private func wordBefore(_ head: FoundHead, _ bytes: [UInt8]) -> String? {
    let start = head.start
    guard start > 1 else { return nil }
    let isJoined = text.scalars[start - 1] == 0x2D
    // `*Capital* Name`
    let isMarked = start > 2 && (text.scalars[start - 2] == 0x2A || text.scalars[start - 2] == 0x5F)
    let last = isMarked ? start - 2 : start - 1
    guard isJoined || text.scalars[start - 1] == 0x20, isLetter(at: last - 1) else { return nil }
    var first = last
    while first > 0, isLetter(at: first - 1) || text.scalars[first - 1] == 0x27 { first -= 1 }
    // `6-letter Name`
    let isOfNumber =
      first > 1 && text.scalars[first - 1] == 0x2D && Symbols.isDigit(text.scalars[first - 2])
    let isSmall = catalogue.heads[head.head].pattern.source.first?.isLowercase == true
    let beginsLine = lines.lines[lines.index(at: first)].first == first
    let isASCII = bytes[Int(text.places[first])] < 0x80
    guard isJoined || isOfNumber || isASCII && isCapital(first, bytes) || isSmall && beginsLine
    else {
      return nil
    }
    return other(first..<last, bytes)
  }

  /// A word that is joined to the name with a hyphen in an address, or follows it with a capital.
  private func wordBehind(
    _ start: Int,
    _ end: Int,
    isWord: Bool,
    _ bytes: [UInt8]
  ) -> String? {
    guard end + 1 < text.count, isLetter(at: end + 1) else { return nil }
    let isJoined = text.scalars[end] == 0x2D && isInHost(start, of: word(at: start))
    let follows = isWord && (text.scalars[end] == 0x20 || text.scalars[end] == 0x2D)
    guard isJoined || follows && isCapital(end + 1, bytes) else { return nil }
    var last = end + 1
    while last < text.count, isLetter(at: last) { last += 1 }
    return other(end + 1..<last, bytes)
  }

  private func other(_ range: Range<Int>, _ bytes: [UInt8]) -> String? {
    let places = Int(text.places[range.lowerBound])..<Int(text.places[range.upperBound])
    let isSame = GeneralWords.table.classes(of: text.scalars, range).has([.sameGame, .weekdays])
    return isSame ? nil : String(decoding: bytes[places], as: UTF8.self)
  }
}
