import ResultGrammar

extension ResultReader {
  /// A result of any game that a head, its region and the rows in it make.
  struct GeneralDraft {
    var head: GeneralHead
    /// Where the name is: in the head, or in a title above it.
    var name: Range<Int>
    var mode: Range<Int>?
    /// The lines of the region.
    var lines: Range<Int>
    var start: Int
    var end: Int
    var tail = GeneralTail()
    var rows = OpenRows()
    /// Whether an address in the region names the game, and whether there is any.
    var isLinked = false
    var hasAddress = false
    /// Whether the address that names the game goes on to one of its puzzles: `name.example/daily/12`.
    var isLinkedToPuzzle = false
    /// Whether the name is in the host of an address, which is no host of many things.
    var isAtOwnHost = false
    /// Whether an address has a word of the name.
    var isNearlyLinked = false
    var hasSymbols = false

    var isTimed: Bool { head.time != nil || tail.time != nil }
    /// Whether head or tail state a score.
    var isScored: Bool { head.isScored || tail.isStated }
  }

  /// Reads what `claimed` leaves of the text: results of games that no description knows, and
  /// those of described games in a form that their descriptions lack.
  mutating func readGeneral(
    _ claimed: [Range<Int>],
    bytes: [UInt8],
    sentOn day: CalendarDay?,
    into reading: inout TextReading
  ) -> [(range: Range<Int>, game: GameBox?)] {
    var found: [(range: Range<Int>, game: GameBox?)] = []
    var rest = claimed[...]
    var first = 0
    generalHeads.begin(lines: lines.lines.count)
    generalLines = 0
    var isWhole = true
    while isWhole, first < lines.lines.count {
      while let next = rest.first, next.upperBound <= lines.lines[first].start {
        rest = rest.dropFirst()
      }
      if let next = rest.first, isIn(first, next) {
        first += 1
        continue
      }
      var last = first
      while last < lines.lines.count, rest.first.map({ !isIn(last, $0) }) ?? true { last += 1 }
      found += readStretch(
        first..<last,
        bytes: bytes,
        sentOn: day,
        into: &reading,
        isWhole: &isWhole
      )
      first = max(last, first + 1)
    }
    return found
  }

  /// Whether a line begins in a range, or the range in it.
  private func isIn(_ line: Int, _ range: Range<Int>) -> Bool {
    let own = lines.lines[line]
    return own.start < range.upperBound && range.lowerBound < max(own.end, own.start + 1)
  }

  /// Reads lines that follow each other and are no other result's, `isWhole` unless heads are too many.
  private mutating func readStretch(
    _ stretch: Range<Int>,
    bytes: [UInt8],
    sentOn day: CalendarDay?,
    into reading: inout TextReading,
    isWhole: inout Bool
  ) -> [(range: Range<Int>, game: GameBox?)] {
    guard stretch.contains(where: { lines.lines[$0].mayShowScore }) else { return [] }
    var found: [(range: Range<Int>, game: GameBox?)] = []
    var title: GeneralTitle?
    var index = stretch.lowerBound
    while index < stretch.upperBound {
      guard let head = generalHead(at: index, bytes) else {
        index += 1
        continue
      }
      guard generalHeads.count <= Self.mostHeads else {
        reading.refusals.append(tooMany(from: lines.lines[index].start))
        isWhole = false
        return found
      }
      let isUnnamed = head.name.isEmpty || head.isMode || head.isCommon
      if isUnnamed, title == nil { title = self.title(above: index, in: stretch, bytes) }
      var draft = draft(head, at: index, in: stretch, bytes)
      if let above = title, isUnnamed {
        draft.name = above.name
        if head.isMode { draft.mode = head.name }
        draft.start = lines.lines[above.line].start
        if above.isAddress {
          (draft.isLinked, draft.isAtOwnHost) = (true, true)
        } else {
          noteAddresses(in: &draft)
        }
      } else {
        title = nil
      }
      let isCommon = head.isCommon && title == nil && !draft.isLinked
      if draft.name.isEmpty || isCommon { takeNameFromAddress(&draft) }
      if head.isHost, draft.name == head.name, !text.scalars[head.name].contains(0x20),
        let name = name(ofHost: head.name)
      {
        if case .other = namedGame(name) {} else { draft.name = name }
      }
      if accepts(draft), let game = take(draft, bytes: bytes, sentOn: day, into: &reading) {
        found.append((draft.start..<draft.end, game.box))
        index = max(draft.lines.upperBound, index + 1)
      } else {
        index += 1
      }
    }
    if found.isEmpty, let draft = nameless(stretch, bytes), accepts(draft),
      let game = take(draft, bytes: bytes, sentOn: day, into: &reading)
    {
      found.append((draft.start..<draft.end, game.box))
    }
    return found
  }

