import Profiles
import RecordMapping
import Records
import SQLiteStores
import StoreFiles

/// A row of a Core Data store: its table, its key, and the number of its entity.
struct ObjectRow: Hashable {
  let table: String
  let key: Int64
  let entity: Int64
}

/// Finds rows of the copy by the records that they are.
struct StoreRows {
  let connection: Connection
  let reading: RecordReading
  /// Where the entities of the store's model lie.
  private let places: [EntityName: EntityPlace]

  init(_ connection: Connection, _ reading: RecordReading) {
    self.connection = connection
    self.reading = reading
    var places: [EntityName: EntityPlace] = [:]
    for entity in reading.store.model.entities {
      places[entity.name] = EntityPlace(entity.name, in: reading.store)
    }
    self.places = places
  }

  var isCoreData: Bool { reading.store.identity.kind.tables == .ofCoreData }

  /// Where an entity of the store lies; `nil` where the store has no table of it.
  func place(of entity: EntityName) -> EntityPlace? { places[entity] }

  var allPlaces: some Collection<EntityPlace> { places.values }

  /// Where a record lies; `nil` where the store has no table of its entity or no row can have its key.
  func address(
    of record: RecordID
  ) -> (program: RecordProgram, place: EntityPlace, row: RowAddress)? {
    guard let program = reading.export.program(for: record.entity),
      let place = places[program.profile.storeName],
      let row = RowAddress(record.key, program.profile.identity, place)
    else { return nil }
    return (program, place, row)
  }

  func holds(_ place: EntityPlace, _ row: RowAddress) throws(Connection.Refusal) -> Bool {
    try !connection.rows(
      "SELECT 1 FROM \(quoted(place.table)) WHERE \(row.condition)",
      row.values
    ).isEmpty
  }

  /// The object of a row; `nil` where there is none, and in a plain database.
  func object(
    _ place: EntityPlace,
    _ row: RowAddress
  ) throws(Connection.Refusal) -> ObjectRow? {
    guard place.entityNumber != nil else { return nil }
    let found = try connection.table(
      "SELECT Z_PK, Z_ENT FROM \(quoted(place.table)) WHERE \(row.condition)",
      row.values
    ).first
    guard let found, case .integer(let key) = found[0], case .integer(let entity) = found[1] else {
      return nil
    }
    return ObjectRow(table: place.table, key: key, entity: entity)
  }

  /// The record that an object is; `nil` for one that an export does not have.
  func record(of object: ObjectRow) throws(Connection.Refusal) -> RecordID? {
    for program in reading.export.programs {
      guard let place = places[program.profile.storeName], place.table == object.table,
        place.entityNumber.map({ Int64($0) }) == object.entity
      else { continue }
      let store = reading.store.identity.uuid
      var key: String? = "x-coredata://\(store)/\(program.profile.storeName)/p\(object.key)"
      if case .attribute(let name) = program.profile.identity {
        guard let column = place.columns[name] else { return nil }
        key = try connection.rows(
          "SELECT \(quoted(column.name)) FROM \(quoted(object.table)) WHERE Z_PK = ?",
          [.integer(object.key)]
        ).first?.keyText
      }
      return key.map { RecordID(entity: program.entity, key: $0) }
    }
    return nil
  }

  /// A record to which a relationship can lead.
  struct Target {
    let record: RecordID
    let place: EntityPlace
    let row: RowAddress
  }

  /// The record with a key among the entities to which a relationship leads; `nil` where there is none.
  func target(
    _ key: String,
    among entity: EntityName
  ) throws(Connection.Refusal) -> Target? {
    let tree = reading.store.model.tree(of: entity)
    for program in reading.export.programs where tree.contains(program.profile.storeName) {
      guard let place = places[program.profile.storeName],
        let row = RowAddress(key, program.profile.identity, place),
        try holds(place, row)
      else { continue }
      return Target(record: RecordID(entity: program.entity, key: key), place: place, row: row)
    }
    return nil
  }

  /// The column beside a link in which Core Data writes the entity of its target, where several can be it.
  func entityColumn(
    beside column: String,
    of table: String
  ) throws(Connection.Refusal) -> String? {
    let ending = "_" + column.dropFirst()
    for case .text(let name) in try connection.rows(
      "SELECT name FROM pragma_table_info(?)",
      [.text(table)]
    ) {
      let digits = name.dropFirst().prefix { $0.isNumber }
      guard name.hasPrefix("Z"), !digits.isEmpty, name.dropFirst(1 + digits.count) == ending
      else { continue }
      return name
    }
    return nil
  }
}
