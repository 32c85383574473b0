import ResultGrammar

/// The text before a message of an exported chat: `[05.03.24, 10:11:12] Ada: `.
///
/// The three numbers of the date stay as they are written: only the whole chat shows their order.
struct ChatHead: Hashable {
  var numbers: [Int] = []
  /// Whether the first number has four digits.
  var beginsWithYear = false
  var second = 0
  /// Whether the hour is one of twelve.
  var hasHalves = false
  var sender = ""
  /// Where the message begins, in the bytes of its line.
  var bodyStart = 0

  private init() {}

  /// Takes the name of the sender that the line below has.
  mutating func name(_ name: String) { sender = name.trimmed }

  /// Reads the head of a line; `nil` where none that is written in this style is there.
  init?(_ line: [UInt8], _ style: ChatStyle = .inline) {
    var scanner = ChatScanner(line)
    scanner.skipMarks()
    let isRead =
      switch style {
      case .inline: readInline(&scanner)
      case .ownLine: readOwnLine(&scanner)
      case .tabs: readTabs(&scanner)
      case .brackets: readBrackets(&scanner)
      case .written: readWritten(&scanner)
      case .dashed: readBeside(&scanner, [" — ", " – "])
      case .spaced: readBeside(&scanner, ["  "])
      }
    guard isRead else { return nil }
    bodyStart = scanner.place
  }

  /// `[05.03.24, 10:11:12] Ada: ` or `05.03.24, 10:11 - Ada: `.
  private mutating func readInline(_ scanner: inout ChatScanner) -> Bool {
    let hasBracket = scanner.take("[")
    guard readMoment(&scanner) else { return false }
    if hasBracket {
      guard scanner.take("]") else { return false }
      scanner.skipSpaces()
    } else {
      scanner.skipSpaces()
      // The Korean form has a comma here, all others a hyphen.
      guard scanner.take("-") || scanner.take("–") || scanner.take(",") else { return false }
      scanner.skipSpaces()
    }
    return readSender(&scanner)
  }

  /// `[3/5/2024 10:11 AM] Ada`, and the message below.
  private mutating func readOwnLine(_ scanner: inout ChatScanner) -> Bool {
    guard scanner.take("["), readMoment(&scanner), scanner.take("]") else { return false }
    var name = scanner.rest.trimmed
    if name.hasSuffix("(pinned)") { name = String(name.dropLast(8)).trimmed }
    guard !name.isEmpty, name.utf8.count <= 100 else { return false }
    sender = name
    scanner.place = scanner.bytes.count
    return true
  }

  /// `10:11`, a tab, `Ada`, a tab and the message; or what the program itself says, behind one tab.
  private mutating func readTabs(_ scanner: inout ChatScanner) -> Bool {
    guard readTime(&scanner), scanner.take("\t") else { return false }
    let rest = scanner.bytes[scanner.place...]
    guard let tab = rest.firstIndex(of: 0x09), tab - scanner.place < 200 else { return true }
    sender = String(decoding: rest[..<tab], as: UTF8.self).trimmed
    scanner.place = tab + 1
    return true
  }

  /// `[Ada] [10:11 AM] `.
  private mutating func readBrackets(_ scanner: inout ChatScanner) -> Bool {
    guard scanner.take("[") else { return false }
    let start = scanner.place
    while scanner.place < scanner.bytes.count, scanner.place - start < 200 {
      let end = scanner.place
      guard scanner.take("] [") else {
        scanner.place += 1
        continue
      }
      sender = String(decoding: scanner.bytes[start..<end], as: UTF8.self).trimmed
      guard !sender.isEmpty, readTime(&scanner), scanner.take("]") else { return false }
      scanner.skipSpaces()
      return true
    }
    return false
  }

  /// `Mar 05, 2024 10:11:12 AM`, the name of the sender below; or what the program itself says, behind it.
  private mutating func readWritten(_ scanner: inout ChatScanner) -> Bool {
    guard readDateInWords(&scanner) else { return false }
    scanner.skipSpaces()
    let start = scanner.place
    guard readTime(&scanner), hasHalves, scanner.place - start > 8 else { return false }
    // When it was read: `(Read by you after 1 hour)`.
    scanner.skipSpaces()
    if scanner.rest.hasPrefix("(") { scanner.place = scanner.bytes.count }
    return true
  }

