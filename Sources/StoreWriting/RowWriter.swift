import JSONText
import Profiles
import RecordMapping
import Records
import SQLiteStores
import StoreFiles

/// Writes the entries of a write-back into the tables of a store's copy.
struct RowWriter {
  let rows: StoreRows
  private(set) var result = WriteBackApplication.Result()
  private var links: LinkWriter
  /// The objects that were made again, whose version is the first.
  private var new: Set<ObjectRow> = []

  /// A column that is to be set.
  struct Assignment {
    let column: String
    let value: CellValue
  }

  /// Where the records are to which a relationship is to lead.
  private struct LinkChange {
    let name: String
    let targets: [StoreRows.Target]
  }

  /// What an entry sets in its row and in others.
  private struct Change {
    var assignments: [Assignment] = []
    var links: [LinkChange] = []
  }

  init(_ connection: Connection, _ reading: RecordReading) {
    rows = StoreRows(connection, reading)
    links = LinkWriter(rows)
  }

  var connection: Connection { rows.connection }

  /// Writes all entries but those of `left`, which do not read back as they were written.
  mutating func write(
    _ file: WriteBackFile,
    besides left: [RecordID: String]
  ) throws(Connection.Refusal) {
    for (record, reason) in left.sorted(by: { $0.key < $1.key }) { skip(record, reason) }
    let entries = file.entries.filter { left[$0.record] == nil }
    // A link may lead to a row that another entry makes again.
    for entry in entries where entry.status == .restore {
      try settling(entry.record) { writer throws(Connection.Refusal) in try writer.makeAgain(entry)
      }
    }
    for entry in entries {
      if entry.status.setsAttributes {
        try settling(entry.record) { writer throws(Connection.Refusal) in try writer.set(entry) }
      } else if entry.status == .deleted {
        try settling(entry.record) { writer throws(Connection.Refusal) in
          let count = try writer.removeRow(of: entry.record)
          writer.result.removedCount += count
        }
      } else {
        result.keptCount += 1
      }
    }
    // A change whose values could not be written to its row stays in the queue.
    let skipped = Set(result.skipped.map(\.record))
    for operation in file.settledOperations
    where operation.target.map(skipped.contains) != true {
      let count = try removeRow(of: operation.row)
      result.settledOperationCount += count
      result.removedOperations.insert(operation.row)
    }
    try links.countUp(besides: new)
    for object in links.changed {
      if let record = try rows.record(of: object) { result.involved.insert(record) }
    }
  }

  /// Changes the rows of one record, all of them or none.
  private mutating func settling(
    _ record: RecordID,
    _ body: (inout RowWriter) throws(Connection.Refusal) -> Void
  ) throws(Connection.Refusal) {
    let before = self
    try connection.run("SAVEPOINT entry")
    do throws(Connection.Refusal) {
      try body(&self)
    } catch {
      self = before
      try connection.run("ROLLBACK TO entry")
      skip(record, error.reason)
    }
    try connection.run("RELEASE entry")
  }

  /// Notes that rows of an entity of the store were made or removed for the links that they hold.
  mutating func noteLinks(of entity: EntityName) {
    let entities = rows.reading.export.programs.filter { $0.profile.storeName == entity }
    result.linkEntities.formUnion(entities.map(\.entity))
  }

  mutating func skip(_ record: RecordID, _ reason: String) {
    let skipped = WriteBackApplication.Skipped(record: record, reason: reason)
    if !result.skipped.contains(skipped) { result.skipped.append(skipped) }
  }

  // MARK: - Values

