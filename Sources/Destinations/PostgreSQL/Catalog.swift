import DestinationModel
import JSONText
import Profiles
import Records
import RequestBodies
import Synchronization

/// The tables of a profile's entities, as `pg_catalog` describes them.
struct Catalog: Sendable {
  let tables: [EntityName: DatabaseTable]
  /// Whether the table of operations is there.
  let hasNotes: Bool
  /// Whether the role may make it.
  let mayMakeNotes: Bool
  /// What the role may not do that a run may need, by entity: `DELETE`.
  let missingRights: [EntityName: [String]]
  /// Whether the role may make tables that go with a transaction.
  let mayMakeTemporaryTables: Bool

  /// The same, once the table of operations is there.
  var withNotes: Catalog {
    Catalog(
      tables: tables,
      hasNotes: true,
      mayMakeNotes: mayMakeNotes,
      missingRights: missingRights,
      mayMakeTemporaryTables: mayMakeTemporaryTables
    )
  }
}

/// Reads a catalog and holds the profile against it.
struct CatalogReader: Sendable {
  let api: Api
  let schema: String

  /// - Throws: `DatabaseFault.misfit` with everything that the database lacks.
  func read(_ connection: DatabaseConnection) throws(DatabaseFault) -> Catalog {
    let entities = api.entities
    let names = entities.map { $0.table ?? $0.entity.text }
    let found = try connection.run(
      Self.relations,
      [ListParameter.bytes(names), Array(schema.utf8) + [0]]
    ).values
    let identifiers = found.compactMap { $0[0] }
    let columns = try connection.run(Self.columns, [ListParameter.bytes(identifiers)]).values
    let keys = try connection.run(Self.keys, [ListParameter.bytes(identifiers)]).values
    var described: [String: [DatabaseColumn]] = [:]
    for row in columns { described[row[0] ?? "", default: []].append(Self.column(row)) }
    // By relation and index: the columns that distinguish rows together.
    var unique: [String: [String: Set<String>]] = [:]
    for row in keys {
      unique[row[0] ?? "", default: [:]][row[1] ?? "", default: []].insert(row[2] ?? "")
    }

    var faults: [String] = []
    var tables: [EntityName: DatabaseTable] = [:]
    var missing: [EntityName: [String]] = [:]
    for ((entity, name), row) in zip(zip(entities, names), found) {
      guard let identifier = row[0] else {
        faults.append("no table \(schema).\(name) for \(entity.entity)")
        continue
      }
      let relation = Relation(
        name: name,
        kind: row[1] ?? "",
        hasTriggers: row[6] == "t",
        columns: described[identifier, default: []],
        uniqueColumns: Set((unique[identifier] ?? [:]).values)
      )
      if row[2] != "t" { faults.append("no right to read \(schema).\(name)") }
      missing[entity.entity] = zip(["INSERT", "UPDATE", "DELETE"], row[3...5])
        .filter { $0.1 != "t" }.map(\.0)
      if let table = table(of: entity, relation, &faults) { tables[entity.entity] = table }
    }
    let notes = try connection.run(
      Self.notes,
      [Array(schema.utf8) + [0], Array(NoteStatements.name.utf8) + [0]]
    ).values.first
    if let notes, notes[0] != nil {
      if notes[2] != "1" {
        faults.append("another table \(schema).\(NoteStatements.name), which is not Ferry's")
      } else if notes[1] != "t" {
        faults.append("no right to read, add to and delete from \(schema).\(NoteStatements.name)")
      }
    }
    guard faults.isEmpty else {
      throw .misfit(
        .elsewhere(
          reason: "the database and the profile do not fit: \(faults.joined(separator: "; "))",
          cure: "change the tables, or correct “schema”, “table”, “id” and “body” in the profile; "
            + "`ferry schema emit --for postgresql STORE` describes tables that fit a store"
        )
      )
    }
    return Catalog(
      tables: tables,
      hasNotes: notes?[0] != nil,
      mayMakeNotes: notes?[3] == "t",
      missingRights: missing,
      mayMakeTemporaryTables: try connection.run(Self.temporary).values.first?.first == "t"
    )
  }

  /// A relation of the database.
  private struct Relation {
    let name: String
    let kind: String
    let hasTriggers: Bool
    let columns: [DatabaseColumn]
    /// The columns that distinguish rows, alone or several together.
    let uniqueColumns: Set<Set<String>>
  }

