/// The lines of a normal text, and what each of them looks like.
///
/// A line that begins with squares and goes on with another result's head is two lines.
package struct TextLines {
  package private(set) var lines: [Line] = []

  package init() {}

  /// One line without its line end.
  package struct Line {
    package let start: Int
    package var end: Int
    /// Where the first letter or digit is; `end` if it is missing.
    package var first: Int
    /// How many words it has; addresses and hashtags are not.
    package var words = 0
    /// The longest run of squares, and how many symbols there are.
    package var squares = 0
    package var symbols = 0
    package var hasAddress = false
    package var hasDigits = false
    /// Whether it has a score or a time: `3/6`, `12,000 / 15,000`, `1:05`.
    package var hasRatio = false
    package var hasTime = false
    /// Whether it has a number of three digits and more that is no year: `12,000`, `146.3`.
    package var hasAmount = false
    /// Whether it has a puzzle's number: `#123`.
    package var hasSignedNumber = false
    /// Whether a value is behind a name and a colon: `Rarity: 145`.
    package var isLabel = false
    /// How surely the line begins a result: `Name 123 4/6`.
    package var head = HeadLikeness.none

    package var isBlank: Bool { first == end && symbols == 0 && !hasOther }
    /// Whether it has anything that is neither a symbol nor white space.
    package fileprivate(set) var hasOther = false
    /// Whether a part of it may be a score: a ratio, a time, symbols and numbers together, words and
    /// a number that counts more than a hundred, or a sentence with any number.
    package var mayShowScore: Bool {
      hasRatio || hasTime || isLabel || squares > 2 || symbols > 0 || hasAddress
        || hasSignedNumber || hasAmount && words > 0 || hasDigits && words > 2
    }

    /// Whether it is a row of squares or of other symbols, words behind the squares or not.
    package var isRow: Bool {
      squares >= 3 && beginsWithSymbol || words == 0 && !hasAddress && !hasDigits && symbols >= 3
    }
    package fileprivate(set) var beginsWithSymbol = false
  }

  /// How much a line looks like the first one of a result.
  package enum HeadLikeness {
    case none
    /// Like a head, where a paragraph begins with it or squares follow: `Name 4/6`,
    /// `Name 01/02/2026`.
    case weak
    /// Like a head, wherever it is: `Name #123`, `Name 123 4/6`.
    case strong
  }

  package mutating func read(_ text: NormalText) {
    lines.removeAll(keepingCapacity: true)
    var place = 0
    while place <= text.count {
      let start = place
      var hasSymbols = false
      while place < text.count, text.scalars[place] != 0x0A {
        if text.scalars[place] >= 0x2190 { hasSymbols = true }
        place += 1
      }
      if hasSymbols {
        add(from: start, to: place, of: text.scalars)
      } else {
        append(from: start, to: place, of: text.scalars)
      }
      place += 1
    }
    for index in lines.indices
    where lines[index].head == .none && !lines[index].isRow && isNamed(index, text.scalars) {
      lines[index].head = .weak
    }
  }

  private mutating func add(from start: Int, to end: Int, of text: [UInt32]) {
    var start = start
    var place = start
    var hasSquares = false
    // A score before squares is that of the head behind them: `4/6 🟥🟥🟩 Name #12`.
    let isScoreFirst = start < end && Symbols.isDigit(text[start])
    while place < end {
      let scalar = text[place]
      if Symbols.isSquare(scalar), scalar > 0x21FF, !isScoreFirst {
        hasSquares = true
      } else if hasSquares, scalar != 0x20, scalar != 0x23 {
        if Symbols.isLetter(scalar), HeadReader.likeness(text, place, end) == .strong {
          append(from: start, to: place, of: text)
          start = place
        }
        hasSquares = false
      }
      place += 1
    }
    append(from: start, to: end, of: text)
  }

  private mutating func append(from start: Int, to end: Int, of text: [UInt32]) {
    var line = Line(start: start, end: end, first: end)
    var run = 0
    var place = start
    while place < end {
      let scalar = text[place]
      if scalar == 0x20 {
        place += 1
        continue
      }
      let isKeycap = Symbols.isKeycap(text, place, end)
      if isKeycap || Symbols.isSymbol(scalar) {
        if line.symbols == 0, !line.hasOther { line.beginsWithSymbol = true }
        line.symbols += 1
        run = isKeycap || Symbols.isSquare(scalar) ? run + 1 : 0
        line.squares = max(line.squares, run)
        place += isKeycap ? 2 : 1
        // `in 4️⃣ moves`
        if isKeycap, line.words > 1, place + 1 < end, text[place] == 0x20,
          Symbols.isLetter(text[place + 1])
        {
          line.hasDigits = true
        }
      } else {
        run = 0
        place = readToken(at: place, into: &line, of: text)
        line.hasOther = true
      }
    }
    line.head = HeadReader.likeness(text, line.first, end)
    lines.append(line)
  }

  /// Reads what is together up to white space or a symbol, and answers where it ends.
  private func readToken(at start: Int, into line: inout Line, of text: [UInt32]) -> Int {
    var place = start
    var letters = 0
    var digits = 0
    var isAddress = false
    var hasMarks = false
    while place < line.end {
      let scalar = text[place]
      if scalar &- 0x61 < 26 {
        letters += 1
        if line.first == line.end { line.first = place }
      } else if scalar == 0x20 || Symbols.isSymbol(scalar)
        || Symbols.isKeycap(text, place, line.end)
      {
        break
      } else if scalar &- 0x30 < 10 {
        if line.first == line.end { line.first = place }
        if !isAddress { line.hasDigits = true }
        digits += 1
      } else if scalar < 0x80 {
        if scalar == 0x2F || scalar == 0x3A { hasMarks = true }
        if Symbols.joinsAddress(text, place, line.end) { isAddress = true }
      } else if Symbols.isLetter(scalar) {
        letters += 1
        if line.first == line.end { line.first = place }
      }
      place += 1
    }
    if isAddress {
      line.hasAddress = true
      return place
    }
    let sign = text[start] == 0x28 ? start + 1 : start
    if HeadReader.numberSign(text, sign, line.end) != nil { line.hasSignedNumber = true }
    if text[start] != 0x23, letters > 1 { line.words += 1 }
    let isYear = digits == 4 && (text[start] == 0x31 || text[start] == 0x32)
    if letters == 0, digits > 2, !isYear { line.hasAmount = true }
    if hasMarks {
      for place in start..<place { readMark(at: place, into: &line, of: text) }
    }
    return place
  }

  private func readMark(at place: Int, into line: inout Line, of text: [UInt32]) {
    switch text[place] {
    case 0x2F where HeadReader.isRatio(text, at: place, from: line.start, before: line.end):
      line.hasRatio = true
    case 0x3A:
      let isBehindDigit = place > line.start && Symbols.isDigit(text[place - 1])
      if isBehindDigit, place + 2 < line.end, Symbols.isDigit(text[place + 1]),
        Symbols.isDigit(text[place + 2])
      {
        line.hasTime = true
      } else if line.words <= 3, line.words > 0, !isBehindDigit,
        text[place..<min(line.end, place + 40)].contains(where: Symbols.isDigit)
      {
        line.isLabel = true
      }
    default: break
    }
  }

  /// The line in which `place` lies.
  package func index(at place: Int) -> Int {
    var (low, high) = (0, lines.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if lines[middle].start <= place { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Whether a paragraph begins with the line: behind nothing, a blank line, squares or an address.
  package func beginsParagraph(_ index: Int) -> Bool {
    guard index > 0 else { return true }
    let before = lines[index - 1]
    return before.isBlank || before.isRow || before.hasAddress && before.words == 0
      || before.end == lines[index].start
  }

  /// Whether the line begins something else than the text before it.
  package func beginsResult(_ index: Int) -> Bool {
    switch lines[index].head {
    case .none: false
    case .weak: beginsParagraph(index) || isAboveRow(index)
    case .strong: true
    }
  }

  /// Whether the next line that is not blank is a row of squares and begins before `limit`.
  package func isAboveRow(_ index: Int, before limit: Int = .max) -> Bool {
    let next = lines[(index + 1)...].prefix(3).first { !$0.isBlank }
    return next.map { $0.isRow && $0.start < limit } ?? false
  }

  /// Whether a value with a label is right below a few words: `Score: 6`.
  package func isAboveLabels(_ index: Int) -> Bool {
    let next = index + 1 < lines.count && lines[index + 1].isBlank ? index + 2 : index + 1
    guard next < lines.count else { return false }
    return lines[next].isLabel && lines[next].hasDigits && lines[next].words < 4
      && (lines[index].words < 6 || next + 1 < lines.count && lines[next + 1].isLabel)
  }

  /// Whether a few words begin the text, and a short line with a number is right below.
  package func isAboveNumber(_ index: Int) -> Bool {
    guard index == 0, lines[0].words < 7 else { return false }
    let next = lines.dropFirst().prefix(2).first { !$0.isBlank }
    return next.map { $0.hasDigits && $0.words < 4 } ?? false
  }

  /// Whether a number is in one of the next lines.
  package func isAboveNumbers(_ index: Int) -> Bool {
    lines[(index + 1)...].prefix(5).contains(where: \.hasDigits)
  }

  /// Whether a value with a label is in one of the next lines: `Score: 8/10`.
  package func isAboveValue(_ index: Int) -> Bool {
    lines[(index + 1)...].prefix(4).contains {
      ($0.isLabel || $0.hasTime || $0.hasRatio) && $0.words < 6
    }
  }

  /// Whether a few words begin a paragraph, and rows of symbols are three lines below at most.
  package func isTitle(_ index: Int) -> Bool {
    guard lines[index].words < 6, index == 0 || lines[index - 1].isBlank else { return false }
    return lines[(index + 1)...].prefix(6).filter { !$0.isBlank }.prefix(4).contains(where: \.isRow)
  }

  /// Whether the line is a name and a number, and symbols follow: `Numble 386`.
  private func isNamed(_ index: Int, _ text: [UInt32]) -> Bool {
    guard HeadReader.isNameAndNumber(text, lines[index].first, lines[index].end) else {
      return false
    }
    let next = lines[(index + 1)...].prefix(3).first { !$0.isBlank }
    return next.map { $0.isRow || $0.symbols > 0 && $0.words <= 2 } ?? false
  }
}

/// What single characters are to a shared text.
package enum Symbols {
  @inlinable package static func isDigit(_ scalar: UInt32) -> Bool {
    scalar >= 0x30 && scalar <= 0x39
  }

  /// Whether a digit in a keycap is here.
  @inlinable package static func isKeycap(_ text: [UInt32], _ place: Int, _ limit: Int) -> Bool {
    place + 1 < limit && text[place + 1] == 0x20E3
  }

  /// Letters of the scripts that normal text leaves as they are.
  @inlinable package static func isLetter(_ scalar: UInt32) -> Bool {
    scalar >= 0x61 && scalar <= 0x7A || scalar >= 0xC0 && scalar < 0x2000
      || scalar >= 0x3040 && scalar < 0xD800
  }

  /// Arrows, shapes and emoji, and no lines that draw boxes.
  @inlinable package static func isSymbol(_ scalar: UInt32) -> Bool {
    scalar >= 0x2190 && scalar < 0x2C00 && (scalar < 0x2500 || scalar > 0x257F)
      || scalar >= 0x1F000 && scalar < 0x1FB00
  }

  /// Squares, circles, moons and arrows: what rows of results are made of.
  @inlinable package static func isSquare(_ scalar: UInt32) -> Bool {
    guard scalar >= 0x2190 else { return false }
    return switch scalar {
    case 0x2190...0x21FF, 0x23EB, 0x23EC, 0x25A0...0x25FF, 0x26AA, 0x26AB, 0x2705, 0x274C, 0x27A1,
      0x2B05...0x2B07, 0x2B1B, 0x2B1C, 0x1F311...0x1F318, 0x1F4A1, 0x1F534, 0x1F535,
      0x1F53A...0x1F53D, 0x1F7E0...0x1F7EB:
      true
    default: false
    }
  }

  /// Whether an address goes on here: at `://`, or at a point between letters.
  @inlinable package static func joinsAddress(_ text: [UInt32], _ place: Int, _ limit: Int) -> Bool
  {
    guard place > 0, place + 2 < limit else { return false }
    if text[place] == 0x3A { return text[place + 1] == 0x2F && text[place + 2] == 0x2F }
    return text[place] == 0x2E && (isLetter(text[place - 1]) || isDigit(text[place - 1]))
      && isLetter(text[place + 1]) && isLetter(text[place + 2])
  }
}

/// Looks whether a line is like the head of a result of any game.
package enum HeadReader {
  /// How like a head the line is whose first letter is at `start`.
  package static func likeness(_ text: [UInt32], _ start: Int, _ end: Int) -> TextLines.HeadLikeness
  {
    guard start < end, Symbols.isLetter(text[start]) else { return .none }
    var place = start
    var words = 0
    var hasColon = false
    var hasNumber = false
    var isTagged = false
    while place < end, words <= 10 {
      let scalar = text[place]
      if let length = numberSign(text, place, end) {
        let digits = text[(place + length)..<end].prefix { Symbols.isDigit($0) }.count
        let isShort = words <= 3 && !hasColon && digits > 1
        if hasScore(text, place + length, end) || isShort { return .strong }
        return words <= 5 || isTagged ? .weak : .none
      }
      if scalar == 0x23 { isTagged = true }
      if scalar == 0x3A {
        if place + 1 < end, text[place + 1] == 0x2F { return .none }
        hasColon = true
        place += 1
      } else if Symbols.isDigit(scalar) || isLost(text, place, end) {
        let token = number(text, place, end)
        switch token.kind {
        case .score: return hasColon ? .none : hasNumber ? .strong : words <= 4 ? .weak : .none
        case .date: return hasColon || words > 3 ? .none : .weak
        case .number: (hasNumber, place) = (true, token.end)
        }
      } else if Symbols.isLetter(scalar) {
        // A number may have a word of its own: `第 12 期 3/6`.
        if hasNumber, text[place] < 0x3040 { return .none }
        words += 1
        while place < end, text[place] != 0x20, text[place] != 0x3A,
          !Symbols.isSymbol(text[place])
        {
          place += 1
        }
      } else {
        place += 1
      }
    }
    return .none
  }

  /// Whether the line is a name of at most three words and a number, and nothing else.
  package static func isNameAndNumber(_ text: [UInt32], _ start: Int, _ end: Int) -> Bool {
    guard start < end, Symbols.isLetter(text[start]) else { return false }
    var place = start
    var words = 1
    while place < end, !Symbols.isDigit(text[place]) {
      guard Symbols.isLetter(text[place]) || text[place] == 0x20 || text[place] == 0x2D else {
        return false
      }
      if text[place] == 0x20 { words += 1 }
      place += 1
    }
    guard place < end, text[place - 1] == 0x20, words <= 4 else { return false }
    let token = number(text, place, end)
    return token.kind == .number && !text[token.end..<end].contains { $0 != 0x20 }
  }

  /// Whether a score is at a `/`: two numbers, and no further `/` that makes it a date.
  package static func isRatio(
    _ text: [UInt32],
    at slash: Int,
    from start: Int,
    before end: Int
  ) -> Bool {
    var left = slash - 1
    if left >= start, text[left] == 0x20 { left -= 1 }
    guard left >= start,
      Symbols.isDigit(text[left]) || isLost(text, left, end) || text[left] == 0x3F
    else { return false }
    while left > start, Symbols.isDigit(text[left]) { left -= 1 }
    var right = slash + 1
    if right < end, text[right] == 0x20 { right += 1 }
    guard right < end, Symbols.isDigit(text[right]), text[left] != 0x2F else { return false }
    while right < end, Symbols.isDigit(text[right]) { right += 1 }
    return right == end || text[right] != 0x2F
  }

  private enum Kind { case number, score, date }

  /// What the digits at `start`, or the `x` of a lost game, are.
  private static func number(
    _ text: [UInt32],
    _ start: Int,
    _ end: Int
  ) -> (kind: Kind, end: Int) {
    var place = start
    var parts = 0
    var slashes = 0
    if !Symbols.isDigit(text[place]) { place += 1 }
    while place < end {
      let scalar = text[place]
      if Symbols.isDigit(scalar) {
        place += 1
      } else if place + 1 < end, Symbols.isDigit(text[place + 1]), isSeparator(scalar) {
        if scalar == 0x2F { slashes += 1 }
        if scalar != 0x2C, scalar != 0x27 { parts += 1 }
        place += 1
      } else if scalar == 0x20, place + 1 < end, text[place + 1] == 0x2F,
        isRatio(text, at: place + 1, from: start, before: end)
      {
        return (.score, place)
      } else {
        break
      }
    }
    if slashes == 1, parts == 1 { return (.score, place) }
    return (parts == 2 ? .date : .number, place)
  }

  private static func isSeparator(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x27, 0x2C, 0x2D, 0x2E, 0x2F, 0x5F: true
    default: false
    }
  }

  /// Whether the `x` of a lost game is here: `X/6`.
  private static func isLost(_ text: [UInt32], _ place: Int, _ end: Int) -> Bool {
    guard text[place] == 0x78, place == 0 || !Symbols.isLetter(text[place - 1]) else {
      return false
    }
    let next = place + 1 < end && text[place + 1] == 0x20 ? place + 2 : place + 1
    return next < end && text[next] == 0x2F
  }

  /// How long the sign of a puzzle's number is that is here, white space behind it included.
  package static func numberSign(_ text: [UInt32], _ start: Int, _ end: Int) -> Int? {
    guard start < end, isSign(text[start]), start == 0 || !Symbols.isLetter(text[start - 1])
    else { return nil }
    for sign in numberSigns where text[start..<end].starts(with: sign) {
      var place = start + sign.count
      if text[start] != 0x23, place < end, text[place] == 0x20 { place += 1 }
      return place < end && Symbols.isDigit(text[place]) ? place - start : nil
    }
    return nil
  }

  /// Whether a sign of a puzzle's number, or a word for number, may begin here.
  private static func isSign(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x23, 0x6E, 0x2116, 0x10D, 0x3B1, 0x3BD, 0x43D, 0x5DE, 0x631, 0x634, 0x915, 0xC81C: true
    default: false
    }
  }

  private static let numberSigns = [
    "#", "№", "č.", "nº", "n°", "no.", "nr.", "nr ", "n.º", "n.", "nro ", "αρ.", "νο.", "номер ",
    "מספר ", "מס' ", "رقم ", "شماره ", "क्रमांक ", "제",
  ]
  .map { $0.unicodeScalars.map(\.value) }

  private static func hasScore(_ text: [UInt32], _ start: Int, _ end: Int) -> Bool {
    (start..<min(end, start + 40)).contains { place in
      text[place] == 0x2F && isRatio(text, at: place, from: start, before: end)
    }
  }
}