  // MARK: Heads and regions

  /// The name that a line above a number has: words, or an address.
  struct GeneralTitle {
    let name: Range<Int>
    let line: Int
    let isAddress: Bool
  }

  private mutating func title(above index: Int, in stretch: Range<Int>, _ bytes: [UInt8])
    -> GeneralTitle?
  {
    var above = index - 1
    while above > stretch.lowerBound, lines.lines[above].isBlank { above -= 1 }
    guard above >= stretch.lowerBound, lines.lines[above].words < 6 else { return nil }
    if lines.lines[above].words == 0, let name = address(in: above..<above + 1) {
      return GeneralTitle(name: name, line: above, isAddress: true)
    }
    guard let head = head(inLine: above, bytes), head.isBare, !head.name.isEmpty else {
      return nil
    }
    return GeneralTitle(name: head.name, line: above, isAddress: false)
  }

  /// The head in a line that may have one; a line is looked at once.
  private mutating func generalHead(at index: Int, _ bytes: [UInt8]) -> GeneralHead? {
    if generalHeads.isKnown(index) { return generalHeads[index] }
    let head = readGeneralHead(at: index, bytes)
    generalHeads.keep(head, at: index)
    return head
  }

  /// The head in a line that may have one: it has a number, or rows of squares follow.
  private mutating func readGeneralHead(at index: Int, _ bytes: [UInt8]) -> GeneralHead? {
    let line = lines.lines[index]
    guard line.hasOther,
      line.words <= Self.mostWords || line.squares > 2
        || line.hasSignedNumber && line.words <= Self.mostWordsOfSentences
    else { return nil }
    guard
      line.hasDigits || line.squares > 2 || lines.isAboveRow(index) || lines.isTitle(index)
        || lines.isAboveLabels(index) || lines.isAboveNumber(index)
        || lines.isAboveNumbers(index) && text.scalars[line.start..<line.end].contains(0x23)
    else {
      // Only a sentence may leave its score to the lines below it.
      guard line.words > 2, lines.isAboveValue(index), let head = head(inLine: index, bytes) else {
        return nil
      }
      return head.isSentence ? head : nil
    }
    return head(inLine: index, bytes)
  }

  /// The most words that a line with a head has.
  private static let mostWords = 26
  /// The most where a puzzle's number is among them.
  private static let mostWordsOfSentences = 80

  /// The head in a line: from its first token, or behind symbols.
  private mutating func head(inLine line: Int, _ bytes: [UInt8]) -> GeneralHead? {
    let range = tokens(ofLine: line)
    let tokens = lineTokens.tokens
    var best: GeneralHead?
    var tries = 0
    for index in range where tries < 3 {
      let isStart =
        index == range.lowerBound
        || tokens[index - 1].kind == .symbols && tokens[index].kind != .symbols
          && tokens[index].kind != .mark
      guard isStart else { continue }
      tries += 1
      let rest = tokens[index..<range.upperBound]
      let reader = GeneralHeadReader(source: text, bytes: bytes, tokens: rest)
      guard let head = reader.head(), isName(head) else { continue }
      if best.map({ $0.isBare && !head.isBare }) ?? true { best = head }
    }
    return best
  }

  /// Where the tokens of a line are among all.
  mutating func tokens(ofLine index: Int) -> Range<Int> {
    let line = lines.lines[index]
    return lineTokens.cut(index, from: line.start, before: line.end, of: text.scalars)
  }

