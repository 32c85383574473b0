import JSONText
import Profiles
import RecordMapping
import Records
import StoreFiles
import StoreReading

/// Writes the entries of a write-back into the tables of a store's copy.
struct RowWriter {
  let connection: Connection
  let reading: RecordReading
  private var places: [EntityName: EntityPlace] = [:]
  private(set) var result = WriteBackApplication.Result()

  /// An attribute or relationship that is to be set.
  struct Assignment {
    let column: String
    let value: CellValue
  }

  init(_ connection: Connection, _ reading: RecordReading) {
    self.connection = connection
    self.reading = reading
    for program in reading.export.programs {
      places[program.entity] = EntityPlace(program.profile.storeName, in: reading.store)
    }
  }

  private var isCoreData: Bool {
    switch reading.store.identity.kind {
    case .swiftData, .coreData: true
    case .coreDataXML, .sqlite, .preferences, .realm, .couchbaseLite, .files, .container: false
    }
  }

  mutating func write(_ file: WriteBackFile) throws(Connection.Refusal) {
    // A link may lead to a row that another entry makes again.
    for entry in file.entries where entry.status == .restore { try makeAgain(entry) }
    for entry in file.entries {
      if entry.status.setsAttributes {
        try set(entry)
      } else if entry.status == .deleted {
        try remove(entry.record)
      } else {
        result.keptCount += 1
      }
    }
    // A change whose values could not be written to its row stays in the queue.
    let skipped = Set(result.skipped.map(\.record))
    for operation in file.settledOperations
    where operation.target.map(skipped.contains) != true {
      result.settledOperationCount += try removeRow(of: operation.row)
      result.removedOperations.insert(operation.row)
    }
  }

  /// Notes that rows of an entity of the store were made or removed for the links that they hold.
  mutating func noteLinks(of entity: EntityName) {
    let entities = reading.export.programs.filter { $0.profile.storeName == entity }
    result.linkEntities.formUnion(entities.map(\.entity))
  }

  mutating func skip(_ record: RecordID, _ reason: String) {
    let skipped = WriteBackApplication.Skipped(record: record, reason: reason)
    if !result.skipped.contains(skipped) { result.skipped.append(skipped) }
  }

  /// Where a record lies; `nil` where the store has no table of its entity or no row can have its key.
  private func address(
    of record: RecordID
  ) -> (program: RecordProgram, place: EntityPlace, row: RowAddress)? {
    guard let program = reading.export.program(for: record.entity),
      let place = places[record.entity],
      let row = RowAddress(record.key, program.profile.identity, place)
    else { return nil }
    return (program, place, row)
  }

  private func isThere(
    _ place: EntityPlace,
    _ row: RowAddress
  ) throws(Connection.Refusal) -> Bool {
    try !connection.rows(
      "SELECT 1 FROM \(quoted(place.table)) WHERE \(row.condition)",
      row.values
    ).isEmpty
  }

  // MARK: - Values

  private mutating func set(_ entry: WriteBackFile.Entry) throws(Connection.Refusal) {
    guard let (program, place, row) = address(of: entry.record), try isThere(place, row) else {
      if !entry.attributes.isEmpty { skip(entry.record, "the store has no row of it") }
      return
    }
    let assignments = try assignments(entry, program, place)
    let isLinked = try setLinks(entry, program, place, row)
    guard !assignments.isEmpty else {
      if isLinked { result.updatedCount += 1 } else { result.keptCount += 1 }
      return
    }
    let columns = assignments.map { "\(quoted($0.column)) = ?" }
    let differences = assignments.map { "\(quoted($0.column)) IS NOT ?" }
    let counter = isCoreData ? ["\(quoted("Z_OPT")) = \(quoted("Z_OPT")) + 1"] : []
    let values = assignments.map(\.value)
    let count = try connection.run(
      "UPDATE \(quoted(place.table)) SET \((columns + counter).joined(separator: ", ")) "
        + "WHERE \(row.condition) AND (\(differences.joined(separator: " OR ")))",
      values + row.values + values
    )
    if count > 0 || isLinked { result.updatedCount += 1 } else { result.keptCount += 1 }
  }

