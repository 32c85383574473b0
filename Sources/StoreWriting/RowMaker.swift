import JSONText
import Profiles
import RecordMapping
import Records
import SQLiteStores
import StoreFiles

/// The columns that a new row begins with.
struct RowMaker {
  private let rows: StoreRows

  init(_ rows: StoreRows) { self.rows = rows }

  /// The columns of a row with these values: its key, and in a Core Data store Core Data's own and what the
  /// model says that an object begins with.
  ///
  /// - Returns: The columns, or `nil` where no row with that key can be made.
  func columns(
    of record: RecordID,
    _ program: RecordProgram,
    _ place: EntityPlace,
    values: [RowWriter.Assignment]
  ) throws(Connection.Refusal) -> [RowWriter.Assignment]? {
    let key: [RowWriter.Assignment]
    switch program.profile.identity {
    case .attribute(let name):
      guard let column = place.columns[name],
        let value = CellValue(
          .string(record.key),
          for: column,
          isJSON: false,
          isCoreData: rows.isCoreData
        )
      else { return nil }
      key = [RowWriter.Assignment(column: column.name, value: value)]
    case .objectURI where place.entityNumber != nil: key = []
    case .objectURI:
      guard let parts = RowAddress.keyParts(record.key), parts.count == place.keyColumns.count
      else { return nil }
      key = zip(place.keyColumns, parts).map { RowWriter.Assignment(column: $0, value: $1) }
    }
    var columns = key
    for one in values + (try ownColumns(record, program, place))
    where !columns.contains(where: { $0.column == one.column }) {
      columns.append(one)
    }
    return columns
  }

  private func ownColumns(
    _ record: RecordID,
    _ program: RecordProgram,
    _ place: EntityPlace
  ) throws(Connection.Refusal) -> [RowWriter.Assignment] {
    guard let number = place.entityNumber else { return [] }
    var key = program.profile.identity == .objectURI ? RowAddress.objectKey(record.key) : nil
    if key == nil { key = try nextKey(of: program.profile.storeName, place.table) }
    return [
      RowWriter.Assignment(column: "Z_PK", value: key.map { .integer($0) } ?? .null),
      RowWriter.Assignment(column: "Z_ENT", value: .integer(Int64(number))),
      RowWriter.Assignment(column: "Z_OPT", value: .integer(1)),
    ] + initialValues(of: program.profile.storeName, place)
  }

  private func initialValues(
    of entity: EntityName,
    _ place: EntityPlace
  ) -> [RowWriter.Assignment] {
    let attributes = rows.reading.store.model.entity(named: entity)?.attributes ?? []
    return attributes.compactMap { attribute in
      guard !attribute.isOptional, let column = place.columns[attribute.name] else { return nil }
      let text = attribute.defaultValue
      switch attribute.kind {
      case .integer16, .integer32, .integer64, .boolean:
        let value = text.flatMap { Int64($0) } ?? (text == "true" ? 1 : 0)
        return RowWriter.Assignment(column: column.name, value: .integer(value))
      case .double, .float:
        let value = text.flatMap { Double($0) } ?? 0
        return RowWriter.Assignment(column: column.name, value: .real(value))
      case .string: return RowWriter.Assignment(column: column.name, value: .text(text ?? ""))
      case .decimal, .date, .binary, .uuid, .uri, .transformable, .objectID, .composite,
        .undeclared:
        return nil
      }
    }
  }

  /// The next key of an inheritance tree, which `Z_PRIMARYKEY` counts at its root.
  ///
  /// The count may be less than the keys that the table has.
  func nextKey(
    of entity: EntityName,
    _ table: String
  ) throws(Connection.Refusal) -> Int64 {
    let model = rows.reading.store.model
    var root = entity
    while let above = model.entity(named: root)?.superentity { root = above }
    let number = CellValue.integer(Int64(model.entity(named: root)?.number ?? 0))
    try rows.connection.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 + max(Z_MAX, (SELECT coalesce(max(Z_PK), 0) "
        + "FROM \(quoted(table)))) WHERE Z_ENT = ?",
      [number]
    )
    let found = try rows.connection.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [number])
    guard case .integer(let key)? = found.first else {
      throw Connection.Refusal(reason: "Z_PRIMARYKEY has no entity \(root)")
    }
    return key
  }
}