  /// Whether the name of a head may be that of a game, and not the label of a value.
  private func isName(_ head: GeneralHead) -> Bool {
    let words = NameWords(text.scalars, head.name)
    guard words.count > 0 else { return head.name.isEmpty }
    guard words.letters > 1 || hasDigits(head.name) else { return false }
    if !head.isSigned, words.areLabels { return false }
    // `Name Streak: 14`
    if head.isBare, words.count > 1, words.last.has(.averages) { return false }
    if !head.isSentence, !head.isBare, !head.isMode, !head.isTagged, !head.isOfDay,
      !head.isSigned, words.last.has(.values)
    {
      return false
    }
    if !head.isSigned, !head.isSentence, words.first.has(.prose) { return false }
    return head.isSentence || head.isMode || head.isSigned
      || !words.first.has(.labels) || words.first.has(.generic)
  }

  /// Whether a name is of digits as well: `4×6`.
  private func hasDigits(_ name: Range<Int>) -> Bool {
    name.count > 2 && text.scalars[name].contains(where: Symbols.isDigit)
  }

  /// A draft of the lines that belong to a head.
  private mutating func draft(
    _ head: GeneralHead,
    at index: Int,
    in stretch: Range<Int>,
    _ bytes: [UInt8]
  ) -> GeneralDraft {
    var last = index + 1
    // A date above a name and a number is that of a message.
    let isOnlyDated = head.hasDate && head.puzzle == nil && !head.isScored
    var hasRows = lines.lines[index].squares > 2 || isOnlyDated
    let most = index + (generalLines < Self.mostLines ? 40 : 4)
    while last < stretch.upperBound, last < most {
      let line = lines.lines[last]
      if line.isRow, line.words == 0 {
        hasRows = true
      } else if line.hasOther {
        if beginsGeneral(last, hasRows: hasRows, below: head, bytes) { break }
      }
      last += 1
    }
    generalLines += last - index
    return filled(
      GeneralDraft(
        head: head,
        name: head.name,
        lines: index..<last,
        start: head.start,
        end: lines.lines[last - 1].end
      )
    )
  }

  /// So many lines of a text are read with the heads before them; those of later heads are few.
  private static let mostLines = 3_000

  /// Whether a line begins another result of any game.
  private mutating func beginsGeneral(
    _ index: Int,
    hasRows: Bool,
    below first: GeneralHead,
    _ bytes: [UInt8]
  ) -> Bool {
    let line = lines.lines[index]
    guard let head = generalHead(at: index, bytes) else { return false }
    let isBelowTitle = first.isBare
    if !hasRows, isLabelled(head, below: first) { return false }
    if head.isMode { return head.puzzle != nil }
    if head.isBare {
      return hasRows && lines.beginsParagraph(index) && lines.isAboveRow(index) && line.words <= 4
    }
    if isBelowTitle, head.isSigned, !head.name.isEmpty, !head.isSentence { return true }
    if head.name.isEmpty { return head.isSigned && !isBelowTitle && lines.beginsParagraph(index) }
    if head.isSentence { return head.isTagged && lines.beginsParagraph(index) }
    if head.isOfSmallWords { return false }
    return
      (head.isSigned || head.puzzle != nil && head.isScored
      || head.isScored && lines.beginsParagraph(index))
      && (hasRows || lines.beginsParagraph(index))
  }

  /// Whether a head is one word and a ratio of many below a puzzle's number that has no value: the
  /// word is a label in a language that no list has.
  private func isLabelled(_ head: GeneralHead, below first: GeneralHead) -> Bool {
    first.isSigned && !first.isScored && first.time == nil && !first.isSentence
      && head.puzzle == nil && !head.hasDate && !head.isSentence && !head.isTagged
      && head.maximum.map { $0.digits > 9 } ?? false
      && NameWords(text.scalars, head.name).count == 1
  }

