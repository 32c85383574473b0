import ResultText

/// How the messages of a chat begin.
enum ChatStyle: CaseIterable {
  /// `[05.03.24, 10:11:12] Ada: hi`, as WhatsApp writes it.
  case inline
  /// `[3/5/2024 10:11 AM] Ada`, and the message below, as DiscordChatExporter writes it.
  case ownLine
  /// A clock, a name and the message between tabs, below lines with the day, as LINE writes it.
  case tabs
  /// `[Ada] [10:11 AM] hi`, below lines with the day, as KakaoTalk writes it.
  case brackets
  /// `Mar 05, 2024 10:11:12 AM`, the name in the line below, and the message below that, as
  /// imessage-exporter writes it: <https://github.com/ReagentX/imessage-exporter>.
  case written
  /// `Ada — 03/05/2024 10:11 AM`, and the message below, as it is copied from Discord.
  case dashed
  /// `Ada  10:11 AM`, two spaces before the clock, and the message below, as it is copied from Slack.
  case spaced

  /// Whether the day is in a line of its own.
  var hasDayLines: Bool { self == .tabs || self == .brackets || self == .spaced }

  /// Whether the message begins in the line below its head.
  var hasHeadLines: Bool {
    switch self {
    case .ownLine, .written, .dashed, .spaced: true
    case .inline, .tabs, .brackets: false
    }
  }

  /// Whether a head is so short that words of a message may look like one.
  var isLoose: Bool { self == .written || self == .dashed || self == .spaced }

  /// How the messages begin in the first lines of a file; `nil` where none of them begins one of a
  /// named sender.
  init?(_ bytes: [UInt8]) {
    var counts: [ChatStyle: Int] = [:]
    var below: [(name: String, place: Int)] = []
    var loose: [ChatStyle: [Int]] = [:]
    let lines = Self.firstLines(of: bytes)
    for (place, line) in lines.enumerated() {
      for style in Self.allCases {
        guard let head = ChatHead(line, style), !head.sender.isEmpty || style == .written else {
          continue
        }
        if style == .ownLine { below.append((head.sender, place)) }
        if style.isLoose { loose[style, default: []].append(place) }
        counts[style, default: 0] += 1
      }
    }
    for style in [ChatStyle.dashed, .spaced] {
      let places = loose[style] ?? []
      guard places.count < 2 || !Self.areNames(places, in: lines) else { continue }
      counts[style] = nil
    }
    // A name with a colon behind it is not one with the message below.
    let hasNames = counts[.inline] == nil || lines.contains { $0.starts(with: "Guild: ".utf8) }
    if let first = below.first, hasNames, Self.areNames(below.map(\.place), in: lines) {
      counts = [.ownLine: first.place + 1]
    } else {
      counts[.ownLine] = nil
    }
    guard let most = Self.allCases.max(by: { counts[$0, default: 0] < counts[$1, default: 0] }),
      counts[most] != nil
    else { return nil }
    self = most
  }

  private static func firstLines(of bytes: [UInt8]) -> [[UInt8]] {
    bytes.prefix(1 << 14).split(maxSplits: 40) { $0 == 0x0A || $0 == 0x0D }.prefix(40).map(
      Array.init
    )
  }

  /// Whether what follows the bracket in those lines is a name, and no result that its owner wrote
  /// behind a day.
  private static func areNames(_ places: [Int], in lines: [[UInt8]]) -> Bool {
    var reader = GameHeads()
    return places.allSatisfy { place in
      let end = lines[place].firstIndex(of: UInt8(ascii: "]")) ?? 0
      return reader.firstHead(in: lines[place...].prefix(GameHeads.lineCount), from: end) == nil
    }
  }
}

/// The parts of a line, by which the beginning of a message is known in a form that is not read.
struct LineShape {
  enum Part: Equatable {
    case number(Int, digits: Int)
    case word(String)
    case mark(Unicode.Scalar)
  }

  private(set) var parts: [Part] = []
  /// Where a clock is: an hour, a mark and two digits, and perhaps the seconds.
  private(set) var clock: Range<Int>?
  /// How many characters are looked at.
  static let lookedAt = 120

