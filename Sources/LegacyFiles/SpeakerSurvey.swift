/// Looks in a text for signs that several people wrote it, in no form that is read.
///
/// | what is there | is enough |
/// |---|---|
/// | a day and a clock, and a name with a colon or a closed bracket | once |
/// | `Ada, [05.03.2024 10:11]`, `Mar 05, 2024 10:11:12 AM`, the head of a mail, a forwarded text | once |
/// | a day or a clock, and a name behind, before or below it | with two names |
/// | a name before a result in its line | with two names |
/// | `Sender: Ada` | with two names |
///
/// What a result writes itself is no name: the words of its first line, and those of days.
struct SpeakerSurvey {
  /// The line of the first sign that is enough, and the words for it.
  private(set) var found: (line: Int, reason: String)?

  private var pending: [Suspect] = []
  private lazy var heads = GameHeads()
  /// Where a result begins in the line that was looked at last.
  private var lastHead: (number: Int, place: Int?)?
  private var names: [Kind: Set<String>] = [:]
  /// How often a prefix was looked at and was none.
  private var looked: [String: Int] = [:]
  private var number = 0
  /// The beginning of the line at hand.
  private var line: [UInt8] = []
  private var isBehindReturn = false

  /// How many bytes of a line are looked at.
  private static let longestLine = 1 << 16

  private struct Suspect {
    let line: [UInt8]
    let number: Int
    var following: [[UInt8]] = []
  }

  private enum Kind: Hashable { case behind, before, below, prefix, field }

