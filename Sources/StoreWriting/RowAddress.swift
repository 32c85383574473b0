import Records
import StoreReading
import TextCodecs

/// What states one row of a table: conditions on its columns, and the values for them.
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

  /// The key of a row in its address (`sqlite:table/12`).
  ///
  /// A key of several parts is not read.
  private static func address(
    _ text: String,
    _ place: EntityPlace
  ) -> (conditions: [String], values: [CellValue])? {
    guard place.keyColumns.count == 1, text.hasPrefix("sqlite:"),
      let slash = text.lastIndex(of: "/"),
      let part = PercentCoding.strictlyDecoded(text[text.index(after: slash)...])
    else { return nil }
    let name = quoted(place.keyColumns[0])
    if let number = Int64(part) { return (["\(name) = ?"], [.integer(number)]) }
    if part.hasPrefix("'"), part.hasSuffix("'"), part.count > 1 {
      return (["\(name) = ?"], [.text(String(part.dropFirst().dropLast()))])
    }
    return (["\(name) = ?"], [.text(part)])
  }
}

/// A name as a statement has it.
func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