  /// Takes tail and rows from the region of a draft.
  private mutating func filled(_ draft: GeneralDraft) -> GeneralDraft {
    var draft = draft
    for index in draft.lines {
      let line = lines.lines[index]
      let isFirst = index == draft.lines.lowerBound
      if line.symbols > 0 { draft.hasSymbols = true }
      guard line.hasOther else { continue }
      let from = isFirst && !draft.head.isSentence ? max(draft.head.end, line.start) : line.start
      var range = tokens(ofLine: index)
      while let first = range.first, lineTokens.tokens[first].start < from {
        range = range.dropFirst()
      }
      draft.tail.take(
        TokenLine(lineTokens.tokens, range),
        of: text.scalars,
        behind: isFirst && draft.head.isSigned && !draft.head.isSentence ? draft.head : nil,
        except: draft.head.isSentence ? draft.name : 0..<0
      )
      for token in range {
        switch lineTokens.tokens[token].kind {
        case .address: note(lineTokens.tokens[token], in: &draft)
        case .tag where !isFirst: noteTag(lineTokens.tokens[token], in: &draft)
        default: break
        }
      }
    }
    if draft.head.parts.countsAnything, draft.tail.isStated {
      (draft.head.score, draft.head.maximum) = (nil, nil)
    }
    draft.rows.read(
      text.scalars,
      from: draft.head.isSentence || draft.head.isBare ? draft.start : draft.head.end,
      before: draft.end
    )
    if draft.head.mayBeDate, draft.tail.isStated || draft.tail.time != nil && !draft.rows.isGrid {
      // `Name 11/26`, and a score or a time below it: a day without its year.
      (draft.head.score, draft.head.maximum, draft.head.hasDate) = (nil, nil, true)
    }
    if draft.head.puzzle == nil, draft.head.isSentence || draft.head.isBare {
      draft.head.puzzle = signedNumber(in: draft.lines)
    }
    return draft
  }

  // MARK: Addresses and tags

  /// A tag below the head that is its name: `#Zorkle`.
  private func noteTag(_ tag: LineToken, in draft: inout GeneralDraft) {
    guard tag.end - tag.start > 4 else { return }
    let name = text.scalars[draft.name].filter { Symbols.isLetter($0) }
    let word = text.scalars[tag.start + 1..<tag.end].filter { Symbols.isLetter($0) }
    if name.starts(with: word) { draft.isLinked = true }
  }

  /// Compares the addresses of a draft with the name that a title above gave it.
  private mutating func noteAddresses(in draft: inout GeneralDraft) {
    for line in draft.lines where lines.lines[line].hasAddress {
      for token in tokens(ofLine: line) where lineTokens.tokens[token].kind == .address {
        note(lineTokens.tokens[token], in: &draft)
      }
    }
  }

  private func note(_ address: LineToken, in draft: inout GeneralDraft) {
    draft.hasAddress = true
    guard let host = host(of: address) else { return }
    let name = text.scalars[draft.name].filter { Symbols.isLetter($0) }
    guard name.count > 2 else { return }
    let letters = text.scalars[host].filter { Symbols.isLetter($0) || $0 == 0x2E }
    let whole = text.scalars[address.start..<address.end].filter { Symbols.isLetter($0) }
    let labels = letters.split(separator: 0x2E).dropLast().filter { $0.count > 3 }
    let isInHost =
      Self.contains(letters[...], name[...])
      || labels.contains(where: { Self.contains(name[...], $0) })
    if isInHost, self.name(ofHost: host) != nil { draft.isAtOwnHost = true }
    if isInHost || Self.contains(whole[...], name[...]) {
      draft.isLinked = true
      let path = text.scalars[host.upperBound..<address.end]
      if Self.puzzlePaths.contains(where: { Self.contains(path, $0[...]) }) {
        draft.isLinkedToPuzzle = true
      }
    }
    // `games.example/play/middle-seat`
    let last =
      text.scalars[host.upperBound..<address.end].prefix { $0 != 0x3F && $0 != 0x23 }
      .split(separator: 0x2F).last?.filter { Symbols.isLetter($0) } ?? []
    if last.count > 6, Self.contains(name[...], last[...]) { draft.isLinked = true }
    let words = text.scalars[draft.name].split { !Symbols.isLetter($0) }
    if words.contains(where: { $0.count > 4 && Self.contains(whole[...], $0) }) {
      draft.isNearlyLinked = true
    }
  }

