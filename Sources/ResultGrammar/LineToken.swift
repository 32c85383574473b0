/// A part of a line of normal text, as every shared result has it.
package struct LineToken {
  package let kind: Kind
  package let start: Int
  package let end: Int
  /// The number, the seconds of a time, or the day of a date.
  package var value = ResultNumber(0)
  /// The number where a point in it groups its digits.
  package var grouped: Int?
  /// The `6` of `4/6`; `nil` where the maximum is no number: `4/∞`.
  package var maximum: ResultNumber?
  /// What a word or a tag may say; none for any other token.
  package var classes: WordClasses = []
  /// Whether its line has nothing else.
  package fileprivate(set) var isAlone = false

  package enum Kind {
    case word
    /// A word behind a `#`; it begins at the sign.
    case tag
    /// What says that a puzzle's number follows: `#`, `nº`, `第`.
    case sign
    case number
    /// A score and its maximum: `4/6`.
    case ratio
    /// The same of a game that was lost: `X/6`.
    case lostRatio
    /// A clock or a length of time: `2:04`, `1m 20s`.
    case time
    case day
    /// A date of which no one can know which part is the month, or that has no year.
    case date
    /// Symbols that are together, keycaps among them.
    case symbols
    case address
    case mark
  }
}

extension LineToken {
  /// The number as a count: `1.234` has no thousandths.
  package var count: ResultNumber { grouped.map { ResultNumber($0) } ?? value }

  /// Whether a number behind it is a score, whose digits a space may group: `Score: 1 234/1000`.
  fileprivate func isLabel(in text: [UInt32]) -> Bool {
    kind == .mark && text[start] == 0x3A || classes.has(.scores)
  }

  /// Whether a word may be in a remark behind a score: it is of no sentence, document or work.
  package var isOfRemark: Bool {
    classes.has(.of) || !classes.has([.prose, .documents, .work, .you])
  }

  /// Whether no clock shows a time: `0:59`, `3m 11s`, `1:02.5`, `74:05`.
  package func isLengthOfTime(in text: [UInt32]) -> Bool {
    let hours = text[start..<end].prefix { Symbols.isDigit($0) }
    let colons = text[start..<end].count { $0 == 0x3A }
    return colons == 0 || hours.allSatisfy { $0 == 0x30 } || hours.count > 2
      || hours.count == 2 && hours.first.map { $0 > 0x32 } ?? false
      || text[start..<end].contains(0x2E)
  }
}

extension Collection<LineToken> {
  /// Whether there are at most three words that no list has, none that says more than a remark in any
  /// language does, and no mark of a sentence: `.`, `;`, `?`, a comma before a word.
  package func isRemark(of text: [UInt32]) -> Bool {
    let hasClause = zip(self, dropFirst()).contains { text[$0.start] == 0x2C && $1.kind == .word }
    return !hasClause
      && allSatisfy {
        $0.kind == .word ? $0.isOfRemark : ![0x2E, 0x3B, 0x3F].contains(text[$0.start])
      }
      && count { $0.kind == .word && $0.classes.isEmpty } < 4
  }

  /// Whether a weekday with its date and a clock with seconds are together, as in the head of a
  /// message or a log: `Thu May 01 12:26:19 UTC 2025`.
  package func hasMoment(in text: [UInt32]) -> Bool {
    zip(self, dropFirst()).contains {
      guard $0.kind == .day || $0.kind == .date, $1.kind == .time,
        text[$1.start..<$1.end].count(where: { $0 == 0x3A }) == 2
      else { return false }
      let word = text[$0.start..<$0.end].prefix { Symbols.isLetter($0) }
      return GeneralWords.table.classes(of: text, word.indices).has(.weekdays)
    }
  }
}