  /// A name, a mark, and a clock with its day or without, at the end of the line.
  private mutating func readBeside(_ scanner: inout ChatScanner, _ marks: [String]) -> Bool {
    let start = scanner.place
    for mark in marks {
      scanner.place = start
      while scanner.place < scanner.bytes.count, scanner.place - start < 100 {
        let end = scanner.place
        guard scanner.take(mark) else {
          scanner.place += 1
          continue
        }
        guard LineShape(scanner.bytes[start..<end]).wholeName != nil, readLast(&scanner) else {
          break
        }
        sender = String(decoding: scanner.bytes[start..<end], as: UTF8.self).trimmed
        return true
      }
    }
    return false
  }

  /// Reads a clock, a day before it or none, that nothing follows.
  private mutating func readLast(_ scanner: inout ChatScanner) -> Bool {
    scanner.skipSpaces()
    let hasBracket = scanner.take("[")
    for word in Self.relativeDays where scanner.take(word) {
      scanner.skipSpaces()
      break
    }
    let start = scanner.place
    if !readMoment(&scanner) {
      numbers.removeAll()
      scanner.place = start
      guard readTime(&scanner) else { return false }
    }
    if hasBracket, !scanner.take("]") { return false }
    scanner.skipSpaces()
    _ = scanner.take("(edited)")
    return scanner.rest.trimmed.isEmpty
  }

  /// Days that say nothing of their date.
  private static let relativeDays = [
    "Today", "Yesterday", "today", "yesterday", "heute", "gestern", "Heute", "Gestern",
    "aujourd’hui", "Aujourd’hui", "hier", "Hier", "hoy", "ayer", "oggi", "ieri", "hoje", "ontem",
    "vandaag", "gisteren",
  ]

  /// The day that a line names and nothing else, for the messages below: `2024/03/05(Tue)`,
  /// `--------------- Tuesday, March 5, 2024 ---------------`.
  init?(dayLine line: [UInt8]) {
    guard line.count <= 120 else { return nil }
    var scanner = ChatScanner(line)
    scanner.skipMarks()
    while scanner.take("-") || scanner.take("—") || scanner.take("=") || scanner.take(" ") {}
    let isRuled = scanner.place > 2
    // A day of the week may come first.
    let start = scanner.place
    if !readDate(&scanner) {
      numbers.removeAll()
      scanner.place = start
      guard scanner.word() != nil else { return nil }
      _ = scanner.take(".")
      _ = scanner.take(",")
      scanner.skipSpaces()
      guard readDate(&scanner) else { return nil }
    }
    let rest = scanner.rest
    let hasWord = String(decoding: line, as: UTF8.self).contains(where: \.isLetter)
    guard isRuled || hasWord, !rest.contains(where: { $0.isNumber || $0 == ":" }) else {
      return nil
    }
    guard rest.split(whereSeparator: { !$0.isLetter }).count <= 2 else { return nil }
  }

  /// Reads date and time; in Vietnam the time comes first.
  private mutating func readMoment(_ scanner: inout ChatScanner) -> Bool {
    let start = scanner.place
    if readDate(&scanner) { return readTime(&scanner) }
    guard !numbers.isEmpty else { return false }
    numbers.removeAll()
    scanner.place = start
    guard readTime(&scanner) else { return false }
    _ = scanner.take(",")
    scanner.skipSpaces()
    return readDate(&scanner)
  }

  /// Reads the three numbers of a date, and the word for “year” behind them.
  private mutating func readDate(_ scanner: inout ChatScanner) -> Bool {
    let start = scanner.place
    if readDateInWords(&scanner) { return true }
    numbers.removeAll()
    scanner.place = start
    for part in 0..<3 {
      guard let number = scanner.number(digits: 4) else { return false }
      if part == 0 { beginsWithYear = number >= 1000 }
      numbers.append(number)
      scanner.skipMarks()
      let isEnded = part == 2
      // `2024. 3. 5.` and `2024년 3월 5일`.
      let hasMark =
        scanner.take(".") || scanner.take("/") || scanner.take("-") || scanner.take("년")
        || scanner.take("월") || scanner.take("일") || scanner.take("年") || scanner.take("月")
        || scanner.take("日")
      if !isEnded {
        guard hasMark else { return false }
        scanner.skipSpaces()
      }
    }
    let end = scanner.place
    scanner.skipSpaces()
    if !scanner.take("г.") { scanner.place = end }
    return true
  }

