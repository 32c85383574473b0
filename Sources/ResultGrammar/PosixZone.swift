/// A rule for the years to come, as POSIX writes it: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// Days are read in the form `Mm.w.d`, which every zone of the database uses today.
package struct PosixZone: Hashable, Sendable {
  private var standard = 0
  private var summer: Int?
  private var start = Turn()
  private var end = Turn()

  /// A moment of the year: the so-many-th weekday of a month, and a time of day.
  private struct Turn: Hashable, Sendable {
    var month = 0
    var week = 0
    var weekday = 0
    var second = 7200
  }

  /// Reads the rule; a text in another form is `nil`.
  package init?(_ text: [UInt8]) {
    var place = 0
    guard Self.skipName(text, &place), let offset = Self.time(text, &place) else { return nil }
    standard = -offset
    guard place < text.count else { return }
    guard Self.skipName(text, &place) else { return nil }
    var ahead = standard + 3600
    if place < text.count, text[place] != UInt8(ascii: ",") {
      guard let offset = Self.time(text, &place) else { return nil }
      ahead = -offset
    }
    guard let start = Self.turn(text, &place), let end = Self.turn(text, &place) else { return nil }
    (summer, self.start, self.end) = (ahead, start, end)
  }

  /// How many seconds the zone is ahead of UTC at an instant.
  package func offset(at instant: Int64) -> Int {
    guard let summer else { return standard }
    let local = instant + Int64(standard)
    let day = Int(local >= 0 ? local / 86_400 : (local - 86_399) / 86_400)
    let year = CalendarDay(number: day).date.year
    let begins = Self.instant(of: start, in: year) - Int64(standard)
    let ends = Self.instant(of: end, in: year) - Int64(summer)
    let isSummer =
      begins < ends ? instant >= begins && instant < ends : instant >= begins || instant < ends
    return isSummer ? summer : standard
  }

  /// Seconds since 1970 on the zone's own clock.
  private static func instant(of turn: Turn, in year: Int) -> Int64 {
    guard let first = CalendarDay(year: year, month: turn.month, day: 1) else { return 0 }
    // 1970-01-01 was a Thursday.
    let weekday = ((first.number + 4) % 7 + 7) % 7
    var day = first.number + (turn.weekday - weekday + 7) % 7 + (turn.week - 1) * 7
    while CalendarDay(number: day).date.month != turn.month { day -= 7 }
    return Int64(day) * 86_400 + Int64(turn.second)
  }

  private static func skipName(_ text: [UInt8], _ place: inout Int) -> Bool {
    let first = place
    if place < text.count, text[place] == UInt8(ascii: "<") {
      while place < text.count, text[place] != UInt8(ascii: ">") { place += 1 }
      place += 1
    } else {
      while place < text.count, text[place] >= 0x41 { place += 1 }
    }
    return place > first && place <= text.count
  }

  private static func number(_ text: [UInt8], _ place: inout Int) -> Int? {
    let first = place
    var value = 0
    while place < text.count, place - first < 4, text[place] >= 0x30, text[place] <= 0x39 {
      value = value * 10 + Int(text[place] - 0x30)
      place += 1
    }
    return place > first ? value : nil
  }

  /// Reads `-1`, `3:30` or `2:00:00` as seconds.
  private static func time(_ text: [UInt8], _ place: inout Int) -> Int? {
    var sign = 1
    if place < text.count, text[place] == UInt8(ascii: "-") || text[place] == UInt8(ascii: "+") {
      sign = text[place] == UInt8(ascii: "-") ? -1 : 1
      place += 1
    }
    guard var seconds = number(text, &place).map({ $0 * 3600 }) else { return nil }
    var unit = 60
    while unit >= 1, place < text.count, text[place] == UInt8(ascii: ":") {
      place += 1
      guard let part = number(text, &place) else { return nil }
      seconds += part * unit
      unit /= 60
    }
    return sign * seconds
  }

  /// Reads `,M3.5.0/2`.
  private static func turn(_ text: [UInt8], _ place: inout Int) -> Turn? {
    guard place + 1 < text.count, text[place] == UInt8(ascii: ","),
      text[place + 1] == UInt8(ascii: "M")
    else { return nil }
    place += 2
    var turn = Turn()
    guard let month = number(text, &place), (1...12).contains(month) else { return nil }
    place += 1
    guard let week = number(text, &place), (1...5).contains(week) else { return nil }
    place += 1
    guard let weekday = number(text, &place), (0...6).contains(weekday) else { return nil }
    (turn.month, turn.week, turn.weekday) = (month, week, weekday)
    if place < text.count, text[place] == UInt8(ascii: "/") {
      place += 1
      guard let second = time(text, &place) else { return nil }
      turn.second = second
    }
    return turn
  }
}