  private func table(
    of entity: EntityApi,
    _ relation: Relation,
    _ faults: inout [String]
  ) -> DatabaseTable? {
    let place = "\(schema).\(relation.name)"
    guard relation.kind == "r" || relation.kind == "p" else {
      faults.append("\(place) is not a table")
      return nil
    }
    func column(_ name: String) -> DatabaseColumn? {
      if let found = relation.columns.first(where: { $0.name == name }) { return found }
      faults.append("no column \(place).\(name)")
      return nil
    }
    let revisionName: String? =
      if case .member(let path)? = entity.version { path.names.joined(separator: ".") } else { nil }
    let idNames = entity.ids.map { $0.names.joined(separator: ".") }
    let revision = revisionName.flatMap { column($0) }
    let columns = entity.body.compactMap { column($0.name) }
    let ids = idNames.compactMap { column($0) }
    guard ids.count == idNames.count else { return nil }
    if !relation.uniqueColumns.contains(Set(idNames)) || ids.contains(where: \.isNullable) {
      faults.append(Self.unfit(ids, of: place))
    }
    for column in columns where !column.isWritable {
      faults.append("\(place).\(column.name) is filled by the database itself")
    }
    let sent = Set(columns.map(\.name) + idNames)
    for other in relation.columns
    where !sent.contains(other.name) && !other.isNullable && !other.hasDefault {
      faults.append("“body” names nothing for \(place).\(other.name), which is NOT NULL")
    }
    let table = DatabaseTable(
      entity: entity.entity,
      schema: schema,
      name: relation.name,
      isPartitioned: relation.kind == "p",
      hasTriggers: relation.hasTriggers,
      ids: ids,
      revision: revision,
      columns: columns
    )
    for id in ids {
      switch id.type {
      case .uuid, .integer, .text: break
      case .boolean, .numeric, .float, .instant, .date, .bytes, .json, .array, .other:
        faults.append(
          "\(place).\(id.name) is of the type \(id.cast); uuid, text and integers serve"
        )
      }
    }
    return table
  }

  /// That columns do not identify a row, and which of them may be null.
  private static func unfit(_ ids: [DatabaseColumn], of place: String) -> String {
    let names = ids.map(\.name).joined(separator: " and ")
    let nullable = ids.filter(\.isNullable).map(\.name).joined(separator: " and ")
    guard ids.count > 1 else {
      return "\(place).\(names) is not a primary key, nor unique and NOT NULL"
    }
    return "\(place): \(names) are together neither a primary key nor unique and NOT NULL"
      + (nullable.isEmpty ? "" : "; NOT NULL is missing for \(nullable)")
  }

  private static func column(_ row: [String?]) -> DatabaseColumn {
    let element = row[4].map { ColumnType(name: $0, category: row[5] ?? "", element: nil) }
    return DatabaseColumn(
      name: row[1] ?? "",
      type: ColumnType(name: row[2] ?? "", category: row[3] ?? "", element: element),
      cast: row[6] ?? "",
      isNullable: row[7] != "t",
      hasDefault: row[8] == "t",
      isWritable: row[9] != "t",
      isAlwaysNumbered: row[10] == "t"
    )
  }

  // MARK: - The questions

  private static let relations = """
    SELECT c.oid::text, c.relkind::text, has_any_column_privilege(c.oid, 'SELECT'),
      has_any_column_privilege(c.oid, 'INSERT'), has_any_column_privilege(c.oid, 'UPDATE'),
      has_table_privilege(c.oid, 'DELETE'),
      c.relhasrules OR EXISTS (
        SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal)
    FROM unnest($1::text[]) WITH ORDINALITY AS w(name, place)
    LEFT JOIN pg_catalog.pg_namespace s ON s.nspname = $2
    LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = s.oid AND c.relname = w.name
    ORDER BY w.place
    """

  /// A domain is taken for what it is a domain of; without a length in the cast, what is too long is refused.
  private static let columns = """
    SELECT a.attrelid::text, a.attname, b.typname, b.typcategory::text, e.typname,
      e.typcategory::text, format_type(a.atttypid, -1), a.attnotnull,
      a.atthasdef OR a.attidentity <> '', a.attgenerated <> '', a.attidentity = 'a'
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    JOIN pg_catalog.pg_type b
      ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
    LEFT JOIN pg_catalog.pg_type e ON e.oid = b.typelem AND b.typcategory = 'A'
    WHERE a.attrelid = ANY($1::text[]::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
    """

  /// What `ON CONFLICT` can go by: a unique index of columns over all rows that is checked at once.
  private static let keys = """
    SELECT i.indrelid::text, i.indexrelid::text, a.attname
    FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid
      AND a.attnum = ANY((i.indkey::int2[])[0:i.indnkeyatts - 1])
    WHERE i.indrelid = ANY($1::text[]::oid[]) AND i.indisunique AND i.indimmediate
      AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    """

  private static let temporary =
    "SELECT has_database_privilege(current_database(), 'TEMPORARY')"

  private static let notes = """
    SELECT c.oid::text,
      has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
        AND has_table_privilege(c.oid, 'DELETE'),
      (SELECT count(*)::text FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'note'
          AND a.atttypid = 'pg_catalog.uuid'::regtype),
      has_schema_privilege(s.oid, 'CREATE')
    FROM pg_catalog.pg_namespace s
    LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = s.oid AND c.relname = $2
    WHERE s.nspname = $1
    """
}