  /// Reads `March 5, 2024`, `Tuesday, March 5, 2024` and `05-Mar-24`.
  private mutating func readDateInWords(_ scanner: inout ChatScanner) -> Bool {
    let start = scanner.place
    if let word = scanner.word(), EnglishDate.isWeekday(word) {
      _ = scanner.take(".")
      _ = scanner.take(",")
      scanner.skipSpaces()
    } else {
      scanner.place = start
    }
    let dayFirst = scanner.number(digits: 2)
    if dayFirst != nil {
      _ = scanner.take(".")
      guard scanner.take("-") || scanner.take(" ") else { return false }
    }
    guard let month = scanner.word().flatMap(EnglishDate.month) else { return false }
    _ = scanner.take(".")
    guard scanner.take("-") || scanner.take(" ") else { return false }
    let dayBehind = dayFirst == nil ? scanner.number(digits: 2) : nil
    guard let day = dayFirst ?? dayBehind else { return false }
    if dayFirst == nil {
      for ordinal in ["st", "nd", "rd", "th"] where scanner.take(ordinal) { break }
      _ = scanner.take(",")
      scanner.skipSpaces()
    }
    guard let year = scanner.number(digits: 4), year > 9 else { return false }
    numbers = [year < 100 ? year + 2000 : year, month, day]
    beginsWithYear = true
    return true
  }

  private mutating func readTime(_ scanner: inout ChatScanner) -> Bool {
    _ = scanner.take(",") || scanner.take("،")
    scanner.skipSpaces()
    // `à`, `um`, `a las`, `kl.`, `klo` between date and time.
    for word in ["à", "um", "a las", "kl.", "klo", "at", "om", "alle", "às"]
    where scanner.take(word) {
      scanner.skipSpaces()
      break
    }
    var half = scanner.half()
    scanner.skipSpaces()
    guard let hour = scanner.number(digits: 2), hour < 24,
      scanner.take(":") || scanner.take(".") || scanner.take("h"),
      let minute = scanner.number(digits: 2), minute < 60
    else { return false }
    var seconds = 0
    if scanner.take(":") || scanner.take(".") {
      guard let more = scanner.number(digits: 2), more < 60 else { return false }
      seconds = more
    }
    let beforeSpaces = scanner.place
    scanner.skipSpaces()
    if half == nil { half = scanner.half() }
    if half == nil, !scanner.take("ч.") { scanner.place = beforeSpaces }
    hasHalves = half != nil
    var whole = hour
    if let half {
      guard let read = half.hour(hour) else { return false }
      whole = read
    }
    second = whole * 3600 + minute * 60 + seconds
    return true
  }

  /// The sender ends with a colon and a space; a line of the program itself has none.
  private mutating func readSender(_ scanner: inout ChatScanner) -> Bool {
    scanner.skipMarks()
    let start = scanner.place
    while scanner.place < scanner.bytes.count, scanner.place - start < 200 {
      if scanner.bytes[scanner.place] == UInt8(ascii: ":") {
        let next = scanner.place + 1
        if next == scanner.bytes.count || scanner.bytes[next] == 0x20 {
          sender = String(decoding: scanner.bytes[start..<scanner.place], as: UTF8.self).trimmed
          scanner.place = next
          scanner.skipSpaces()
          return true
        }
      }
      scanner.place += 1
    }
    scanner.place = start
    return true
  }

  /// Takes the day that a line above says.
  mutating func take(day: ChatHead?) {
    numbers = day?.numbers ?? []
    beginsWithYear = day?.beginsWithYear ?? false
  }

  /// The day, in an order of its parts; `nil` where the calendar has none.
  func day(_ order: ChatDateOrder) -> CalendarDay? {
    guard numbers.count == 3 else { return nil }
    let (year, month, day): (Int, Int, Int) =
      switch beginsWithYear ? .ymd : order {
      case .ymd: (numbers[0], numbers[1], numbers[2])
      case .dmy: (numbers[2], numbers[1], numbers[0])
      case .mdy: (numbers[2], numbers[0], numbers[1])
      }
    return CalendarDay(year: year < 100 ? year + 2000 : year, month: month, day: day)
  }
}

/// Walks over the bytes of a line.
struct ChatScanner {
  let bytes: [UInt8]
  var place = 0

  /// A part of the day that is with an hour of twelve.
  enum Half {
    case morning, afternoon
    /// From midnight to dawn.
    case night
    case noon, evening