  /// The columns that an entry sets; what has no form in the store is noted.
  private mutating func assignments(
    _ entry: WriteBackFile.Entry,
    _ program: RecordProgram,
    _ place: EntityPlace
  ) throws(Connection.Refusal) -> [Assignment] {
    var assignments: [Assignment] = []
    for member in entry.attributes.members {
      if let column = column(of: member.name, program, place) {
        let isJSON = program.profile.reading(ofAttribute: member.name) == .json
        let value = CellValue(
          member.value,
          for: column,
          isJSON: isJSON,
          isCoreData: isCoreData
        )
        if let value {
          assignments.append(Assignment(column: column.name, value: value))
        } else {
          skip(entry.record, "\(member.name) cannot be written to its column")
        }
      } else if let reference = place.references[member.name] {
        let link = try link(member.value, reference, place)
        if link.isEmpty { skip(entry.record, "\(member.name) leads to no row of the store") }
        assignments += link
      } else if join(member.name, program) == nil {
        skip(entry.record, "the store has no single column of \(member.name)")
      }
    }
    return assignments
  }

  /// The column of an attribute; that of its one part where it is an enumeration, whose value is the part's.
  private func column(
    of attribute: String,
    _ program: RecordProgram,
    _ place: EntityPlace
  ) -> EntityPlace.Column? {
    if let column = place.columns[attribute] { return column }
    let entity = reading.store.model.entity(named: program.profile.storeName)
    guard
      case .composite(let parts, isEnumeration: true)? = entity?.attributes
        .first(where: { $0.name == attribute })?.kind,
      parts.count == 1, let part = parts.first
    else { return nil }
    return place.columns["\(attribute).\(part.name)"]
  }

  /// The columns of a link to another record; empty where the store has no row of that.
  func link(
    _ value: JSONValue,
    _ reference: EntityPlace.Reference,
    _ place: EntityPlace
  ) throws(Connection.Refusal) -> [Assignment] {
    let own = Assignment(column: reference.column, value: .null)
    let targets = reading.store.model.tree(of: reference.target)
    guard let key = value.text else { return value.isNull ? [own] : [] }
    for program in reading.export.programs where targets.contains(program.profile.storeName) {
      guard let target = places[program.entity],
        let row = RowAddress(key, program.profile.identity, target),
        let found = try connection.rows(
          "SELECT \(quoted(reference.targetColumn)) FROM \(quoted(target.table)) "
            + "WHERE \(row.condition)",
          row.values
        ).first
      else { continue }
      return [Assignment(column: reference.column, value: found)]
        + (try entityColumn(reference, target, of: place))
    }
    return []
  }

  /// Core Data writes the entity of a link's target beside it where several entities can be one.
  private func entityColumn(
    _ reference: EntityPlace.Reference,
    _ target: EntityPlace,
    of place: EntityPlace
  ) throws(Connection.Refusal) -> [Assignment] {
    guard let number = target.entityNumber else { return [] }
    let names = try connection.rows(
      "SELECT name FROM pragma_table_info(?)",
      [.text(place.table)]
    )
    let ending = "_" + reference.column.dropFirst()
    for case .text(let name) in names {
      let digits = name.dropFirst().prefix { $0.isNumber }
      guard name.hasPrefix("Z"), !digits.isEmpty,
        name.dropFirst(1 + digits.count) == ending
      else { continue }
      return [Assignment(column: name, value: .integer(Int64(number)))]
    }
    return []
  }

  // MARK: - Rows

