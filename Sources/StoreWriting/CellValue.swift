import JSONText
import Records
import SQLiteStores
import TextCodecs

/// A value as SQLite keeps it.
enum CellValue: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension CellValue {
  /// The text by which records are referred to that have this value as their key.
  var keyText: String? {
    switch self {
    case .integer(let number): "\(number)"
    case .text(let text): text
    case .blob(let bytes): UUIDText.text(bytes)
    case .null, .real: nil
    }
  }

  /// A value of a record in the form that its column has; `nil` where the column cannot have it.
  ///
  /// - Parameters:
  ///   - value: The value, in the form of a package's record.
  ///   - column: Where it goes.
  ///   - isJSON: Whether the column holds JSON that the record has as it is.
  ///   - isCoreData: Whether the store is one of Core Data.
  init?(_ value: JSONValue, for column: EntityPlace.Column, isJSON: Bool, isCoreData: Bool) {
    if value.isNull {
      self = .null
      return
    }
    guard
      let plain = Self.plain(value, column.kind, isJSON: isJSON, isCoreData: isCoreData)
    else { return nil }
    // Core Data marks a value that could lie in a file of its own with 1 where it does not.
    if column.mayBeExternal, case .blob(let bytes) = plain {
      self = .blob([1] + bytes)
    } else {
      self = plain
    }
  }

  private static func plain(
    _ value: JSONValue,
    _ kind: StoreAttribute.Kind,
    isJSON: Bool,
    isCoreData: Bool
  ) -> CellValue? {
    if let wrapped = value["$base64"]?.text { return blob(base64: wrapped) }
    if isJSON {
      switch kind {
      case .binary: return .blob(value.canonicalBytes)
      default: return .text(value.canonicalText)
      }
    }
    switch kind {
    case .integer16, .integer32, .integer64: return integer(value).map { .integer($0) }
    case .boolean: return truth(value).map { .integer($0 ? 1 : 0) }
    case .double, .float: return number(value).map { .real($0) }
    case .decimal: return scalar(value).map { .text($0) }
    case .date: return isCoreData ? instant(value) : scalar(value).map { .text($0) }
    case .string, .uri: return scalar(value).map { .text($0) }
    case .uuid: return uuid(value)
    case .binary: return value.text.flatMap { blob(base64: $0) }
    case .undeclared: return found(value)
    case .transformable, .objectID, .composite: return nil
    }
  }

  private static func integer(_ value: JSONValue) -> Int64? {
    if let flag = value.boolean { return flag ? 1 : 0 }
    return value.integer ?? value.text.flatMap { Int64($0) }
  }

  private static func truth(_ value: JSONValue) -> Bool? {
    if let flag = value.boolean { return flag }
    return integer(value).flatMap { [0: false, 1: true][$0] }
  }

  private static func number(_ value: JSONValue) -> Double? {
    if let number = value.double { return number }
    switch value.text {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    case let text: return text.flatMap { Double($0) }
    }
  }

  /// The text of a value that is a text or a number.
  private static func scalar(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text
    case .number(let number): number.literal
    case .null, .boolean, .array, .object: nil
    }
  }

  /// Seconds since 2001-01-01T00:00:00Z.
  private static func instant(_ value: JSONValue) -> CellValue? {
    guard let text = value.text else { return nil }
    if let micros = Timestamp.microseconds(text) { return .real(Double(micros) / 1_000_000) }
    return Timestamp.microseconds(text + "Z").map { .real(Double($0) / 1_000_000) }
  }

  private static func uuid(_ value: JSONValue) -> CellValue? {
    guard let text = value.text, UUIDText.isUUID(text.utf8) else { return nil }
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    return Hexadecimal.bytes(digits, .eitherCase).map { .blob($0) }
  }

  private static func blob(base64 text: String) -> CellValue? {
    Base64.bytes(padded: Array(text.utf8)).map { .blob($0) }
  }

  private static func found(_ value: JSONValue) -> CellValue? {
    switch value {
    case .null: return .null
    case .boolean(let flag): return .integer(flag ? 1 : 0)
    case .string(let text): return .text(text)
    case .number(let number):
      return number.int64.map { .integer($0) } ?? number.double.map { .real($0) }
    case .array, .object: return nil
    }
  }
}