  init(_ line: some Collection<UInt8>) {
    var number: (value: Int, digits: Int)?
    var word = String.UnicodeScalarView()
    func isMarkOfDirection(_ scalar: Unicode.Scalar) -> Bool {
      !scalar.isASCII && scalar.properties.generalCategory == .format
    }
    for scalar in String(decoding: line.prefix(4 * Self.lookedAt), as: UTF8.self).unicodeScalars
      .prefix(Self.lookedAt) where !isMarkOfDirection(scalar)
    {
      let digit = scalar.decimalDigit
      let isLetter = Self.isLetter(scalar)
      if let written = number, digit == nil {
        parts.append(.number(written.value, digits: written.digits))
        number = nil
      }
      if !word.isEmpty, !isLetter {
        parts.append(.word(String(word).lowercased()))
        word = String.UnicodeScalarView()
      }
      if let digit {
        let before = number ?? (0, 0)
        number = (min(before.value, 99_999_999) * 10 + digit, before.digits + 1)
      } else if isLetter {
        word.append(scalar)
      } else {
        let isSpace = scalar.properties.isWhitespace && scalar != "\t"
        parts.append(.mark(isSpace ? " " : scalar == "：" || scalar == "∶" ? ":" : scalar))
      }
    }
    if let number { parts.append(.number(number.value, digits: number.digits)) }
    if !word.isEmpty { parts.append(.word(String(word).lowercased())) }
    while parts.first == .mark(" ") { parts.removeFirst() }
    clock = findClock()
  }