extension RandomAccessCollection<LineToken> {
  /// Where the last question begins that is asked of a person behind a score or a time.
  ///
  /// What it says is not of the result: `4/6. Can you beat that?`. Without one, it is the end.
  func startOfQuestion(in text: [UInt32], isValued: Bool) -> Index {
    guard let mark = lastIndex(where: { text[$0.start] == 0x3F }) else { return endIndex }
    let end = self[..<mark].lastIndex {
      $0.kind == .mark && [0x21, 0x2E, 0x3F].contains(text[$0.start])
    }
    let start = end.map { index(after: $0) } ?? startIndex
    let isBehindValue = isValued || self[..<start].hasValue
    return isBehindValue && self[start..<mark].contains { $0.classes.has(.you) } ? start : endIndex
  }

  /// Whether a score with its maximum, a time, or a number and what counts it are here.
  private var hasValue: Bool {
    contains { [.ratio, .lostRatio, .time].contains($0.kind) }
      || zip(self, dropFirst()).contains {
        $0.kind == .number && $1.classes.has([.scores, .attempts])
      }
  }
}

/// The tokens of a text's lines; each line is cut once, when it is first asked for.
package struct LineTokens {
  package private(set) var tokens: [LineToken] = []
  /// Where the tokens of each line are; `nil` for a line that is not cut yet.
  private var ranges: [Range<Int32>?] = []

  /// The most tokens that one line has; what follows is not looked at.
  private static let most = 200

  package init() {}

  /// Forgets the text before.
  package mutating func begin(lines: Int) {
    tokens.removeAll(keepingCapacity: true)
    ranges.removeAll(keepingCapacity: true)
    ranges.append(contentsOf: repeatElement(nil, count: lines))
  }

  /// Cuts a line, and answers where its tokens are among ``tokens``.
  package mutating func cut(_ line: Int, from start: Int, before end: Int, of text: [UInt32])
    -> Range<Int>
  {
    if let known = ranges[line] { return Int(known.lowerBound)..<Int(known.upperBound) }
    let first = tokens.count
    var place = start
    while place < end, tokens.count - first < Self.most {
      guard text[place] != 0x20, text[place] != 0x0A else {
        place += 1
        continue
      }
      let before = tokens.count > first ? tokens.last : nil
      let token = Self.token(text, place, end, behind: before)
      tokens.append(token)
      place = max(token.end, place + 1)
    }
    if tokens.count == first + 1 { tokens[first].isAlone = true }
    ranges[line] = Int32(first)..<Int32(tokens.count)
    return first..<tokens.count
  }

  private static func token(
    _ text: [UInt32],
    _ start: Int,
    _ end: Int,
    behind before: LineToken?
  ) -> LineToken {
    let scalar = text[start]
    if Symbols.isKeycap(text, start, end) || Symbols.isSymbol(scalar) {
      let isWithin = before?.classes.has(.within) ?? false
      return keycaps(text, start, end, isWithin: isWithin) ?? symbols(text, start, end)
    }
    if Symbols.isDigit(scalar) {
      return number(text, start, end, isScore: before?.isLabel(in: text) ?? false)
    }
    if let ratio = lostRatio(text, at: start, from: start, end) { return ratio }
    if let length = HeadReader.numberSign(text, start, end) {
      return LineToken(kind: .sign, start: start, end: start + length)
    }
    if scalar == 0x7B2C {
      return LineToken(kind: .sign, start: start, end: start + 1)
    }
    if scalar == 0x23, start + 1 < end, Symbols.isLetter(text[start + 1]) {
      return tag(text, start, end)
    }
    if Symbols.isLetter(scalar) {
      return GeneralDate.inWords(text, start, end) ?? word(text, start, end)
    }
    return LineToken(kind: .mark, start: start, end: start + 1)
  }

  /// A tag without the number that ends it: the `#waffle` of `#waffle394`.
  private static func tag(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken {
    let word = word(text, start + 1, end)
    var last = word.end
    while last > start + 3, Symbols.isDigit(text[last - 1]) { last -= 1 }
    let isWhole = !Symbols.isLetter(text[last - 1])
    var tag = LineToken(kind: .tag, start: start, end: isWhole ? word.end : last)
    tag.classes = GeneralWords.table.classes(of: text, start + 1..<tag.end)
    return tag
  }

  /// A number in keycaps that a word counts, or that has a maximum: `in 1️⃣4️⃣ moves`, `4️⃣/6️⃣`.
  ///
  /// Behind a word for “in” any word counts it.
  private static func keycaps(
    _ text: [UInt32],
    _ start: Int,
    _ end: Int,
    isWithin: Bool
  ) -> LineToken? {
    guard let (value, place) = keycapNumber(text, start, end), place + 1 < end else { return nil }
    if text[place] == 0x2F {
      let most = keycapNumber(text, place + 1, end) ?? plainNumber(text, place + 1, end)
      guard let most else { return nil }
      var ratio = LineToken(kind: .ratio, start: start, end: most.end, value: ResultNumber(value))
      ratio.maximum = ResultNumber(most.value)
      return ratio
    }
    guard text[place] == 0x20, Symbols.isLetter(text[place + 1]),
      isWithin || word(text, place + 1, end).classes.has([.attempts, .scores])
    else { return nil }
    var token = LineToken(kind: .number, start: start, end: place, value: ResultNumber(value))
    token.grouped = value
    return token
  }

  /// The number of at most four keycaps at a place.
  private static func keycapNumber(_ text: [UInt32], _ start: Int, _ end: Int)
    -> (value: Int, end: Int)?
  {
    var place = start
    var value = 0
    while place - start < 8, Symbols.isKeycap(text, place, end), Symbols.isDigit(text[place]) {
      value = value * 10 + Int(text[place] - 0x30)
      place += 2
    }
    return place > start ? (value, place) : nil
  }

  private static func plainNumber(_ text: [UInt32], _ start: Int, _ end: Int)
    -> (value: Int, end: Int)?
  {
    FieldReader.plain(in: text, at: start, before: end).map { (Int($0.value), $0.end) }
  }

  private static func symbols(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken {
    var place = start
    while place < end {
      if Symbols.isKeycap(text, place, end) {
        place += 2
      } else if Symbols.isSymbol(text[place]) || text[place] == 0x200D {
        place += 1
      } else {
        break
      }
    }
    return lostRatio(text, at: place - 1, from: start, end)
      ?? LineToken(kind: .symbols, start: start, end: place)
  }

  /// `X/6`, and the signs that games write in place of the `X`.
  private static func lostRatio(
    _ text: [UInt32],
    at place: Int,
    from start: Int,
    _ end: Int
  ) -> LineToken? {
    switch text[place] {
    case 0x78, 0x2D, 0x3F, 0x2620, 0x2639, 0x274C, 0x1F480, 0x1F600...0x1F64F: break
    default: return nil
    }
    var slash = place + 1
    if slash < end, text[slash] == 0x20 { slash += 1 }
    guard slash + 1 < end, text[slash] == 0x2F else { return nil }
    let next = text[slash + 1] == 0x20 ? slash + 2 : slash + 1
    guard next < end else { return nil }
    if text[next] == 0x221E { return LineToken(kind: .lostRatio, start: start, end: next + 1) }
    guard let most = FieldReader.plain(in: text, at: next, before: end) else { return nil }
    var token = LineToken(kind: .lostRatio, start: start, end: most.end)
    token.maximum = ResultNumber(Int(most.value))
    return token
  }

  /// A word, or an address where one is here.
  private static func word(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken {
    var place = start
    var isAddress = false
    while place < end, isInWord(text, place, end, isAddress: isAddress) {
      if Symbols.joinsAddress(text, place, end) { isAddress = true }
      place += 1
    }
    while !isAddress, place > start + 1, text[place - 1] == 0x2E || text[place - 1] == 0x2D {
      place -= 1
    }
    var token = LineToken(kind: isAddress ? .address : .word, start: start, end: place)
    if !isAddress {
      token.classes = GeneralWords.table.classes(of: text, start..<place)
      if token.classes.isEmpty { token.classes = invitation(in: text, start..<place) }
    }
    if !isAddress, text[start] >= 0x3040 {
      token.classes.formUnion(ends(in: text, from: start + 1, before: place))
    }
    return token
  }

  /// What a verb and a person say that a hyphen joins: `peux-tu`, `superar-me`; else nothing.
  private static func invitation(in text: [UInt32], _ word: Range<Int>) -> WordClasses {
    guard let hyphen = text[word].firstIndex(of: 0x2D) else { return [] }
    let verb = GeneralWords.table.classes(of: text, word.lowerBound..<hyphen)
    let person = GeneralWords.table.classes(of: text, hyphen + 1..<word.upperBound)
    return verb.has(.invites) && person.has([.you, .me])
      ? verb.union(person).intersection([.invites, .you, .me]) : []
  }

  /// What scripts that write no spaces say of a game's end within a word: `回で正解`, `次猜中`.
  private static func ends(in text: [UInt32], from start: Int, before end: Int) -> WordClasses {
    var classes: WordClasses = []
    var place = max(start, end - longestEnd)
    while place < end {
      classes.formUnion(GeneralWords.table.classes(of: text, place..<end))
      place += 1
    }
    return classes.intersection([.solved, .lost])
  }

  private static let longestEnd = 20

  private static func isInWord(
    _ text: [UInt32],
    _ place: Int,
    _ end: Int,
    isAddress: Bool
  ) -> Bool {
    let scalar = text[place]
    guard scalar > 0x20, !Symbols.isSymbol(scalar) else { return false }
    if isAddress { return scalar != 0x29 && scalar != 0x22 && scalar != 0x3E }
    if Symbols.joinsAddress(text, place, end) { return true }
    if Symbols.isLetter(scalar) { return !Symbols.isKeycap(text, place, end) }
    if Symbols.isDigit(scalar) {
      // Scripts that write no spaces have none around a number: `用了5次`.
      let isJoined = place > 0 && Symbols.isLetter(text[place - 1]) && text[place - 1] >= 0x3040
      return !isJoined && !Symbols.isKeycap(text, place, end)
    }
    // A Hebrew letter may be joined to a number.
    if scalar == 0x2D, place + 1 < end, Symbols.isDigit(text[place + 1]), text[place - 1] > 0x7F {
      return false
    }
    return scalar == 0x27 || scalar == 0x2E || scalar == 0x2D || scalar == 0x5F || scalar >= 0x300
  }

  private static func number(
    _ text: [UInt32],
    _ start: Int,
    _ end: Int,
    isScore: Bool
  ) -> LineToken {
    if let date = GeneralDate.read(text, start, end) ?? GeneralDate.withoutYear(text, start, end) {
      return date
    }
    if let time = FieldReader.time(in: text, at: start, before: end)
      ?? GeneralTime.duration(text, start, end) ?? GeneralTime.marked(text, start, end)
    {
      let value = ResultNumber(digits: time.value, scale: time.scale)
      return LineToken(kind: .time, start: start, end: time.end, value: value)
    }
    if let ratio = reversedRatio(text, start, end) { return ratio }
    guard let decimal = FieldReader.decimal(in: text, at: start, before: end),
      let whole = FieldReader.number(in: text, at: start, before: end)
    else { return LineToken(kind: .mark, start: start, end: start + 1) }
    // Where the maximum has three digits behind its point as well, both are grouped.
    let isGrouped =
      whole.end == decimal.end
      && Self.maximum(text, behind: whole.end, end)?.value
        .map { $0.scale == 0 && $0.digits > 999 } ?? false
    let first = isScore ? nil : separated(text, start, end)
    let number = first ?? (isGrouped ? whole : decimal)
    let value = ResultNumber(digits: number.value, scale: number.scale)
    if let most = Self.maximum(text, behind: number.end, end) {
      var ratio = LineToken(kind: .ratio, start: start, end: most.end, value: value)
      ratio.maximum = most.value
      return ratio
    }
    if number.end < end, Symbols.isLetter(text[number.end]), text[number.end] < 0x3040 {
      let wordEnd = word(text, number.end, end).end
      if isOrdinal(text, number.end..<wordEnd, end) {
        return LineToken(
          kind: .number,
          start: start,
          end: wordEnd,
          value: value,
          grouped: Int(whole.value)
        )
      }
      let isUnit = GeneralWords.table.classes(of: text, number.end..<wordEnd).has(.scores)
      guard isUnit else {
        let classes = GeneralWords.table.classes(of: text, start..<wordEnd)
        return LineToken(kind: .word, start: start, end: wordEnd, classes: classes)
      }
    }
    var token = LineToken(kind: .number, start: start, end: number.end, value: value)
    token.grouped = (first ?? (whole.end == number.end ? whole : nil)).map { Int($0.value) }
    return token
  }

  /// The first of two numbers that white space is between, where both together would be more than the
  /// maximum behind them: the `41` of `#41 812/1000`.
  private static func separated(_ text: [UInt32], _ start: Int, _ end: Int) -> FieldReading? {
    guard let first = FieldReader.plain(in: text, at: start, before: end), first.end < end,
      text[first.end] == 0x20,
      let whole = FieldReader.number(in: text, at: start, before: end), whole.end > first.end,
      let most = maximum(text, behind: whole.end, end)?.value, whole.value > most.digits
    else { return nil }
    return first
  }

  /// A maximum, a word for “of” behind it, and a score: `6回中2回`, `5문제 중 4`.
  ///
  /// Days, weeks, months and years are no guesses: `3日中5`.
  private static func reversedRatio(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    guard let most = FieldReader.plain(in: text, at: start, before: end), most.end < end,
      text[most.end] >= 0x3040
    else { return nil }
    var place = most.end
    while place < end, place - most.end < 3, !isOf(text[place]), text[place] >= 0x3040 {
      place += 1
    }
    guard most.value < 1000, !text[most.end..<place].contains(where: isDateUnit) else { return nil }
    if place < end, text[place] == 0x20 { place += 1 }
    guard place < end, isOf(text[place]) else { return nil }
    place += 1
    while place < end, text[place] == 0x20 || text[place] == 0x7B2C { place += 1 }
    guard let score = FieldReader.plain(in: text, at: place, before: end),
      score.value <= most.value
    else { return nil }
    return LineToken(
      kind: .ratio,
      start: start,
      end: score.end,
      value: ResultNumber(Int(score.value)),
      maximum: ResultNumber(Int(most.value))
    )
  }

  private static func isOf(_ scalar: UInt32) -> Bool { scalar == 0x4E2D || scalar == 0xC911 }

  /// Whether a sign is that of years, months, weeks or days in Chinese, Japanese or Korean.
  private static func isDateUnit(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x5E74, 0x6708, 0x9031, 0x5468, 0x65E5, 0xB144, 0xC6D4, 0xC77C: true
    default: false
    }
  }

  /// Whether an ending makes a number an ordinal, and a word for guesses follows: `3rd try`.
  private static func isOrdinal(_ text: [UInt32], _ ending: Range<Int>, _ end: Int) -> Bool {
    guard ending.count < 4, ending.upperBound + 1 < end, text[ending.upperBound] == 0x20,
      Symbols.isLetter(text[ending.upperBound + 1]),
      ordinals.contains(where: { $0.elementsEqual(text[ending]) })
    else { return false }
    return word(text, ending.upperBound + 1, end).classes.has(.attempts)
  }

  private static let ordinals = [
    "st", "nd", "rd", "th", "e", "er", "ème", "eme", "º", "ª", "o", "a",
  ]
  .map { $0.unicodeScalars.map(\.value) }

  /// The maximum of a ratio whose slash is behind `end`, white space or none around it.
  private static func maximum(
    _ text: [UInt32],
    behind end: Int,
    _ limit: Int
  ) -> (value: ResultNumber?, end: Int)? {
    var place = end
    if place < limit, text[place] == 0x20 { place += 1 }
    guard place + 1 < limit, text[place] == 0x2F else { return nil }
    place += 1
    if text[place] == 0x20 { place += 1 }
    guard place < limit else { return nil }
    if text[place] == 0x221E { return (nil, place + 1) }
    guard let most = FieldReader.number(in: text, at: place, before: limit),
      most.end == limit || text[most.end] != 0x2F
    else { return nil }
    return (ResultNumber(Int(most.value)), most.end)
  }
}