  /// Makes a row that is gone, with nothing but its key in it.
  private mutating func makeAgain(
    _ entry: WriteBackFile.Entry
  ) throws(Connection.Refusal) {
    guard let (program, place, row) = address(of: entry.record) else { return }
    guard try !isThere(place, row) else { return }
    var assignments = try ownColumns(entry.record, program, place)
    if case .attribute(let name) = program.profile.identity, let column = place.columns[name] {
      let key = JSONValue.string(entry.record.key)
      guard let value = CellValue(key, for: column, isJSON: false, isCoreData: isCoreData) else {
        return skip(entry.record, "its key cannot be written to its column")
      }
      assignments.append(Assignment(column: column.name, value: value))
    }
    guard !assignments.isEmpty else {
      return skip(entry.record, "a row with that key cannot be made")
    }
    // What the table does not let be empty comes with the row.
    let given = try self.assignments(entry, program, place)
    assignments += given.filter { one in !assignments.contains { $0.column == one.column } }
    try connection.run(
      "INSERT INTO \(quoted(place.table)) "
        + "(\(assignments.map { quoted($0.column) }.joined(separator: ", "))) "
        + "VALUES (\(assignments.map { _ in "?" }.joined(separator: ", ")))",
      assignments.map(\.value)
    )
    result.restoredCount += 1
  }

  /// Core Data's own columns of a new row, and what its model says that an object begins with.
  private func ownColumns(
    _ record: RecordID,
    _ program: RecordProgram,
    _ place: EntityPlace
  ) throws(Connection.Refusal) -> [Assignment] {
    guard let number = place.entityNumber else { return [] }
    var key = RowAddress.objectKey(record.key)
    if key == nil { key = try nextKey(of: program.profile.storeName) }
    return [
      Assignment(column: "Z_PK", value: key.map { .integer($0) } ?? .null),
      Assignment(column: "Z_ENT", value: .integer(Int64(number))),
      Assignment(column: "Z_OPT", value: .integer(1)),
    ] + initialValues(of: program.profile.storeName, place)
  }

  private func initialValues(of entity: EntityName, _ place: EntityPlace) -> [Assignment] {
    let attributes = reading.store.model.entity(named: entity)?.attributes ?? []
    return attributes.compactMap { attribute in
      guard !attribute.isOptional, let column = place.columns[attribute.name] else { return nil }
      let text = attribute.defaultValue
      switch attribute.kind {
      case .integer16, .integer32, .integer64, .boolean:
        let value = text.flatMap { Int64($0) } ?? (text == "true" ? 1 : 0)
        return Assignment(column: column.name, value: .integer(value))
      case .double, .float:
        return Assignment(column: column.name, value: .real(text.flatMap { Double($0) } ?? 0))
      case .string:
        return Assignment(column: column.name, value: .text(text ?? ""))
      case .decimal, .date, .binary, .uuid, .uri, .transformable, .objectID, .composite,
        .undeclared:
        return nil
      }
    }
  }

  /// The next key of an inheritance tree, which `Z_PRIMARYKEY` counts at its root.
  func nextKey(of entity: EntityName) throws(Connection.Refusal) -> Int64 {
    var root = entity
    while let above = reading.store.model.entity(named: root)?.superentity { root = above }
    let number = Int64(reading.store.model.entity(named: root)?.number ?? 0)
    try connection.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = ?",
      [.integer(number)]
    )
    let found = try connection.rows(
      "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
      [.integer(number)]
    ).first
    guard case .integer(let key)? = found else {
      throw Connection.Refusal(reason: "Z_PRIMARYKEY has no entity \(root)")
    }
    return key
  }

  private mutating func remove(_ record: RecordID) throws(Connection.Refusal) {
    result.removedCount += try removeRow(of: record)
  }

  /// Removes a row, and in a Core Data store the links to it; gives how many rows went.
  private func removeRow(of record: RecordID) throws(Connection.Refusal) -> Int {
    guard let (program, place, row) = address(of: record) else { return 0 }
    if isCoreData { try unlink(program.profile.storeName, place, row) }
    return try connection.run(
      "DELETE FROM \(quoted(place.table)) WHERE \(row.condition)",
      row.values
    )
  }

  private func unlink(
    _ entity: EntityName,
    _ place: EntityPlace,
    _ row: RowAddress
  ) throws(Connection.Refusal) {
    for other in places.values {
      for reference in other.references.values
      where reading.store.model.tree(of: reference.target).contains(entity) {
        let column = quoted(reference.column)
        try connection.run(
          "UPDATE \(quoted(other.table)) SET \(column) = NULL WHERE \(column) IN "
            + "(SELECT Z_PK FROM \(quoted(place.table)) WHERE \(row.condition))",
          row.values
        )
      }
    }
  }
}
