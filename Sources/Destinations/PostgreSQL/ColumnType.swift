package import JSONText
import TextCodecs

/// What a column holds, as far as JSON has to be distinguished for it.
///
/// | column | field of a record |
/// |---|---|
/// | boolean | true or false |
/// | smallint, integer, bigint | a whole number in its range |
/// | numeric | a number, digit by digit |
/// | real, double precision | a number, or `"NaN"`, `"Infinity"`, `"-Infinity"` |
/// | text, varchar, citext, enums | a text |
/// | uuid | a text that is a UUID; it comes back in lower case |
/// | timestamptz, timestamp | RFC 3339 in UTC; what is finer than a microsecond is rounded |
/// | date | `2026-11-28` |
/// | bytea | base64 |
/// | json, jsonb | any value |
/// | an array of these | a list |
/// | all other | a text, as the column writes it |
///
/// A value of another kind is refused and not turned into one that fits: it would come back as another.
package indirect enum ColumnType: Hashable, Sendable {
  case boolean
  case integer(bits: Int)
  case numeric
  case float
  case text
  case uuid
  case instant(hasZone: Bool)
  case date
  case bytes
  case json
  case array(ColumnType)
  /// A type that only its own text form is known of: `inet`, `interval`.
  case other

  /// Takes the name of a type in `pg_type`, and that of an array's elements.
  package init(name: String, category: String, element: ColumnType?) {
    if let element, category == "A" {
      self = .array(element)
      return
    }
    switch name {
    case "bool": self = .boolean
    case "int2": self = .integer(bits: 16)
    case "int4": self = .integer(bits: 32)
    case "int8": self = .integer(bits: 64)
    case "numeric": self = .numeric
    case "float4", "float8": self = .float
    case "uuid": self = .uuid
    case "timestamptz": self = .instant(hasZone: true)
    case "timestamp": self = .instant(hasZone: false)
    case "date": self = .date
    case "bytea": self = .bytes
    case "json", "jsonb": self = .json
    default: self = category == "S" || category == "E" ? .text : .other
    }
  }

  /// Why a value does not fit a column: a clause that follows its name.
  package struct Misfit: Error, Hashable {
    package let reason: String
  }

  // MARK: - From a record

  /// The column's text for a field's value; `nil` for null.
  package func text(of value: JSONValue) throws(Misfit) -> String? {
    if value.isNull { return nil }
    switch self {
    case .boolean:
      guard let flag = value.boolean else { throw misfit("true or false", "as: boolean") }
      return flag ? "t" : "f"
    case .integer(let bits):
      guard let number = value.integer else { throw misfit("a whole number", "as: number") }
      guard Self.range(ofBits: bits).contains(number) else {
        throw Misfit(reason: "holds whole numbers of \(bits) bits, and \(number) has more")
      }
      return String(number)
    case .numeric, .float:
      if case .number(let number) = value { return number.literal }
      if let text = value.text, Self.unusual.contains(text) { return text }
      throw misfit("a number", "as: number")
    case .text, .other:
      guard let text = value.text else { throw misfit("a text", nil) }
      return try Self.storable(text)
    case .uuid:
      guard let text = value.text, UUIDText.isUUID(text.utf8) else { throw misfit("a UUID", nil) }
      return text.lowercased()
    case .instant(let hasZone):
      guard let text = value.text, let found = InstantText.column(text, hasZone: hasZone) else {
        throw misfit("a date and time in RFC 3339", nil)
      }
      return found
    case .date:
      guard let text = value.text, let found = InstantText.columnDate(text) else {
        throw misfit("a date like 2026-11-28", nil)
      }
      return found
    case .bytes:
      guard let text = value.text, let bytes = Base64.bytes(padded: Array(text.utf8)) else {
        throw misfit("bytes in base64", nil)
      }
      return "\\x\(Hexadecimal.text(bytes))"
    case .json:
      let text = value.canonicalText
      // PostgreSQL's texts have no such character: https://www.postgresql.org/docs/current/datatype-json.html
      guard !value.holdsZero else { throw Misfit(reason: "cannot hold the character U+0000") }
      return text
    case .array(let element):
      guard let elements = value.array else { throw misfit("a list", nil) }
      return try ArrayText.column(elements, of: element)
    }
  }

  /// The whole numbers of a width.
  static func range(ofBits bits: Int) -> ClosedRange<Int64> {
    let largest = Int64.max >> (64 - bits)
    return -largest - 1...largest
  }

  private static let unusual: Set = ["NaN", "Infinity", "-Infinity"]

  private static func storable(_ text: String) throws(Misfit) -> String {
    guard !text.utf8.contains(0) else {
      throw Misfit(reason: "cannot hold the character U+0000")
    }
    return text
  }

  private func misfit(_ wanted: String, _ cure: String?) -> Misfit {
    Misfit(reason: "takes \(wanted)" + (cure.map { ": write “\($0)” for it in “body”" } ?? ""))
  }

  // MARK: - Into a record

  /// The field's value for a column's text.
  package func value(of text: String?) -> JSONValue {
    guard let text else { return .null }
    switch self {
    case .boolean: return .boolean(text == "t" || text == "true")
    case .integer, .numeric, .float:
      return JSONNumber(literal: text).map { .number($0) } ?? .string(text)
    case .text, .other, .uuid: return .string(text)
    case .instant: return .string(InstantText.record(text) ?? text)
    case .date: return .string(InstantText.recordDate(text) ?? text)
    case .bytes:
      guard let bytes = Hexadecimal.bytes(text.utf8.dropFirst(2), .lowerCase) else {
        return .string(text)
      }
      return .string(Base64.text(bytes))
    case .json:
      do throws(JSONError) { return try JSONValue(parsing: text) } catch { return .string(text) }
    case .array(let element):
      return ArrayText.elements(text).map { elements in
        .array(elements.map { element.value(of: $0) })
      } ?? .string(text)
    }
  }
}

