import HTTPTypes
import JSONText
import TextCodecs

/// One member of a row as the server of the app that pushes it reads it.
///
/// That server is written in Go and fills a structure: it passes over members that it does not know, takes
/// `null` for a member that is not there, and refuses the whole request for one value of another kind:
/// <https://pkg.go.dev/encoding/json#Unmarshal>.
struct SyncColumn: Sendable {
  let name: String
  let form: Form
  /// Whether an answer leaves out a value that says nothing.
  var isLeftOutWhenEmpty = false

  /// What a value has to be.
  enum Form: Sendable {
    case identity, text, integer, boolean, moment, optionalMoment
    /// Any JSON, which the database keeps as such.
    case content
  }

  init(_ name: String, _ form: Form, leftOutWhenEmpty: Bool = false) {
    self.name = name
    self.form = form
    isLeftOutWhenEmpty = leftOutWhenEmpty
  }

  /// What stands for a member that a row does not have.
  private var zero: JSONValue? {
    switch form {
    case .identity: .string(Self.noIdentity)
    case .text: ""
    case .integer: 0
    case .boolean: false
    case .moment: .string(Self.noMoment)
    case .optionalMoment: .null
    case .content: nil
    }
  }

  /// The value as it is kept, `nil` for none; a refusal of the whole request where the server cannot read it.
  func kept(_ value: JSONValue?) throws(Refusal) -> JSONValue? {
    guard let value else { return zero }
    if form.isContent { return value }
    guard !value.isNull else { return zero }
    let kept: JSONValue? =
      switch form {
      case .identity: value.text.flatMap { Self.identity($0) }.map { .string($0) }
      case .text: value.text == nil ? nil : value
      case .integer: Self.isInteger(value) ? value : nil
      case .boolean: value.boolean == nil ? nil : value
      case .moment, .optionalMoment: value.text.flatMap { Self.moment($0) }.map { .string($0) }
      case .content: value
      }
    guard let kept else { throw Refusal(.badRequest, "invalid_request", "invalid JSON body") }
    return kept
  }

  /// Whether the value says nothing, so that an answer may leave it out.
  func isEmpty(_ value: JSONValue) -> Bool { value.isNull || value.text == "" || value.array == [] }

  static let noIdentity = "00000000-0000-0000-0000-000000000000"
  /// How the server's language writes no moment.
  static let noMoment = "0001-01-01T00:00:00Z"

  /// A whole number in digits alone: `1.0` and `1e2` are none.
  private static func isInteger(_ value: JSONValue) -> Bool {
    guard case .number(let number) = value else { return false }
    return Int64(number.literal) != nil
  }

  /// A UUID in the four forms that `uuid.Parse` reads, as the database writes it:
  /// <https://pkg.go.dev/github.com/google/uuid#Parse>.
  static func identity(_ text: String) -> String? {
    var text = text.lowercased()
    if text.utf8.count == 45, text.hasPrefix("urn:uuid:") { text = String(text.dropFirst(9)) }
    if text.utf8.count == 38, text.hasPrefix("{"), text.hasSuffix("}") {
      text = String(text.dropFirst().dropLast())
    }
    if text.utf8.count == 32, text.allSatisfy(\.isHexDigit) {
      let digits = Array(text)
      let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      text = parts.joined(separator: "-")
    }
    return UUIDText.isUUID(text.utf8) ? text : nil
  }

  /// A moment of RFC 3339 to the letter, in UTC and with no zeros at the end of its fraction, as the server
  /// writes it again: <https://pkg.go.dev/time#Time.UnmarshalJSON>.
  static func moment(_ text: String) -> String? {
    if text == noMoment { return text }
    guard isStrictMoment(Array(text.utf8)), isOnCalendar(text.prefix(19)),
      let microseconds = Timestamp.microseconds(text)
    else { return nil }
    let (seconds, rest) = microseconds.flooredDivision(by: 1_000_000)
    let digits = String(String(1_000_000 + rest).dropFirst())
    let fraction = String(digits.reversed().drop { $0 == "0" }.reversed())
    return Timestamp.text(secondsSince1970: seconds + secondsToReference, fraction: fraction)
  }

  /// Whether the text has the form `2026-11-20T10:00:00.5+01:00`, with capitals and every digit.
  private static func isStrictMoment(_ bytes: [UInt8]) -> Bool {
    let shape = Array("0000-00-00T00:00:00".utf8)
    guard bytes.count > shape.count, fits(bytes.prefix(shape.count), shape) else { return false }
    var rest = bytes.dropFirst(shape.count)
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { $0.isDigit }
      guard !digits.isEmpty else { return false }
      rest = rest.dropFirst(1 + digits.count)
    }
    if rest.elementsEqual([UInt8(ascii: "Z")]) { return true }
    return ["+00:00", "-00:00"].contains { fits(rest, Array($0.utf8)) }
  }

  /// Whether a day and a second of it are any: no 30th of February, no second 60.
  private static func isOnCalendar(_ text: Substring) -> Bool {
    guard let microseconds = Timestamp.microseconds("\(text)Z") else { return false }
    let seconds = microseconds.flooredDivision(by: 1_000_000).0 + secondsToReference
    return Timestamp.text(secondsSince1970: seconds).prefix(19) == text
  }

  /// Seconds from the first instant of 1970 to that of 2001.
  private static let secondsToReference: Int64 = 978_307_200

  private static func fits(_ bytes: ArraySlice<UInt8>, _ shape: [UInt8]) -> Bool {
    bytes.count == shape.count
      && zip(bytes, shape).allSatisfy { $1 == UInt8(ascii: "0") ? $0.isDigit : $0 == $1 }
  }
}

extension SyncColumn.Form {
  fileprivate var isContent: Bool { if case .content = self { true } else { false } }
}

extension UInt8 {
  fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}

extension Int64 {
  /// The quotient, rounded down, and what is left.
  fileprivate func flooredDivision(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}
