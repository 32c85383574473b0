import JSONText
import Profiles
import RecordMapping
import RequestBodies
import TextCodecs

// Values in the form that a rule has them written in, and back.

extension RequestFieldRule.Writing {
  /// The microseconds from the first instant of 1970 to that of 2001.
  private static let microsToReference: Int64 = 978_307_200_000_000

  /// Whether the elements of a list are written so, each by itself, and not the list as a whole.
  private var isOfElements: Bool {
    switch self {
    case .boolean, .bit, .json: false
    case .plain, .number, .double, .text, .utc, .seconds, .epoch, .epochMilliseconds, .date,
      .hex, .base64URL:
      true
    }
  }

  /// A value of a record, or each element of a list, as it is sent; as it is where the form has no place for it.
  func written(_ value: JSONValue) -> JSONValue {
    if self == .plain { return value }
    if isOfElements, let elements = value.array { return .array(elements.map { written($0) }) }
    return one(value) ?? value
  }

  /// Whether a value has this form; one that has not cannot be sent.
  ///
  /// Numbers and dates that the destination takes in several forms are left to it.
  func holds(_ value: JSONValue) -> Bool {
    if value.isNull { return true }
    if isOfElements, let elements = value.array { return elements.allSatisfy { holds($0) } }
    return switch self {
    case .plain, .number, .utc, .seconds, .text: true
    case .double: rounded(value) == nil
    case .boolean: value.boolean != nil
    case .bit: value.integer.map { (0...1).contains($0) } ?? false
    case .epoch, .epochMilliseconds: value.integer != nil
    case .json: value.text != nil
    case .hex: value.text.map { $0.utf8.count % 2 == 0 && $0.allSatisfy(\.isHexDigit) } ?? false
    case .base64URL: value.text?.utf8.allSatisfy(Self.isBase64URL) ?? false
    case .date(let pattern): value.text.flatMap { pattern.microseconds($0) } != nil
    }
  }

  /// The first number that the form would round: one that a double does not give back; `nil` for none.
  func rounded(_ value: JSONValue) -> JSONNumber? {
    guard self == .double else { return nil }
    if let elements = value.array { return elements.lazy.compactMap { rounded($0) }.first }
    guard case .number(let number) = value else { return nil }
    return number.double.map { JSONNumber($0) } == number ? nil : number
  }

  /// Whether it is one of base64url's letters.
  ///
  /// https://www.rfc-editor.org/rfc/rfc4648#section-5
  private static func isBase64URL(_ letter: UInt8) -> Bool {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// `nil` for what the form has no place for.
  private func one(_ value: JSONValue) -> JSONValue? {
    switch self {
    case .plain, .double: return value
    case .boolean: return Self.truth(of: value).map { .boolean($0) }
    case .bit: return Self.truth(of: value).map { $0 ? 1 : 0 }
    case .json: return value.isNull ? nil : .string(value.canonicalText)
    case .text: return Self.text(of: value).map { .string($0) }
    case .number: return value.text.flatMap { Self.number($0) }.map { .number($0) }
    case .utc:
      guard let text = value.text, Self.isZoneless(text) else { return nil }
      return .string(text + "Z")
    case .seconds:
      return value.text.flatMap { Self.wholeSeconds(of: Self.zoned($0)) }.map { .string($0) }
    case .epoch: return Self.epoch(value, width: 1_000_000)
    case .epochMilliseconds: return Self.epoch(value, width: 1_000)
    case .date(let pattern):
      return value.text.flatMap { Timestamp.microseconds(Self.zoned($0)) }
        .flatMap { pattern.text(microseconds: $0) }.map { .string($0) }
    case .hex: return Self.bytes(of: value).map { .string(Hexadecimal.text($0)) }
    case .base64URL: return Self.bytes(of: value).map { .string(Self.base64URL($0)) }
    }
  }

  /// A value of the destination's as a record has it; as it is where it has another form, and `nil` where that
  /// cannot be known: a text may have been one.
  ///
  /// What a form does not keep is not made up: a date has no more digits than it was sent with.
  func read(_ value: JSONValue) -> JSONValue? {
    if value.isNull { return value }
    if self == .text { return nil }
    if isOfElements, let elements = value.array {
      return .array(elements.compactMap { read($0) })
    }
    let found: JSONValue? =
      switch self {
      case .plain, .number, .double, .utc, .seconds, .boolean, .text: nil
      case .bit: Self.truth(of: value).map { .boolean($0) }
      case .json: value.text.flatMap { try? JSONValue(parsing: $0) }
      case .epoch: Self.instant(value, width: 1_000_000)
      case .epochMilliseconds: Self.instant(value, width: 1_000)
      case .date(let pattern):
        value.text.flatMap { pattern.microseconds($0) }.flatMap { Self.instant($0) }
      case .hex:
        value.text.flatMap { Hexadecimal.bytes($0.utf8, .eitherCase) }
          .map { .string(Base64.text($0)) }
      case .base64URL:
        value.text.flatMap { Self.bytes(ofBase64URL: $0) }
          .map { .string(Base64.text($0)) }
      }
    return found ?? value
  }
}

// MARK: - Dates

extension RequestFieldRule.Writing {
  private static func isZoneless(_ text: String) -> Bool {
    Timestamp.microseconds(text) == nil && Timestamp.microseconds(text + "Z") != nil
  }

