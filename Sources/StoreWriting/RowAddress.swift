import Records
import SQLiteStores
import TextCodecs

/// What identifies one row of a table: conditions on its columns, and the values for them.
struct RowAddress {
  let condition: String
  let values: [CellValue]

  /// The row of a record by the record's key.
  ///
  /// - Returns: The address, or `nil` for a key that no row of the table has.
  init?(_ key: String, _ identity: IdentityRule, _ place: EntityPlace) {
    let found: (conditions: [String], values: [CellValue])?
    switch identity {
    case .attribute(let name):
      found = place.columns[name].flatMap { Self.condition(key, $0) }
    case .objectURI where place.entityNumber != nil:
      found = Self.objectKey(key).map { (["\(quoted("Z_PK")) = ?"], [.integer($0)]) }
    case .objectURI: found = Self.address(key, place)
    }
    guard let found else { return nil }
    let entity = place.entityNumber.map { ["\(quoted("Z_ENT")) = \($0)"] } ?? []
    condition = (found.conditions + entity).joined(separator: " AND ")
    values = found.values
  }

  private static func condition(
    _ key: String,
    _ column: EntityPlace.Column
  ) -> (conditions: [String], values: [CellValue])? {
    let name = quoted(column.name)
    switch column.kind {
    case .uuid:
      let digits = key.utf8.filter { $0 != UInt8(ascii: "-") }
      let bytes = Hexadecimal.bytes(digits, .eitherCase)
      return (["\(name) IN (?, ?)"], [bytes.map { .blob($0) } ?? .null, .text(key)])
    case .integer16, .integer32, .integer64:
      return Int64(key).map { (["\(name) = ?"], [.integer($0)]) }
    case .string, .uri, .undeclared:
      let number: CellValue = Int64(key).map { .integer($0) } ?? .null
      return (["\(name) IN (?, ?)"], [.text(key), number])
    case .decimal, .double, .float, .boolean, .date, .binary, .transformable, .objectID,
      .composite:
      return nil
    }
  }

  /// The key of an object in its address: `x-coredata://UUID/Entity/p12`.
  static func objectKey(_ address: String) -> Int64? {
    guard address.hasPrefix("x-coredata:"), let last = address.split(separator: "/").last,
      last.first == "p"
    else { return nil }
    return Int64(last.dropFirst())
  }

  /// The key of a row in its address: `sqlite:table/12`, its parts separated by commas.
  private static func address(
    _ text: String,
    _ place: EntityPlace
  ) -> (conditions: [String], values: [CellValue])? {
    let values = keyParts(text)
    guard let values, values.count == place.keyColumns.count else { return nil }
    return (place.keyColumns.map { "\(quoted($0)) IS ?" }, values)
  }

  /// The parts of the key in a row's address; `nil` where it is no such address.
  static func keyParts(_ text: String) -> [CellValue]? {
    guard text.hasPrefix("sqlite:"), let slash = text.lastIndex(of: "/") else { return nil }
    let parts = text[text.index(after: slash)...].split(
      separator: ",",
      omittingEmptySubsequences: false
    )
    let values = parts.compactMap(keyPart)
    return values.count == parts.count ? values : nil
  }

  /// One part: a number, `null`, bytes as `x'4142'`, or a text, in quotes where it reads like one of these.
  private static func keyPart(_ encoded: Substring) -> CellValue? {
    guard let text = PercentCoding.strictlyDecoded(encoded) else { return nil }
    if let number = Int64(text) { return .integer(number) }
    if text == "null" { return .null }
    if text.hasPrefix("x'") {
      return Hexadecimal.bytes(text.utf8.dropFirst(2).dropLast(), .eitherCase).map { .blob($0) }
    }
    if text.hasPrefix("'"), text.count > 1 { return .text(String(text.dropFirst().dropLast())) }
    return Double(text).map { .real($0) } ?? .text(text)
  }
}