  private static let puzzlePaths = ["/puzzle", "/daily", "/game", "/play"].map {
    Array($0.unicodeScalars.map(\.value))
  }

  private static func contains(_ text: ArraySlice<UInt32>, _ part: ArraySlice<UInt32>) -> Bool {
    guard text.count >= part.count else { return false }
    return (text.startIndex...text.endIndex - part.count).contains {
      text[$0...].starts(with: part)
    }
  }

  private func host(of address: LineToken) -> Range<Int>? {
    GeneralHeadReader.host(of: address, in: text.scalars)
  }

  /// The name that a host is: its longest part but the last.
  private func name(ofHost host: Range<Int>) -> Range<Int>? {
    var parts: [Range<Int>] = []
    var start = host.lowerBound
    for place in host where text.scalars[place] == 0x2E {
      parts.append(start..<place)
      start = place + 1
    }
    func isOf(_ classes: WordClasses) -> Bool {
      parts.last.map { GeneralWords.table.classes(of: text.scalars, $0).has(classes) } ?? false
    }
    if parts.count > 1, isOf([.secondLevels, .platforms]) { parts.removeLast() }
    guard let name = parts.last, !name.isEmpty else { return nil }
    let isCommon = parts.contains {
      GeneralWords.table.classes(of: text.scalars, $0).has(.commonHosts)
    }
    return isCommon ? nil : name
  }

  /// Names a draft that has a number and no name after the game's address.
  private mutating func takeNameFromAddress(_ draft: inout GeneralDraft) {
    guard let address = address(in: draft.lines) else { return }
    (draft.name, draft.isAtOwnHost) = (address, true)
    draft.isLinked =
      draft.head.wordsBehind < 4 && (draft.head.isSigned || draft.rows.weight > 0)
  }

  private mutating func address(in lines: Range<Int>) -> Range<Int>? {
    for line in lines where self.lines.lines[line].hasAddress {
      for token in tokens(ofLine: line) where lineTokens.tokens[token].kind == .address {
        if let host = host(of: lineTokens.tokens[token]), let name = name(ofHost: host) {
          return name
        }
      }
    }
    return nil
  }

  /// Rows or values that only an address names, or a title that an address has as well.
  private mutating func nameless(_ stretch: Range<Int>, _ bytes: [UInt8]) -> GeneralDraft? {
    guard stretch.count < 40, let address = addressToken(in: stretch) else { return nil }
    let title = title(of: stretch, in: address)
    let host = host(of: address).flatMap { name(ofHost: $0) }
    let isNamed = host.map { isWord($0, in: stretch) } ?? false
    let named = namedPath(of: address, bytes) ?? host
    guard let name = isNamed ? host : title ?? named else { return nil }
    let start = lines.lines[stretch.lowerBound].start
    let head = GeneralHead(start: start, name: name, end: start)
    let end = lines.lines[stretch.upperBound - 1].end
    var draft = filled(
      GeneralDraft(head: head, name: name, lines: stretch, start: start, end: end)
    )
    let isStated = draft.tail.isStated || draft.tail.time != nil
    let isOfPuzzle = draft.tail.isSolved || draft.isLinkedToPuzzle
    let number = draft.isLinkedToPuzzle ? puzzle(in: address) : nil
    guard
      draft.rows.weight > 1 || isStated && (isNamed || title != nil && isOfPuzzle)
        || number != nil && draft.tail.maximum != nil
    else { return nil }
    draft.isLinked =
      isNamed || title != nil || draft.rows.rows.count > 2 && draft.rows.areEqual
    draft.isNearlyLinked = true
    draft.head.puzzle = signedNumber(in: stretch) ?? number
    if number != nil { draft.isLinked = true }
    return draft
  }