  private static func zoned(_ text: String) -> String { isZoneless(text) ? text + "Z" : text }

  /// A date in UTC without what is finer than a second, so that no one can round it up; `nil` for a
  /// text that is no date.
  private static func wholeSeconds(of text: String) -> String? {
    guard let micros = Timestamp.microseconds(text) else { return nil }
    let seconds = micros / 1_000_000 - (micros % 1_000_000 < 0 ? 1 : 0)
    return self.text(ofSeconds: Double(seconds))
  }

  private static func text(ofSeconds seconds: Double) -> String? {
    var bytes: [UInt8] = []
    guard DateText.append(seconds, to: &bytes) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// How many units of `width` microseconds are between 1970 and a date; what is finer is cut.
  private static func epoch(_ value: JSONValue, width: Int64) -> JSONValue? {
    guard let text = value.text, let micros = Timestamp.microseconds(zoned(text)) else {
      return nil
    }
    let (since, isBeyond) = micros.addingReportingOverflow(microsToReference)
    guard !isBeyond else { return nil }
    return .number(JSONNumber(since / width - (since % width < 0 ? 1 : 0)))
  }

  private static func instant(_ value: JSONValue, width: Int64) -> JSONValue? {
    guard let units = value.integer else { return nil }
    let (micros, isTooFar) = units.multipliedReportingOverflow(by: width)
    let (since, isBeyond) = micros.subtractingReportingOverflow(microsToReference)
    return isTooFar || isBeyond ? nil : instant(since)
  }

  private static func instant(_ micros: Int64) -> JSONValue? {
    text(ofSeconds: Double(micros) / 1_000_000).map { .string($0) }
  }
}

// MARK: - Numbers, truth values and bytes

extension RequestFieldRule.Writing {
  /// The number that digits say; `nil` for a text that says none.
  private static func number(_ text: String) -> JSONNumber? {
    if let integer = Int64(text) { return JSONNumber(integer) }
    if let number = JSONNumber(literal: text) { return number }
    // Decimals may be written without a digit before the point, or with signs and zeros of their own.
    let isDecimal = text.utf8.allSatisfy { byte in "+-.0123456789".utf8.contains(byte) }
    let sign = text.hasPrefix("-") ? "-" : ""
    let bare = text.drop { "+-".contains($0) }
    let digits = bare.drop { $0 == "0" }
    guard isDecimal, text.count - bare.count < 2, bare.contains(where: \.isNumber) else {
      return nil
    }
    let whole = digits.first?.isNumber == true ? digits : "0" + digits
    return JSONNumber(literal: sign + (whole.last == "." ? whole.dropLast() : whole))
  }

  /// The text of a number, in its own digits, and of true and false; `nil` for any other value.
  private static func text(of value: JSONValue) -> String? {
    switch value {
    case .number(let number): number.literal
    case .boolean(let flag): "\(flag)"
    case .null, .string, .array, .object: nil
    }
  }

  /// Whether a value says true or false; `nil` for one that says neither.
  private static func truth(of value: JSONValue) -> Bool? {
    switch value {
    case .boolean(let flag): return flag
    case .number(let number): return number.int64.flatMap { [0: false, 1: true][$0] }
    case .string(let text):
      switch text.lowercased() {
      case "true", "yes", "1": return true
      case "false", "no", "0": return false
      default: return nil
      }
    case .null, .array, .object: return nil
    }
  }

  private static func bytes(of value: JSONValue) -> [UInt8]? {
    value.text.flatMap { Base64.bytes(padded: Array($0.utf8)) }
  }

  /// Base64url without padding: <https://www.rfc-editor.org/rfc/rfc4648#section-5>.
  private static func base64URL(_ bytes: [UInt8]) -> String {
    String(decoding: Base64.unpadded(bytes), as: UTF8.self)
      .replacing("+", with: "-").replacing("/", with: "_")
  }

  private static func bytes(ofBase64URL text: String) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    return Base64.bytes(unpadded: plain.prefix { $0 != "=" }.utf8)
  }
}