  /// Whether a scalar is a letter or a mark of one; the properties of others than ASCII take long.
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return (scalar.value | 0x20) &- 0x61 < 26 }
    return scalar.properties.isAlphabetic
      || scalar.properties.numericType == nil
        && scalar.properties.generalCategory == .nonspacingMark
  }

  /// Whether a line has digits enough for a clock.
  static func mayHaveMoment(_ line: [UInt8]) -> Bool {
    var count = 0
    for byte in line.prefix(400) {
      // ASCII digits, and the first bytes of scripts that have digits of their own.
      if byte &- 0x30 < 10 { count += 1 }
      switch byte {
      case 0xD9, 0xDB, 0xDF, 0xE0, 0xE1, 0xEA: count += 1
      default: break
      }
      if count > 2 { return true }
    }
    return line.prefix(400).contains(0xEF) && line.prefix(400).contains(0xBC)
  }

  private func findClock() -> Range<Int>? {
    for mark in [Part.mark(":"), .mark("."), .word("h")] {
      for place in parts.indices.dropLast(2) {
        guard case .number(let hour, let digits) = parts[place], digits <= 2, hour <= 30,
          parts[place + 1] == mark, case .number(_, digits: 2) = parts[place + 2]
        else { continue }
        var end = place + 3
        if end + 1 < parts.count, parts[end] == mark, case .number(_, let more) = parts[end + 1] {
          // `05.03.2024` is no clock.
          guard mark == .mark(":"), more == 2 else { continue }
          end += 2
        }
        if place > 1, parts[place - 1] == mark, case .number = parts[place - 2] { continue }
        return place..<end
      }
    }
    return nil
  }

  /// Whether the line begins as a message of some chat: with a day and a clock, and a name with a colon
  /// or a closed bracket; with a clock between tabs; or with a name and a clock in brackets.
  var isHead: Bool {
    guard let clock else { return beginsWithDayAndNumber }
    if beginsWithMoment(clock) { return true }
    let tabs = parts.indices.filter { parts[$0] == .mark("\t") }
    if tabs.count > 1, clock.upperBound <= tabs[0] { return true }
    // `[Ada] [10:11]`.
    return parts.first == .mark("[") && clock.lowerBound > 3
      && parts[..<clock.lowerBound].contains(.mark("]"))
      && parts[..<clock.lowerBound].lastIndex(of: .mark("[")) ?? 0 > 1
      && parts[clock.upperBound...].contains(.mark("]"))
      && clock.lowerBound - (parts[..<clock.lowerBound].lastIndex(of: .mark("[")) ?? 0) <= 4
  }

  /// Whether the line may say a day and little else.
  var mayBeDay: Bool {
    let years = parts.filter { part in
      if case .number(2000..<2100, digits: 4) = part { true } else { false }
    }
    let isRuled = parts.starts(with: [.mark("-"), .mark("-"), .mark("-")])
    let words = parts.filter { part in if case .word = part { true } else { false } }
    return clock == nil && words.count <= 5 && (years.count == 1 || isRuled && !words.isEmpty)
  }

  private func beginsWithMoment(_ clock: Range<Int>) -> Bool {
    var start = 0
    let hasBracket = parts.first == .mark("[") || parts.first == .mark("(")
    if hasBracket { start = 1 }
    guard start < parts.count, isOfMoment(parts[start]) else { return false }
    // The end of the head: a bracket that closes, or a colon behind a name.
    var end = clock.upperBound
    var isClosed = false
    var hasName = false
    while end < parts.count {
      if hasBracket, parts[end] == .mark("]") || parts[end] == .mark(")") {
        isClosed = true
        break
      }
      if case .word(let word) = parts[end], !isHalf(word) { hasName = true }
      let isColon =
        parts[end] == .mark(":") && (end + 1 == parts.count || parts[end + 1] == .mark(" "))
      if hasName, isColon || parts[end] == .mark("\t") {
        isClosed = true
        break
      }
      end += 1
    }
    guard isClosed, end - clock.upperBound <= 40 else { return false }
    return hasDay(in: parts[..<end], besides: clock)
  }

  /// Whether a day and a number behind it, which may be a clock, are before a mark, a name and a colon.
  private var beginsWithDayAndNumber: Bool {
    guard let end = leadingMoment, let first = parts[end...].firstIndex(where: isWord),
      let colon = parts[first...].firstIndex(of: .mark(":")), colon - first <= 12,
      colon + 1 == parts.count || parts[colon + 1] == .mark(" ")
    else { return false }
    let numbers = parts[..<first].filter { part in if case .number = part { true } else { false } }
    let marks: [Part] = [.mark("-"), .mark("–"), .mark("—"), .mark("]")]
    return numbers.count > 3
      && parts[..<first].last { $0 != .mark(" ") }.map(marks.contains) == true
  }

  private func isWord(_ part: Part) -> Bool { if case .word = part { true } else { false } }

  private func isOfMoment(_ part: Part) -> Bool {
    switch part {
    case .number: true
    case .word(let word): EnglishDate.month(word) != nil || EnglishDate.isWeekday(word)
    case .mark: false
    }
  }

  private func isHalf(_ word: String) -> Bool {
    ["am", "pm", "a", "p", "m", "h", "uhr"].contains(word)
  }

  /// Whether the parts name a day: two numbers, or one and a month.
  func hasDay(in parts: ArraySlice<Part>, besides clock: Range<Int>?) -> Bool {
    var numbers = 0
    for place in parts.indices where clock?.contains(place) != true {
      switch parts[place] {
      case .number(let value, let digits):
        guard digits <= 4, value <= 31 || digits == 2 || value >= 1900 && value < 2600 else {
          return numbers >= 2
        }
        numbers += 1
      case .word(let word): if EnglishDate.month(word) != nil { numbers += 1 }
      case .mark: break
      }
      if numbers >= 2 { return true }
    }
    return false
  }
}

/// Finds where a result begins in a line.
struct GameHeads {
  private var reader = ResultReader(catalogue: catalogue)

  private static let catalogue: GameCatalogue = {
    do throws(GameDescriptionError) {
      return try BuiltInGames.catalogue()
    } catch {
      preconditionFailure("the built-in games are sound: \(error)")
    }
  }()

  /// How many lines a result is looked for in.
  static let lineCount = 12

  /// The byte of the first line at which a result begins, from a byte of it on; `nil` for none.
  mutating func firstHead(in lines: some Sequence<[UInt8]>, from start: Int = 0) -> Int? {
    var text: [UInt8] = []
    var length: Int?
    for line in lines {
      text += line.prefix(1 << 10)
      if length == nil { length = text.count }
      text.append(0x0A)
    }
    guard let length else { return nil }
    let reading = reader.read(text)
    let places =
      reading.results.map(\.range.lowerBound) + reading.refusals.map(\.range.lowerBound)
    return places.filter { $0 >= start && $0 < length }.min()
  }
}