  /// The only part of an address's path, if it is a word with a capital: `host.example/Name`.
  private func namedPath(of address: LineToken, _ bytes: [UInt8]) -> Range<Int>? {
    guard let host = host(of: address) else { return nil }
    let path = text.scalars[host.upperBound..<address.end].dropFirst()
    let word = path.prefix { Symbols.isLetter($0) }
    guard word.count > 3,
      word.count == path.count || path.dropFirst(word.count).elementsEqual([0x2F]),
      text.isCapital(word.startIndex, bytes)
    else { return nil }
    return word.startIndex..<word.endIndex
  }

  /// The puzzle's number that ends an address: `name.example/daily/12`.
  private func puzzle(in address: LineToken) -> Int? {
    let path = text.scalars[address.start..<address.end]
    guard let slash = path.lastIndex(of: 0x2F),
      let number = FieldReader.plain(in: text.scalars, at: slash + 1, before: address.end),
      number.end == address.end, number.end - slash < 7
    else { return nil }
    return Int(number.value)
  }

  /// The words that begin some lines, as many as an address has too: `Name by me` and
  /// `site.example/play/name`.
  private mutating func title(of stretch: Range<Int>, in address: LineToken) -> Range<Int>? {
    guard let line = stretch.first(where: { lines.lines[$0].words > 0 }),
      lines.lines[line].words < 6
    else { return nil }
    let written = text.scalars[address.start..<address.end].filter { Symbols.isLetter($0) }
    let words = tokens(ofLine: line).map { lineTokens.tokens[$0] }.drop { $0.kind == .symbols }
      .prefix { $0.kind == .word }
    guard let first = words.first, !first.classes.has(.labels.union(.prose)) else { return nil }
    var letters: [UInt32] = []
    var end: Int?
    for word in words {
      letters += text.scalars[word.start..<word.end].filter { Symbols.isLetter($0) }
      if letters.count > 4, Self.contains(written[...], letters[...]) { end = word.end }
    }
    return end.map { first.start..<$0 }
  }

  private mutating func addressToken(in lines: Range<Int>) -> LineToken? {
    for line in lines where self.lines.lines[line].hasAddress {
      for token in tokens(ofLine: line) where lineTokens.tokens[token].kind == .address {
        if host(of: lineTokens.tokens[token]) != nil { return lineTokens.tokens[token] }
      }
    }
    return nil
  }

  /// Whether the first word of some lines is the name that their address has.
  private mutating func isWord(_ name: Range<Int>, in stretch: Range<Int>) -> Bool {
    guard let line = stretch.first(where: { lines.lines[$0].words > 0 }) else { return false }
    let word = tokens(ofLine: line).first { lineTokens.tokens[$0].kind == .word }
    return word.map {
      let token = lineTokens.tokens[$0]
      return text.scalars[token.start..<token.end].elementsEqual(text.scalars[name])
    } ?? false
  }

  /// Whether a number behind a sign begins a parenthesis that has more: `(#3 of the month)`.
  private func isRank(_ index: Int, before range: Range<Int>) -> Bool {
    index - 2 >= range.lowerBound && text.scalars[lineTokens.tokens[index - 2].start] == 0x28
      && index + 1 < range.upperBound
      && text.scalars[lineTokens.tokens[index + 1].start] != 0x29
  }

  /// The only number behind a sign in some lines: `Board #447`.
  private mutating func signedNumber(in stretch: Range<Int>) -> Int? {
    var only: Int?
    for line in stretch where lines.lines[line].hasSignedNumber {
      let range = tokens(ofLine: line)
      for index in range.dropFirst() where lineTokens.tokens[index - 1].kind == .sign {
        let number = lineTokens.tokens[index]
        // `I am #12 in the list`
        let isPlace =
          index - 2 >= range.lowerBound
          && lineTokens.tokens[index - 2].classes.has([.small, .me, .weakVerbs])
        guard number.kind == .number, let grouped = number.grouped, !isPlace,
          !isRank(index, before: range)
        else { continue }
        guard only == nil || only == grouped else { return nil }
        only = grouped
      }
    }
    return only
  }
}
