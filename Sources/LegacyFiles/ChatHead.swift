import ResultText

/// What stands before a message of an exported chat: `[05.03.24, 10:11:12] Ada: `.
///
/// The three numbers of the date stay as they are written: only the whole chat tells their order.
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

  /// Reads the head of a line; `nil` when the line goes on with the message before.
  init?(_ line: [UInt8]) {
    var scanner = ChatScanner(line)
    scanner.skipMarks()
    let hasBracket = scanner.take("[")
    guard readMoment(&scanner) else { return nil }
    if hasBracket {
      guard scanner.take("]") else { return nil }
      scanner.skipSpaces()
    } else {
      scanner.skipSpaces()
      // The Korean form has a comma here, all others a hyphen.
      guard scanner.take("-") || scanner.take("–") || scanner.take(",") else { return nil }
      scanner.skipSpaces()
    }
    guard readSender(&scanner) else { return nil }
    bodyStart = scanner.place
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
      guard (1...12).contains(hour) else { return false }
      whole = hour % 12 + (half == .afternoon ? 12 : 0)
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

  /// The day, in an order of its parts; `nil` where the calendar has none.
  func day(_ order: ChatDateOrder) -> CalendarDay? {
    let (year, month, day): (Int, Int, Int) =
      switch beginsWithYear ? .ymd : order {
      case .ymd: (numbers[0], numbers[1], numbers[2])
      case .dmy: (numbers[2], numbers[1], numbers[0])
      case .mdy: (numbers[2], numbers[0], numbers[1])
      }
    return CalendarDay(year: year < 100 ? year + 2000 : year, month: month, day: day)
  }
}

extension ChatHead {
  /// Whether a line that is no head begins a message all the same, in a form that is not read.
  ///
  /// | what stands there | who writes it |
  /// |---|---|
  /// | a date and a clock, then a hyphen or a bracket, a name and a colon | WhatsApp, in some language |
  /// | `Ada, [05.03.2024 10:11]` | Telegram, where messages are copied |
  /// | `Mar 05, 2024 10:11:12 AM` | programs that write down a telephone's messages |
  static func isLikely(_ line: [UInt8]) -> Bool {
    var end = line.count
    while end > 0, line[end - 1] <= 0x20 { end -= 1 }
    let line = Array(line[..<end])
    return isInOtherWords(line) || isCopied(line) || isWrittenDown(line)
  }

  private static func isInOtherWords(_ line: [UInt8]) -> Bool {
    var scanner = ChatScanner(line)
    var head = ChatHead()
    scanner.skipMarks()
    _ = scanner.take("[")
    guard head.readDate(&scanner), scanner.passClock(within: 32) else { return false }
    let end = min(line.count, scanner.place + 40)
    while scanner.place < end {
      if scanner.take("- ") || scanner.take("– ") || scanner.take("] ") {
        return head.readSender(&scanner) && !head.sender.isEmpty
      }
      scanner.place += 1
    }
    return false
  }

  private static func isCopied(_ line: [UInt8]) -> Bool {
    guard line.last == UInt8(ascii: "]"), let bracket = line.lastIndex(of: UInt8(ascii: "[")),
      bracket > 2, line[..<bracket].suffix(2).elementsEqual(", ".utf8)
    else { return false }
    var scanner = ChatScanner(line)
    var head = ChatHead()
    scanner.place = bracket + 1
    return head.readDate(&scanner) && scanner.passClock(within: 4)
  }

  private static func isWrittenDown(_ line: [UInt8]) -> Bool {
    var scanner = ChatScanner(line)
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    guard months.contains(where: { line.starts(with: "\($0) ".utf8) }) else { return false }
    scanner.place = 4
    guard scanner.number(digits: 2) != nil, scanner.take(", "), scanner.number(digits: 4) != nil,
      scanner.passClock(within: 4), scanner.take(":"), scanner.number(digits: 2) != nil
    else { return false }
    scanner.skipSpaces()
    guard scanner.half() != nil else { return false }
    scanner.skipSpaces()
    return scanner.place == line.count || scanner.take("(")
  }
}

/// Walks over the bytes of a line.
struct ChatScanner {
  let bytes: [UInt8]
  var place = 0

  enum Half { case morning, afternoon }

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

  /// Passes over a clock, `10:11`, that begins in the next so many bytes; a version or a grouped number
  /// is none.
  mutating func passClock(within count: Int) -> Bool {
    let end = min(bytes.count, place + count)
    while place < end {
      guard let hour = number(digits: 9) else {
        place += 1
        continue
      }
      let behind = place
      if hour < 24, take(":") || take(".") || take("h"), let tens = number(digits: 1), tens < 6,
        number(digits: 1) != nil, number(digits: 1) == nil
      {
        return true
      }
      place = behind
    }
    return false
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

  /// A digit: ASCII, Arabic, Persian, Devanagari or Bengali.
  private mutating func digit() -> Int? {
    guard place < bytes.count else { return nil }
    if bytes[place] >= 0x30, bytes[place] <= 0x39 {
      place += 1
      return Int(bytes[place - 1] - 0x30)
    }
    guard bytes[place] == 0xD9 || bytes[place] == 0xDB || bytes[place] == 0xE0 else { return nil }
    // The bytes before that of the digit, and that of the digit zero.
    for (first, zero) in [
      ([0xD9], 0xA0), ([0xDB], 0xB0), ([0xE0, 0xA5], 0xA6), ([0xE0, 0xA7], 0xA6),
    ] as [([UInt8], UInt8)] where bytes[place...].starts(with: first) {
      let last = place + first.count
      guard last < bytes.count, bytes[last] >= zero, bytes[last] <= zero + 9 else { continue }
      place = last + 1
      return Int(bytes[last] - zero)
    }
    return nil
  }

  /// `AM`, `p. m.`, `오후`, `上午` and their like.
  mutating func half() -> Half? {
    for (word, half) in [
      ("오전", Half.morning), ("오후", .afternoon), ("上午", .morning), ("下午", .afternoon),
      ("午前", .morning), ("午後", .afternoon), ("ص", .morning), ("م", .afternoon),
      ("π.μ.", .morning), ("μ.μ.", .afternoon), ("ق.ظ.", .morning), ("ب.ظ.", .afternoon),
      ("de.", .morning), ("du.", .afternoon), ("PG", .morning), ("PTG", .afternoon),
      ("e paradites", .morning), ("e pasdites", .afternoon),
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