  private mutating func set(_ entry: WriteBackFile.Entry) throws(Connection.Refusal) {
    guard let (program, place, row) = rows.address(of: entry.record),
      try rows.holds(place, row)
    else {
      let isNamed = result.skipped.contains { $0.record == entry.record }
      if !entry.attributes.isEmpty, !isNamed { skip(entry.record, "the store has no row of it") }
      return
    }
    let change = try change(entry, program, place, row)
    let object = try rows.object(place, row)
    let isChanged = try set(change.assignments, place, row)
    if isChanged, let object { links.note(object) }
    let isRelinked = try object.map { object throws(Connection.Refusal) in
      try relink(
        object,
        change.links,
        entry.record,
        place,
        isChanged: isChanged || new.contains(object)
      )
    }
    let isJoined = try join(entry, program, place, row)
    let isUpdated = isChanged || isRelinked == true || isJoined
    if isUpdated { result.updatedCount += 1 } else { result.keptCount += 1 }
  }

  /// Sets columns of a row; says whether any had another value.
  private func set(
    _ assignments: [Assignment],
    _ place: EntityPlace,
    _ row: RowAddress
  ) throws(Connection.Refusal) -> Bool {
    guard !assignments.isEmpty else { return false }
    let columns = assignments.map { "\(quoted($0.column)) = ?" }
    let differences = assignments.map { "\(quoted($0.column)) IS NOT ?" }
    let values = assignments.map(\.value)
    let count = try connection.run(
      "UPDATE \(quoted(place.table)) SET \(columns.joined(separator: ", ")) "
        + "WHERE \(row.condition) AND (\(differences.joined(separator: " OR ")))",
      values + row.values + values
    )
    return count > 0
  }

  /// Sets the links of an object, and the other side of each; says whether any of several was another.
  private mutating func relink(
    _ object: ObjectRow,
    _ changes: [LinkChange],
    _ record: RecordID,
    _ place: EntityPlace,
    isChanged: Bool
  ) throws(Connection.Refusal) -> Bool {
    var isRelinked = false
    for change in changes {
      var targets: [ObjectRow] = []
      for target in change.targets {
        if let found = try rows.object(target.place, target.row) { targets.append(found) }
      }
      let inverse: String?
      if let reference = place.references[change.name] {
        inverse = reference.inverse
        try links.settle(object, reference, to: targets.first, isChanged: isChanged)
      } else if let many = place.links[change.name] {
        inverse = many.inverse
        if try links.set(many, of: object, to: targets) { isRelinked = true }
      } else {
        continue
      }
      result.relinked.formUnion([change.name, inverse].compactMap(\.self))
      result.involved.formUnion(change.targets.map(\.record) + [record])
    }
    return isRelinked
  }

  /// What an entry sets; what has no form in the store is noted.
  private mutating func change(
    _ entry: WriteBackFile.Entry,
    _ program: RecordProgram,
    _ place: EntityPlace,
    _ row: RowAddress?
  ) throws(Connection.Refusal) -> Change {
    var change = Change()
    for member in entry.attributes.members {
      if let column = column(of: member.name, program, place) {
        if let value = try cell(member, column, program, place, row) {
          change.assignments.append(Assignment(column: column.name, value: value))
        } else {
          skip(entry.record, "\(member.name) cannot be written to its column")
        }
      } else if let reference = place.references[member.name] {
        guard let targets = try targets([member.value], reference.target, entry, member.name) else {
          continue
        }
        change.assignments += try columns(of: reference, targets.first, place)
        change.links.append(LinkChange(name: member.name, targets: targets))
      } else if let links = place.links[member.name] {
        let values = member.value.array ?? (member.value.isNull ? [] : [member.value])
        guard let targets = try targets(values, links.target, entry, member.name) else { continue }
        change.links.append(LinkChange(name: member.name, targets: targets))
      } else if join(member.name, program) == nil {
        skip(entry.record, "the store has no single column of \(member.name)")
      }
    }
    return change
  }

  private func cell(
    _ member: JSONObject.Member,
    _ column: EntityPlace.Column,
    _ program: RecordProgram,
    _ place: EntityPlace,
    _ row: RowAddress?
  ) throws(Connection.Refusal) -> CellValue? {
    let reading = program.profile.reading(ofAttribute: member.name)
    if let form = EncodedValue.form(of: column, reading) {
      let cell = try encodedCell(member.value, form, column, place, row)
      if cell != nil || member.value["$base64"] == nil { return cell }
    }
    return CellValue(
      member.value,
      for: column,
      isJSON: reading == .json,
      isCoreData: rows.isCoreData
    )
  }

