/// A form of instants in UTC as text, in the letters of Unicode's date patterns: `yyyy-MM-dd HH:mm:ss`.
///
/// It has the letters `y`, `M`, `d`, `H`, `m`, `s` and `S`, the English short names of months (`MMM`) and of days of the
/// week (`EEE`), text between apostrophes, and anything but letters:
/// <https://www.unicode.org/reports/tr35/tr35-dates.html#Date_Field_Symbol_Table>.
package struct DatePattern: Hashable, Sendable, CustomStringConvertible {
  private enum Part: Hashable {
    /// A number of this many digits or more; of a fraction just so many.
    case number(Letter, width: Int)
    case name(Letter)
    case text(String)
  }

  private enum Letter: Character, CaseIterable {
    case year = "y"
    case month = "M"
    case day = "d"
    case hour = "H"
    case minute = "m"
    case second = "s"
    case fraction = "S"
    case weekday = "E"

    /// The names of what it counts, the first of which has the number 1; none where it has only numbers.
    var names: [String] {
      switch self {
      case .month: ServerTime.months
      // The first day of 1970 was a Thursday.
      case .weekday: ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
      case .year, .day, .hour, .minute, .second, .fraction: []
      }
    }
  }

  package let description: String
  private let parts: [Part]

  /// `nil` for a pattern with another letter, a letter twice, or without year, month and day.
  package init?(_ pattern: String) {
    guard let parts = Self.parts(of: pattern) else { return nil }
    let letters = parts.compactMap { part -> Letter? in
      switch part {
      case .number(let letter, _), .name(let letter): letter
      case .text: nil
      }
    }
    guard Set(letters).count == letters.count,
      [Letter.year, .month, .day].allSatisfy(letters.contains)
    else { return nil }
    description = pattern
    self.parts = parts
  }

  private static func parts(of pattern: String) -> [Part]? {
    var parts: [Part] = []
    var rest = pattern[...]
    while let character = rest.first {
      if let letter = Letter(rawValue: character) {
        let run = rest.prefix { $0 == character }
        rest = rest.dropFirst(run.count)
        if run.count == 3, !letter.names.isEmpty {
          parts.append(.name(letter))
          continue
        }
        guard letter != .weekday,
          letter == .year ? run.count == 4 : run.count <= (letter == .fraction ? 6 : 2)
        else {
          return nil
        }
        parts.append(.number(letter, width: run.count))
      } else if character == "'" {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "'") else { return nil }
        // Two apostrophes are one.
        parts.append(.text(end == rest.startIndex ? "'" : String(rest[..<end])))
        rest = rest[rest.index(after: end)...]
      } else {
        guard !character.isLetter else { return nil }
        parts.append(.text(String(character)))
        rest.removeFirst()
      }
    }
    return parts
  }

  /// Seconds from the first instant of 1970 to that of 2001.
  private static let secondsToReference = 978_307_200

  /// The text of an instant in microseconds since 2001, with what is finer than the pattern cut; `nil` for a year
  /// that four digits do not hold.
  package func text(microseconds: Int64) -> String? {
    let micros = Int(microseconds)
    let fraction = (micros % 1_000_000 + 1_000_000) % 1_000_000
    let seconds = (micros - fraction) / 1_000_000 + Self.secondsToReference
    let rest = (seconds % 86_400 + 86_400) % 86_400
    let date = CivilDate(daysSince1970: (seconds - rest) / 86_400)
    guard (0...9999).contains(date.year) else { return nil }
    var text = ""
    for part in parts {
      switch part {
      case .text(let plain): text += plain
      case .name(let letter):
        let days = (seconds - rest) / 86_400
        let number = letter == .month ? date.month - 1 : (days % 7 + 7) % 7
        text += letter.names[number]
      case .number(.fraction, let width):
        text += DecimalDigits.padded(fraction, 6).prefix(width)
      case .number(let letter, let width):
        let number =
          switch letter {
          case .year: date.year
          case .month: date.month
          case .day: date.day
          case .hour: rest / 3_600
          case .minute: rest / 60 % 60
          case .second, .fraction, .weekday: rest % 60
          }
        text += DecimalDigits.padded(number, width)
      }
    }
    return text
  }

  /// The instant that a text in this form names, in microseconds since 2001; `nil` for any other text.
  package func microseconds(_ text: String) -> Int64? {
    var numbers: [Letter: Int] = [:]
    var rest = text.utf8[...]
    for part in parts {
      switch part {
      case .text(let plain):
        guard rest.starts(with: plain.utf8) else { return nil }
        rest = rest.dropFirst(plain.utf8.count)
      case .name(let letter):
        guard let place = letter.names.firstIndex(where: { rest.starts(with: $0.utf8) }) else {
          return nil
        }
        rest = rest.dropFirst(letter.names[place].utf8.count)
        numbers[letter] = place + 1
      case .number(let letter, let width):
        let most = letter == .fraction || width > 1 ? width : 2
        let digits = rest.prefix(most).prefix {
          (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        guard digits.count >= width, let number = Int(String(decoding: digits, as: UTF8.self))
        else { return nil }
        rest = rest.dropFirst(digits.count)
        numbers[letter] =
          letter == .fraction ? (0..<(6 - width)).reduce(number) { sum, _ in sum * 10 } : number
      }
    }
    guard rest.isEmpty, let year = numbers[.year], let month = numbers[.month],
      let day = numbers[.day], CivilDate.exists(year: year, month: month, day: day)
    else { return nil }
    let (hour, minute, second) = (
      numbers[.hour] ?? 0, numbers[.minute] ?? 0, numbers[.second] ?? 0
    )
    guard hour < 24, minute < 60, second < 60 else { return nil }
    let days = CivilDate.daysSince1970(year: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - Self.secondsToReference
    return Int64(seconds * 1_000_000 + (numbers[.fraction] ?? 0))
  }
}
