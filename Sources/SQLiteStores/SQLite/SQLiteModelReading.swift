import Files
import ManagedObjectModels
import Records
import StoreFiles
import TextCodecs

/// The model of a plain SQLite database, from its declarations and values.
struct SQLiteModelReading {
  let model: StoreModel
  let layouts: [EntityName: SQLiteLayout]
  let otherTables: [String]
  /// The SHA-256 of the schema's text, in hexadecimal.
  let schemaDigest: String
  let findings: [Finding]

  init(_ database: Database) throws(StoreError) {
    var findings: [Finding] = []
    let schema = try StoreSchema(database)
    let yap = try YapCollections(schema, in: database)
    let android = try AndroidTables(schema, in: database)
    let shadows = Set(schema.virtualTables.flatMap(\.shadowNames))
      .intersection(schema.tables.keys).union(android.names).union(yap?.otherTables ?? [])
    var tables: [EntityName: SQLiteTable] = [:]
    var conditions: [EntityName: String] = [:]
    for collection in yap?.all ?? [] {
      let name = collection.name.isEmpty ? YapCollections.table : collection.name
      guard let entity = PlainEntityName.of(name, isTaken: { tables[$0] != nil }, &findings) else {
        continue
      }
      tables[entity] = try SQLiteTable(YapCollections.table, in: database)
      conditions[entity] = collection.condition
    }
    for name in schema.tableNames.sorted(by: precedes)
    where !shadows.contains(name) && (yap == nil || name != YapCollections.table) {
      guard let entity = PlainEntityName.of(name, isTaken: { tables[$0] != nil }, &findings) else {
        continue
      }
      tables[entity] = try SQLiteTable(name, in: database)
    }
    var layouts: [EntityName: SQLiteLayout] = [:]
    var entities: [StoreEntity] = []
    for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
      let references = try Self.references(of: table, name, among: tables, in: database, &findings)
      let attributes = try Self.attributes(of: table, name, in: database, &findings)
      let condition = conditions[name]
      layouts[name] = SQLiteLayout(table, references: references.byName, condition: condition)
      if let yap, condition != nil {
        entities.append(yap.entity(name, attributes))
        continue
      }
      entities.append(
        StoreEntity(
          name: name,
          attributes: attributes,
          relationships: references.relationships,
          uniqueKeys: table.uniqueKeys.map { $0.map(table.attributeName(of:)) },
          // Of a rowid no promise is kept. https://sqlite.org/rowidtable.html
          keysMayChange: table.primaryKey.isEmpty
        )
      )
    }
    model = StoreModel(
      origin: .store,
      entities: entities,
      versionIdentifiers: [android.identityHash].compactMap(\.self)
    )
    self.layouts = layouts
    otherTables = (schema.otherNames + shadows).sorted(by: precedes)
    findings += try Self.unreadTables(among: schema.virtualTables, of: schema, in: database)
    schemaDigest = try Self.schemaDigest(database)
    self.findings = findings
  }

  private static func attributes(
    of table: SQLiteTable,
    _ entity: EntityName,
    in database: Database,
    _ findings: inout [Finding]
  ) throws(StoreError) -> [StoreAttribute] {
    let stored = table.storedColumns
    let classes = try SQLiteColumnKind.classes(of: stored, in: table, database)
    let kinds = zip(stored, classes).map { column, classes in
      (
        table.attributeName(of: column.name),
        SQLiteColumnKind(declaredType: column.declaredType, classes: classes)
      )
    }
    let mixed = kinds.filter(\.1.isMixed).map(\.0)
    if !mixed.isEmpty { findings.append(mixedValues(mixed, entity)) }
    let byName = Dictionary(kinds, uniquingKeysWith: { first, _ in first })
    return table.columns.map { column in
      let name = table.attributeName(of: column.name)
      if !name.utf8.elementsEqual(column.name.utf8) {
        findings.append(.renamed("column", column.name, to: name, in: entity))
      }
      return StoreAttribute(
        name: name,
        kind: byName[name]?.kind ?? .undeclared(sqlType: column.declaredType),
        isOptional: !column.isNotNull && !(column.keyPlace > 0 && !table.hasRowID),
        isTransient: column.isComputed,
        isDerived: column.isComputed || column.isStoredResult
      )
    }
  }

  private static func references(
    of table: SQLiteTable,
    _ entity: EntityName,
    among tables: [EntityName: SQLiteTable],
    in database: Database,
    _ findings: inout [Finding]
  ) throws(StoreError) -> (
    byName: [String: SQLiteLayout.Reference], relationships: [StoreRelationship]
  ) {
    var byName: [String: SQLiteLayout.Reference] = [:]
    var relationships: [StoreRelationship] = []
    for columns in table.compositeForeignKeys {
      findings.append(unread(columns, of: entity, reason: "it has several columns"))
    }
    for key in table.foreignKeys {
      guard
        let parent = Self.parent(named: key.parent, among: tables),
        let target = key.parentColumn ?? onlyKey(of: parent.value),
        let column = table.declaredColumn(key.column), !column.isComputed,
        parent.value.declaredColumn(target) != nil || target == parent.value.rowIDName
      else {
        findings.append(
          unread([key.column], of: entity, reason: "\(key.parent) has no such column or key")
        )
        continue
      }
      let name = relationshipName(key.column, taken: table.columns.map(\.name) + byName.keys)
      let collation = try Self.collation(
        of: key.column,
        of: entity,
        to: target,
        in: parent.value,
        database,
        &findings
      )
      byName[name] = SQLiteLayout.Reference(
        column: column.name,
        parent: parent.key,
        parentColumn: target,
        collation: collation
      )
      relationships.append(
        StoreRelationship(
          name: name,
          destination: parent.key,
          isOptional: !column.isNotNull,
          deleteRule: deleteRule(key.deleteAction),
          column: column.name
        )
      )
    }
    return (byName, relationships.sorted { precedes($0.name, $1.name) })
  }

  private static func parent(
    named name: String,
    among tables: [EntityName: SQLiteTable]
  ) -> (key: EntityName, value: SQLiteTable)? {
    tables.first { $0.value.name.utf8.elementsEqual(name.utf8) }
      ?? tables.first { isSameName($0.value.name, name) }
  }

  private static func onlyKey(of table: SQLiteTable) -> String? {
    table.primaryKey.count == 1 ? table.primaryKey[0] : nil
  }

  private static func relationshipName(_ column: String, taken: [String]) -> String {
    let taken = Set(taken.map { $0.lowercased() })
    for end in ["_id", "_ID", "Id", "ID"] where column.hasSuffix(end) && column.count > end.count {
      let name = String(column.dropLast(end.count))
      if !taken.contains(name.lowercased()) { return name }
    }
    var name = column + "_ref"
    while taken.contains(name.lowercased()) { name += "_" }
    return name
  }

  private static func deleteRule(_ action: String) -> StoreRelationship.DeleteRule {
    switch action.uppercased() {
    case "CASCADE": .cascade
    case "SET NULL", "SET DEFAULT": .nullify
    case "RESTRICT": .deny
    default: .noAction
    }
  }

  private static func schemaDigest(_ database: Database) throws(StoreError) -> String {
    let rows = try database.statement(
      "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name",
      purpose: "read the schema"
    )
    var text: [UInt8] = []
    while try rows.step() {
      for column in 0..<3 as Range<Int32> {
        text += Array((rows.string(column) ?? "").utf8)
        text.append(0)
      }
    }
    return Digest(bytes: ByteDigest.sha256(of: text)).map { "\($0)" } ?? ""
  }

  private static func mixedValues(_ columns: [String], _ entity: EntityName) -> Finding {
    Finding(
      code: "store.column-mixed",
      severity: .note,
      entity: entity,
      cause: "the values of \(columns.joined(separator: ", ")) are of several classes",
      cure: "no action is needed: each value is kept as what it is"
    )
  }

  private static func unread(
    _ columns: [String],
    of entity: EntityName,
    reason: String
  ) -> Finding {
    Finding(
      code: "store.foreign-key",
      severity: .note,
      entity: entity,
      cause:
        "the foreign key over \(columns.joined(separator: ", ")) is not a relationship: \(reason)",
      cure: "nothing is lost: the columns are attributes"
    )
  }
}