  /// The column of an attribute; that of its one part where it is an enumeration, whose value is the part's.
  private func column(
    of attribute: String,
    _ program: RecordProgram,
    _ place: EntityPlace
  ) -> EntityPlace.Column? {
    if let column = place.columns[attribute] { return column }
    let entity = rows.reading.store.model.entity(named: program.profile.storeName)
    guard
      case .composite(let parts, isEnumeration: true)? = entity?.attributes
        .first(where: { $0.name == attribute })?.kind,
      parts.count == 1, let part = parts.first
    else { return nil }
    return place.columns["\(attribute).\(part.name)"]
  }

  /// The records to which a relationship is to lead, none for null; `nil` where the store lacks one, which is
  /// noted.
  mutating func targets(
    _ values: [JSONValue],
    _ entity: EntityName,
    _ entry: WriteBackFile.Entry,
    _ name: String
  ) throws(Connection.Refusal) -> [StoreRows.Target]? {
    var targets: [StoreRows.Target] = []
    for value in values where !value.isNull {
      guard let key = value.text, let target = try rows.target(key, among: entity) else {
        skip(entry.record, "\(name) leads to no row of the store")
        return nil
      }
      targets.append(target)
    }
    return targets
  }

  /// The columns of a link to one record.
  func columns(
    of reference: EntityPlace.Reference,
    _ target: StoreRows.Target?,
    _ place: EntityPlace
  ) throws(Connection.Refusal) -> [Assignment] {
    let beside =
      rows.isCoreData ? try rows.entityColumn(beside: reference.column, of: place.table) : nil
    guard let target else {
      return [reference.column, beside].compactMap(\.self)
        .map { Assignment(column: $0, value: .null) }
    }
    let key = try connection.rows(
      "SELECT \(quoted(reference.targetColumn)) FROM \(quoted(target.place.table)) "
        + "WHERE \(target.row.condition)",
      target.row.values
    ).first
    guard let key else { return [] }
    let entity = try rows.object(target.place, target.row)?.entity
    let besides = beside.flatMap { beside in
      entity.map { Assignment(column: beside, value: .integer($0)) }
    }
    return [Assignment(column: reference.column, value: key)] + [besides].compactMap(\.self)
  }

  // MARK: - Rows

  /// Makes a row that is gone, with its key and what the entry says of its columns.
  private mutating func makeAgain(
    _ entry: WriteBackFile.Entry
  ) throws(Connection.Refusal) {
    guard let (program, place, row) = rows.address(of: entry.record) else {
      return skip(entry.record, "a row with that key cannot be made")
    }
    guard try !rows.holds(place, row) else { return }
    // What the table does not let be empty comes with the row.
    let values = try change(entry, program, place, nil).assignments
    let columns = try RowMaker(rows).columns(of: entry.record, program, place, values: values)
    guard let columns else {
      return skip(entry.record, "a row with that key cannot be made")
    }
    try connection.run(
      "INSERT INTO \(quoted(place.table)) "
        + "(\(columns.map { quoted($0.column) }.joined(separator: ", "))) "
        + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))",
      columns.map(\.value)
    )
    if let object = try rows.object(place, row) { new.insert(object) }
    result.restoredCount += 1
  }

  /// Removes a row, and in a Core Data store the links to it and from it; gives how many rows went.
  private mutating func removeRow(of record: RecordID) throws(Connection.Refusal) -> Int {
    guard let (program, place, row) = rows.address(of: record) else { return 0 }
    if let object = try rows.object(place, row) {
      try links.removeAll(of: object, program.profile.storeName)
    }
    return try connection.run(
      "DELETE FROM \(quoted(place.table)) WHERE \(row.condition)",
      row.values
    )
  }
}