// MARK: - Values in pieces

extension ColumnType {
  /// Whether a long value can be read in pieces.
  var comesInPieces: Bool {
    switch self {
    case .text, .other, .bytes, .json: true
    case .array(let element): element == .text
    case .boolean, .integer, .numeric, .float, .uuid, .instant, .date: false
    }
  }

  /// A condition on a column's text: that it has more bytes than these, and comes in pieces.
  ///
  /// An array of several dimensions, or with bounds of its own, does not.
  func isLong(_ text: String, from most: Int) -> String {
    let size = "octet_length(\(text)) > \(most)"
    guard case .array = self else { return size }
    return "(\(size) AND left(\(text), 1) = '{' AND left(\(text), 2) <> '{{')"
  }

  /// The bytes of a column's value, those of its text in UTF-8 unless it holds bytes; of an array, those of
  /// JSON.
  func bytes(of column: String) -> String {
    switch self {
    case .bytes: column
    case .array: "convert_to(array_to_json(\(column))::text, 'UTF8')"
    default: "convert_to(\(column)::text, 'UTF8')"
    }
  }
}

extension JSONValue {
  /// Whether a text in it, or a name, holds the character U+0000.
  fileprivate var holdsZero: Bool {
    switch self {
    case .null, .boolean, .number: false
    case .string(let text): text.utf8.contains(0)
    case .array(let elements): elements.contains(where: \.holdsZero)
    case .object(let object):
      object.members.contains { $0.name.utf8.contains(0) || $0.value.holdsZero }
    }
  }
}

/// Arrays of one dimension, as PostgreSQL writes them.
///
/// https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
package enum ArrayText {
  static func column(
    _ elements: [JSONValue],
    of type: ColumnType
  ) throws(ColumnType.Misfit) -> String {
    var text = "{"
    for (place, element) in elements.enumerated() {
      if place > 0 { text += "," }
      append(try type.text(of: element), to: &text)
    }
    return text + "}"
  }

  /// Writes an element: always in quotes, so that no text is taken for null or for a part of the array.
  static func append(_ element: String?, to text: inout String) {
    guard let element else {
      text += "NULL"
      return
    }
    text += "\""
    for scalar in element.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    text += "\""
  }

  /// The elements of an array; `nil` for one of several dimensions, or with bounds of its own.
  package static func elements(_ text: String) -> [String?]? {
    var bytes = Array(text.utf8)[...]
    guard bytes.popFirst() == UInt8(ascii: "{"), bytes.popLast() == UInt8(ascii: "}") else {
      return nil
    }
    var found: [String?] = []
    guard !bytes.isEmpty else { return found }
    while true {
      guard let element = take(&bytes) else { return nil }
      found.append(element.isQuoted || element.text != "NULL" ? element.text : nil)
      guard let comma = bytes.popFirst() else { return found }
      guard comma == UInt8(ascii: ",") else { return nil }
    }
  }

  private static func take(_ rest: inout ArraySlice<UInt8>) -> (text: String, isQuoted: Bool)? {
    var element: [UInt8] = []
    guard rest.first == UInt8(ascii: "\"") else {
      while let byte = rest.first, byte != UInt8(ascii: ",") {
        guard byte != UInt8(ascii: "{"), byte != UInt8(ascii: "}") else { return nil }
        element.append(byte)
        rest.removeFirst()
      }
      return (String(decoding: element, as: UTF8.self), false)
    }
    rest.removeFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return (String(decoding: element, as: UTF8.self), true)
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { return nil }
        element.append(next)
      default: element.append(byte)
      }
    }
    return nil
  }
}
