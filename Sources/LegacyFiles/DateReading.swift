package import JSONText
package import Records

/// What is where a date belongs, and what it was read as.
///
/// | what is there | is read as |
/// |---|---|
/// | nothing, or an empty text | no date, and no fault |
/// | a text in ISO 8601, or as `NSDate` describes itself | what it says |
/// | a number | seconds since 2001, or the declared unit |
/// | nine digits or more as a text | seconds or milliseconds since 1970, or the declared unit |
/// | such digits, a point and digits | as above, but never milliseconds |
/// | `{"$date": …}` of an archive | the content ofside |
/// | anything else | none, with a fault |
///
/// A number says nothing of its unit: seconds since 1970 of a day in 2024, read as seconds since 2001, give
/// one in 2055. So a number counts only where it gives an instant of the years 2010 to 2040. These are as
/// many years as lie between the two epochs, so that no number gives one in two units, and none is guessed.
/// A text counts only there too: one of another year was written by another calendar, or by no clock.
package struct DateReading: Hashable, Sendable {
  package let date: LegacyDate?
  /// Why what is there was not read; `nil` also where nothing does.
  package let fault: DateFault?

  private init(date: LegacyDate? = nil, fault: DateFault? = nil) {
    self.date = date
    self.fault = fault
  }

  /// Reads a value of JSON.
  package init(_ value: JSONValue?, unit: DateUnit?, naming option: String? = nil) {
    guard let value else {
      self.init()
      return
    }
    switch value {
    case .null: self.init()
    case .string(let text): self.init(text, unit: unit, naming: option)
    case .number(let number):
      let count = number.double ?? .infinity
      self.init(count, in: unit ?? .secondsSince2001, found: number.literal)
    case .object(let object) where object["$date"] != nil:
      self.init(object["$date"], unit: unit, naming: option)
    case .boolean, .array, .object:
      let words = "the text for its date is neither a text nor a number"
      self.init(fault: DateFault.form(words, naming: option))
    }
  }

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - text: The text; white space around it does not count.
  ///   - unit: What digits count, where a person declared it.
  ///   - option: The flag that names what holds the date, where the form of the file has one.
  package init(_ text: String, unit: DateUnit?, naming option: String? = nil) {
    let text = text.trimmed
    if text.isEmpty {
      self.init()
    } else if let date = Self.counted(text, unit: unit) {
      self.init(date: date)
    } else if let count = Self.count(text) {
      let usual: DateUnit = count >= 100_000_000_000 ? .millisecondsSince1970 : .secondsSince1970
      self.init(count, in: unit ?? usual, found: "“\(text)”")
    } else {
      let date = LegacyDate(text)
      guard date?.isUsual != true else {
        self.init(date: date)
        return
      }
      let shown = text.prefix(Self.longestShown)
      let words =
        date == nil
        ? "the text that represents its date is in no form that is known"
        : "the text that represents its date is of no year from 2010 to 2040"
      self.init(fault: DateFault.form(words, found: "“\(shown)”", naming: option))
    }
  }

  /// Reads a text of milliseconds since 1970, as a message backup has it and nothing else.
  package init(ofMessage text: String?) {
    guard let text, !text.isEmpty else {
      self.init()
      return
    }
    if let date = Int64(text).flatMap({ LegacyDate(milliseconds: $0) }), date.isUsual {
      self.init(date: date)
      return
    }
    let words =
      "the text for its date is not a count of milliseconds since 1970 from 2010 to 2040"
    self.init(
      fault: DateFault(
        kind: .form,
        cause: words,
        found: "“\(text.prefix(Self.longestShown))”",
        cure: "write it so in a copy of the file"
      )
    )
  }

  /// Reads a number; `found` is how it is written.
  private init(_ number: Double, in unit: DateUnit, found: String) {
    if let date = LegacyDate(number, in: unit), date.isUsual {
      self.init(date: date)
      return
    }
    let other = DateUnit.allCases.first { LegacyDate(number, in: $0)?.isUsual == true }
    let shown = String(found.prefix(Self.longestShown))
    self.init(fault: DateFault.unit(of: shown, readAs: unit, perhaps: other))
  }

  /// The instant of seconds with a fraction, `1709633472.000200`; `nil` for other texts, and for one of
  /// no usual year.
  private static func counted(_ text: String, unit: DateUnit?) -> LegacyDate? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, unit != .millisecondsSince1970,
      let count = Self.count(String(parts[0])),
      (1...9).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      case .instant(let second, _)? = LegacyDate(count, in: unit ?? .secondsSince1970)
    else { return nil }
    var fraction = String(parts[1])
    while fraction.hasSuffix("0") { fraction.removeLast() }
    let date = LegacyDate.instant(second, fraction: fraction)
    return date.isUsual ? date : nil
  }

  /// The digits of a text; `nil` for fewer than nine, and for other texts.
  private static func count(_ text: String) -> Double? {
    guard text.utf8.count >= 9, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      return nil
    }
    return Double(text)
  }

  /// So many characters of what was found are shown.
  private static let longestShown = 60
}

/// Why the text for a date was not read as one.
package struct DateFault: Hashable, Sendable {
  package let kind: Kind
  /// What is the matter, without what was found.
  package let cause: String
  /// The text for the date, where that is a text or a number.
  package let found: String?
  package let cure: String

  /// What is in doubt.
  package enum Kind: String, Sendable {
    /// What a number counts.
    case unit
    /// Whether it is a date at all.
    case form
  }

  package init(kind: Kind, cause: String, found: String? = nil, cure: String) {
    self.kind = kind
    self.cause = cause
    self.found = found
    self.cure = cure
  }

  fileprivate static func form(
    _ cause: String,
    found: String? = nil,
    naming option: String?
  ) -> DateFault {
    DateFault(
      kind: .form,
      cause: cause,
      found: found,
      cure: "write it as 2024-03-05T10:11:12Z in a copy of the file"
        + (option.map { ", or name what holds the date with \($0)" } ?? "")
    )
  }

  fileprivate static func unit(
    of number: String,
    readAs unit: DateUnit,
    perhaps other: DateUnit?
  ) -> DateFault {
    let words = "the number that represents its date, read as \(unit.words), is of no year from "
    guard let other else {
      return DateFault(
        kind: .unit,
        cause: words + "2010 to 2040, nor is it in another unit",
        found: number,
        cure: "write it as 2024-03-05T10:11:12Z in a copy of the file"
      )
    }
    return DateFault(
      kind: .unit,
      cause: words + "2010 to 2040, and as \(other.words) it is",
      found: number,
      cure: "if numbers count so, give it with --date-unit \(other.rawValue), or as “date-unit” in "
        + "the profile's “import”"
    )
  }
}