  /// Takes the next bytes of a text, whose lines end with a line feed, a carriage return or both.
  mutating func add(_ bytes: [UInt8]) {
    var place = 0
    while place < bytes.count, found == nil {
      let isEnded = isBehindReturn && bytes[place] == 0x0A
      isBehindReturn = false
      if isEnded {
        place += 1
        continue
      }
      let end = bytes[place...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
      line += bytes[place..<end].prefix(Self.longestLine - line.count)
      guard end < bytes.count else { return }
      isBehindReturn = bytes[end] == 0x0D
      endLine()
      place = end + 1
    }
  }

  /// Takes the line at hand.
  private mutating func endLine() {
    number += 1
    for place in pending.indices { pending[place].following.append(line) }
    while let first = pending.first, first.following.count >= GameHeads.lineCount {
      judge(pending.removeFirst())
    }
    if Self.isSuspect(line) || QuotedText.isForward(line) {
      pending.append(Suspect(line: line, number: number))
    }
    line.removeAll(keepingCapacity: true)
  }

  /// Looks at the last lines.
  mutating func endText() {
    if !line.isEmpty { endLine() }
    while !pending.isEmpty { judge(pending.removeFirst()) }
  }

  /// Whether a line may have a name, with a mark or a number as no line of squares has them.
  private static func isSuspect(_ line: [UInt8]) -> Bool {
    let line = line.prefix(120)
    guard let first = line.first(where: { $0 > 0x20 }) else { return false }
    var hasMark = isDigit(first) || first == UInt8(ascii: "[") || (0xD0...0xE1).contains(first)
    var hasLetter = false
    for place in line.indices {
      let byte = line[place]
      let isBeforeDigit = place + 1 < line.endIndex && isDigit(line[place + 1])
      switch byte {
      case UInt8(ascii: ":"): (hasMark, hasLetter) = (true, hasLetter || isBeforeDigit)
      case UInt8(ascii: ","): hasMark = hasMark || !isBeforeDigit
      case UInt8(ascii: ">"), UInt8(ascii: "|"), UInt8(ascii: "]"), UInt8(ascii: ")"), 0x09:
        hasMark = true
      // Wide marks, and letters that are not of ASCII.
      case 0xC3...0xE1, 0xE3...0xEF: (hasMark, hasLetter) = (hasMark || byte > 0xE1, true)
      default: hasLetter = hasLetter || (byte | 0x20) &- 0x61 < 26
      }
    }
    return hasMark && hasLetter
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private mutating func judge(_ suspect: Suspect) {
    guard found == nil else { return }
    if QuotedText.beginsOthersText(suspect.line, suspect.following) {
      found = (suspect.number, "a text that another person wrote begins in it")
      return
    }
    let shape = LineShape(suspect.line)
    if shape.isHead, let name = nameBehind(shape, suspect, upTo: ":"), !name.isEmpty {
      found = (suspect.number, Self.headReason)
    } else if shape.isCopiedHead || shape.isWrittenDown {
      found = (suspect.number, Self.headReason)
    } else if let name = shape.fieldName {
      add(name, .field, suspect.number)
    } else if let moment = shape.leadingMoment {
      if moment == shape.parts.count {
        if let name = nameBelow(suspect) { add(name, .below, suspect.number) }
      } else if let name = nameBehind(shape, suspect, upTo: nil), !name.isEmpty {
        add(name, .behind, suspect.number)
      }
    } else if let name = shape.nameBeforeMoment, head(in: suspect) == nil {
      add(name, .before, suspect.number)
    }
    if found == nil { judgePrefix(suspect, shape) }
  }

  private static let headReason =
    "its lines begin as those of a chat do, in a form that is not read"

  private mutating func add(_ name: String, _ kind: Kind, _ line: Int) {
    names[kind, default: []].insert(name)
    guard names[kind, default: []].count > 1 else { return }
    found = (line, "several names are beside days, clocks or results, as in a chat")
  }

  private mutating func head(in suspect: Suspect) -> Int? {
    if let lastHead, lastHead.number == suspect.number { return lastHead.place }
    let place = heads.firstHead(in: [suspect.line] + suspect.following)
    lastHead = (suspect.number, place)
    return place
  }

  /// The words between a moment and what a result writes itself; `nil` where there are too many for
  /// a name.
  private mutating func nameBehind(
    _ shape: LineShape,
    _ suspect: Suspect,
    upTo mark: Unicode.Scalar?
  ) -> String? {
    var line = suspect.line[...]
    if let head = head(in: suspect) { line = line[..<head] }
    let cut = LineShape(line)
    let start = cut.leadingMoment ?? shape.clock?.upperBound ?? 0
    guard start < cut.parts.count else { return "" }
    var words: [String] = []
    var wordCount = 0
    for part in cut.parts[start...] {
      switch part {
      case .mark(let scalar):
        let isEnd = scalar == ":" || scalar == "\t" || scalar == "," || scalar == "|"
        if isEnd, !words.isEmpty { return words.joined(separator: " ") }
      case .number(let value, _): if !words.isEmpty { words.append(String(value)) }
      case .word(let word):
        if LineShape.isNeutral(word) { continue }
        words.append(word)
        wordCount += 1
        if mark == nil, wordCount > 3 { return nil }
      }
    }
    return words.joined(separator: " ")
  }

  /// The name that is alone in the line below a moment.
  private mutating func nameBelow(_ suspect: Suspect) -> String? {
    guard let next = suspect.following.first, let name = LineShape(next).wholeName,
      heads.firstHead(in: suspect.following) == nil
    else { return nil }
    return name
  }

  /// A name before a result: `Ada: Wordle 990 3/6`.
  private mutating func judgePrefix(_ suspect: Suspect, _ shape: LineShape) {
    guard let candidate = shape.prefixName, looked[candidate, default: 0] < 4 else { return }
    guard let head = head(in: suspect), head > 0 else {
      if looked.count < 1_000 || looked[candidate] != nil { looked[candidate, default: 0] += 1 }
      return
    }
    let prefix = LineShape(suspect.line[..<head])
    guard let name = prefix.prefixName else { return }
    // A word that the result says too is its own.
    let rest = Set(LineShape(suspect.line[head...]).words)
    guard !name.split(separator: " ").allSatisfy({ rest.contains(String($0)) }) else { return }
    add(name, .prefix, suspect.number)
  }
}

extension LineShape {
  var words: [String] {
    parts.compactMap { part in if case .word(let word) = part { word } else { nil } }
  }

  /// Whether a word names a day or a clock, or is between the two, or is the owner's own.
  static func isNeutral(_ word: String) -> Bool {
    EnglishDate.month(word) != nil || EnglishDate.isWeekday(word) || neutral.contains(word)
  }

  private static let neutral: Set<String> = [
    "am", "pm", "a", "p", "m", "h", "at", "um", "uhr", "on", "the", "st", "nd", "rd", "th", "s",
    "today", "yesterday", "tomorrow", "date", "day", "time", "my", "mine", "result",
    "results", "score", "scores", "http", "https", "www", "game", "games", "puzzle", "daily", "utc",
    "gmt", "t", "z",
    "year", "month", "week", "年", "月", "日", "년", "월", "일", "오전", "오후", "上午", "下午",
    "heute", "gestern", "hoy", "ayer", "hier", "aujourd", "hui", "ontem", "hoje", "ieri", "oggi",
    "gisteren", "vandaag", "wczoraj", "dzisiaj", "dün", "bugün", "igår", "idag", "вчера", "сегодня",
    "в", "昨天", "今天", "前天", "昨日", "今日", "어제", "오늘", "às", "alle", "à", "las", "om", "klo",
    "kl",
  ]

  /// Words of results and of notes, which are no names.
  private static let plain: Set<String> = [
    "in", "solved", "completed", "complete", "correct", "average", "avg", "streak", "best", "worst",
    "finished", "finish", "done", "took", "total", "guesses", "guess", "hints", "hint", "rank",
    "won", "lost", "played", "points", "with", "got", "for", "of", "is", "was", "it", "archive",
    "bonus",
  ]

  /// Where the moment ends that the line begins with: a day, a clock or both; `nil` for none.
  var leadingMoment: Int? {
    var end = 0
    while end < parts.count {
      switch parts[end] {
      case .number: break
      case .word(let word): guard Self.isNeutral(word) else { return momentEnd(end) }
      case .mark: break
      }
      end += 1
    }
    return momentEnd(end)
  }

  private func momentEnd(_ end: Int) -> Int? {
    let moment = parts[..<end]
    // Seconds or milliseconds since 1970.
    if case .number(_, let digits)? = moment.first, digits == 10 || digits == 13 { return 1 }
    let hasClock = clock.map { $0.upperBound <= end } ?? false
    guard hasClock || hasWholeDay(moment) else { return nil }
    return end
  }

  /// Whether the parts have a year of four digits and another number or a month, or three numbers with
  /// the same mark between.
  private func hasWholeDay(_ parts: ArraySlice<Part>) -> Bool {
    var numbers: [Int] = []
    var hasMonth = false
    for part in parts {
      switch part {
      case .number(let value, let digits): if digits <= 4 { numbers.append(value) }
      case .word(let word): hasMonth = hasMonth || EnglishDate.month(word) != nil
      case .mark: break
      }
    }
    guard hasMonth || numbers.count >= 3 else { return false }
    return numbers.contains { (2000..<2100).contains($0) }
      && numbers.count + (hasMonth ? 1 : 0) >= 3
      || numbers.count == 3 && numbers.allSatisfy { $0 < 100 } && hasSameMarks(parts)
  }

  private func hasSameMarks(_ parts: ArraySlice<Part>) -> Bool {
    let inside = parts.drop { part in if case .number = part { false } else { true } }.prefix(5)
    guard inside.count == 5, case .mark(let first) = inside[inside.startIndex + 1] else {
      return false
    }
    return inside[inside.startIndex + 3] == .mark(first) && ["/", ".", "-"].contains(first)
  }

  /// `Ada, [05.03.2024 10:11]`.
  var isCopiedHead: Bool {
    guard let clock, let bracket = parts.lastIndex(of: .mark("[")), bracket > 0,
      bracket < clock.lowerBound, !words.isEmpty, case .word = parts[0]
    else { return false }
    let inside = parts[bracket...]
    let behind = parts[clock.upperBound...].filter { $0 != .mark(" ") }
    return behind.last == .mark("]") && behind.count <= 3 && hasDay(in: inside, besides: clock)
      && parts[..<bracket].contains(.mark(","))
  }

  /// `Mar 05, 2024 10:11:12 AM`, alone or with what is said of its reading.
  var isWrittenDown: Bool {
    guard let clock, clock.count == 5, case .word(let month) = parts[0],
      EnglishDate.month(month) != nil, hasDay(in: parts[..<clock.lowerBound], besides: nil)
    else { return false }
    let behind = parts[clock.upperBound...].filter { $0 != .mark(" ") }
    guard let half = behind.first, half == .word("am") || half == .word("pm") else { return false }
    return behind.count == 1 || behind[1] == .mark("(")
  }

  /// The name before a clock or a day that the line ends with: `Ada  10:11 AM`,
  /// `ada — 03/05/2024 10:11`, `Ada, 5 March 2024`.
  var nameBeforeMoment: String? {
    let behind = parts[(clock?.upperBound ?? parts.count)...]
    for part in behind {
      switch part {
      case .word(let word): guard Self.isNeutral(word) || word == "edited" else { return nil }
      case .mark(let scalar): guard Self.around.contains(scalar) else { return nil }
      case .number: return nil
      }
    }
    var end = clock?.lowerBound ?? parts.count
    loop: while end > 0 {
      switch parts[end - 1] {
      case .number: break
      case .word(let word): guard Self.isNeutral(word) || word == "sent" else { break loop }
      case .mark(let scalar): guard Self.around.contains(scalar) else { break loop }
      }
      end -= 1
    }
    guard clock != nil || hasWholeDay(parts[end...]) else { return nil }
    return Self.name(parts[..<end])
  }

  /// Marks around a moment.
  private static let around: Set<Unicode.Scalar> = [
    " ", "/", ".", "-", ",", "[", "]", "(", ")", "—", "–", "•", "·", "|", "\t", "*", "_",
  ]

  /// The name that is the whole line.
  var wholeName: String? { Self.name(parts[...]) }

  /// The words of a name: at most four, with digits only beside letters, and with no other marks than
  /// names have.
  private static func name(_ parts: ArraySlice<Part>) -> String? {
    var words: [String] = []
    for part in parts {
      switch part {
      case .word(let word):
        guard !plain.contains(word) else { return nil }
        if !isNeutral(word) { words.append(word) }
      case .number(let value, _):
        guard !words.isEmpty else { return nil }
        words.append(String(value))
      case .mark(let scalar):
        guard [" ", ".", "_", "-", "'", "’", "@", "*", "~"].contains(scalar) else { return nil }
      }
    }
    return words.isEmpty || words.count > 4 ? nil : words.joined(separator: " ")
  }

  /// The name before the first mark that ends one: `Ada: `, `<Ada> `, `Ada | `.
  var prefixName: String? {
    let start = parts.first == .mark("<") || parts.first == .mark("[") ? 1 : 0
    var words: [String] = []
    for place in parts.indices.dropFirst(start) {
      switch parts[place] {
      case .word(let word): if !Self.isNeutral(word) { words.append(word) }
      case .number(let value, _): if !words.isEmpty { words.append(String(value)) }
      case .mark(let scalar):
        guard Self.prefixEnds.contains(scalar), !words.isEmpty else { continue }
        guard words.count <= 4, !words.contains(where: Self.plain.contains) else { return nil }
        return words.joined(separator: " ")
      }
    }
    return nil
  }

  private static let prefixEnds: [Unicode.Scalar] = [
    ":", ">", "]", "|", "\t", ",", ")", "：", "—", "–",
  ]

  /// The name of `Sender: Ada`.
  var fieldName: String? {
    guard let colon = parts.firstIndex(of: .mark(":")), colon <= 3, colon + 1 < parts.count else {
      return nil
    }
    let key = words(of: parts[..<colon]).joined()
    guard case .person(let person)? = MemberRole.ofAuthor(key), !person.isID, !person.isWeak,
      !["who", "by", "owner", "me"].contains(key)
    else { return nil }
    let value = words(of: parts[(colon + 1)...])
    return value.isEmpty || value.count > 6 ? nil : value.joined(separator: " ")
  }

  private func words(of parts: ArraySlice<Part>) -> [String] {
    parts.compactMap { part in if case .word(let word) = part { word } else { nil } }
  }
}
