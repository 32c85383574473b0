import JSONText
import Profiles
import PropertyLists
import SQLiteStores

/// The bytes of values that a column holds as a keyed archive or a property list.
enum EncodedValue {
  /// How a column holds its values; `nil` where it holds them as they are.
  static func form(
    of column: EntityPlace.Column,
    _ reading: FieldProfile.Reading
  ) -> FieldProfile.Reading? {
    switch reading {
    case .archive, .plist: reading
    case .plain, .json, .uuid, .milliseconds: column.isArchive && reading != .json ? .archive : nil
    }
  }

  /// The bytes of a value; `nil` where they would not read back as it.
  ///
  /// `example` is what the column holds now, or what another row has in it.
  static func bytes(
    of value: JSONValue,
    _ form: FieldProfile.Reading,
    like example: [UInt8]?
  ) -> [UInt8]? {
    if form == .plist { return PropertyList(json: value)?.binary }
    guard let example else { return KeyedArchive.bytes(archiving: value, like: nil) }
    do throws(PropertyListError) {
      return try KeyedArchive.bytes(archiving: value, like: KeyedArchive(bytes: example))
    } catch {
      return nil
    }
  }
}

extension RowWriter {
  /// The cell of an encoded value, in the form of the column's other values.
  func encodedCell(
    _ value: JSONValue,
    _ form: FieldProfile.Reading,
    _ column: EntityPlace.Column,
    _ place: EntityPlace,
    _ row: RowAddress?
  ) throws(Connection.Refusal) -> CellValue? {
    if value.isNull { return .null }
    let example = try example(column, place, row)
    guard let bytes = EncodedValue.bytes(of: value, form, like: example) else { return nil }
    return .blob(column.mayBeExternal ? [1] + bytes : bytes)
  }

  /// The bytes that the row has in a column, or that any other row has in it.
  private func example(
    _ column: EntityPlace.Column,
    _ place: EntityPlace,
    _ row: RowAddress?
  ) throws(Connection.Refusal) -> [UInt8]? {
    let name = quoted(column.name)
    let table = quoted(place.table)
    if let row {
      let found = try rows.connection.rows(
        "SELECT \(name) FROM \(table) WHERE \(row.condition) AND \(name) IS NOT NULL",
        row.values
      ).first
      if let found { return Self.plainBytes(found, column) }
    }
    let entity = place.entityNumber.map { " AND Z_ENT = \($0)" } ?? ""
    return try rows.connection.rows(
      "SELECT \(name) FROM \(table) WHERE \(name) IS NOT NULL\(entity) LIMIT 1"
    ).first.map { Self.plainBytes($0, column) }
  }

  /// A value's bytes without Core Data's mark; none for a value that lies in a file of its own.
  private static func plainBytes(_ cell: CellValue, _ column: EntityPlace.Column) -> [UInt8] {
    guard case .blob(let bytes) = cell else { return [] }
    guard column.mayBeExternal else { return bytes }
    return bytes.first == 1 ? Array(bytes.dropFirst()) : []
  }
}