    /// The hour of 24; `nil` for one that no clock has so, or that may be of two days.
    func hour(_ hour: Int) -> Int? {
      guard (1...12).contains(hour) else { return nil }
      switch self {
      case .morning: return hour % 12
      case .afternoon: return hour % 12 + 12
      case .night: return hour <= 6 || hour == 12 ? hour % 12 : nil
      case .noon: return hour >= 10 ? hour : hour <= 3 ? hour + 12 : nil
      case .evening: return (5...11).contains(hour) ? hour + 12 : nil
      }
    }
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Passes over marks of direction and of byte order.
  mutating func skipMarks() {
    for _ in 0..<8 {
      guard
        take("\u{200E}") || take("\u{200F}") || take("\u{FEFF}") || take("\u{202A}")
          || take("\u{202C}") || take("\u{2068}") || take("\u{2069}")
      else { return }
    }
  }

  mutating func skipSpaces() {
    while take(" ") || take("\u{A0}") || take("\u{202F}") || take("\u{200E}") || take("\u{200F}") {}
  }

  mutating func take(_ text: String) -> Bool {
    guard bytes[place...].starts(with: text.utf8) else { return false }
    place += text.utf8.count
    return true
  }

  /// What is left of the line.
  var rest: String { String(decoding: bytes[place...], as: UTF8.self) }

  /// The ASCII letters that are here, in small; `nil` for none.
  mutating func word() -> String? {
    let letters = bytes[place...].prefix { ($0 | 0x20) &- 0x61 < 26 }
    guard !letters.isEmpty else { return nil }
    place += letters.count
    return String(decoding: letters, as: UTF8.self).lowercased()
  }

  /// Up to so many digits.
  mutating func number(digits: Int) -> Int? {
    var value = 0
    var count = 0
    while count < digits, let digit = digit() {
      value = value * 10 + digit
      count += 1
    }
    return count > 0 ? value : nil
  }

  /// A digit of any script.
  private mutating func digit() -> Int? {
    guard place < bytes.count else { return nil }
    let first = bytes[place]
    if first < 0x80 {
      guard first >= 0x30, first <= 0x39 else { return nil }
      place += 1
      return Int(first - 0x30)
    }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    let scalar = String(decoding: bytes[place...].prefix(length), as: UTF8.self).unicodeScalars
    guard let digit = scalar.first?.decimalDigit else { return nil }
    place += length
    return digit
  }

  /// `AM`, `p. m.`, `오후`, `上午` and their like.
  mutating func half() -> Half? {
    for (word, half) in [
      ("오전", Half.morning), ("오후", .afternoon), ("上午", .morning), ("下午", .afternoon),
      ("午前", .morning), ("午後", .afternoon), ("ص", .morning), ("م", .afternoon),
      ("π.μ.", .morning), ("μ.μ.", .afternoon), ("ق.ظ.", .morning), ("ب.ظ.", .afternoon),
      ("de.", .morning), ("du.", .afternoon), ("PG", .morning), ("PTG", .afternoon),
      ("e paradites", .morning), ("e pasdites", .afternoon), ("पूर्वाह्न", .morning),
      ("अपराह्न", .afternoon), ("পূর্বাহ্ন", .morning), ("অপরাহ্ন", .afternoon),
      ("முற்பகல்", .morning), ("பிற்பகல்", .afternoon), ("ก่อนเที่ยง", .morning),
      ("หลังเที่ยง", .afternoon), ("ÖÖ", .morning), ("ÖS", .afternoon), ("SA", .morning),
      ("CH", .afternoon), ("f.m.", .morning), ("e.m.", .afternoon), ("fm", .morning),
      ("em", .afternoon), ("凌晨", .night), ("半夜", .night), ("午夜", .night), ("清晨", .morning),
      ("清早", .morning), ("早上", .morning), ("早晨", .morning), ("中午", .noon), ("正午", .noon),
      ("晚上", .evening), ("傍晚", .evening), ("晚間", .evening), ("晚间", .evening),
    ] where take(word) {
      return half
    }
    let start = place
    guard place < bytes.count else { return nil }
    let letter = bytes[place] | 0x20
    guard letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p") else { return nil }
    place += 1
    _ = take(".")
    skipSpaces()
    guard place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "m") else {
      place = start
      return nil
    }
    place += 1
    _ = take(".")
    return letter == UInt8(ascii: "a") ? .morning : .afternoon
  }
}

extension Unicode.Scalar {
  /// The digit of any script that the scalar is.
  var decimalDigit: Int? {
    if isASCII { return (0x30...0x39).contains(value) ? Int(value - 0x30) : nil }
    guard properties.numericType == .decimal else { return nil }
    return properties.numericValue.map { Int($0) }
  }
}
