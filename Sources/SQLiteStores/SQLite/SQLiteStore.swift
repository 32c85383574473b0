package import Records
package import StoreFiles

/// Any SQLite database that is no Core Data store: its tables are the entities.
///
/// | in the database | becomes |
/// |---|---|
/// | an ordinary table | an entity; a name that cannot be one is percent-encoded, with a finding |
/// | a column | an attribute, of the kind that its declaration *and* its values agree on |
/// | a generated column | a derived attribute; one that is computed at each reading has no value in the file and is not read |
/// | a foreign key of one column | a to-one relationship beside the attribute, named after the column without `_id` or `ID`, or, where that name is taken, the column's name and `_ref` |
/// | a table that leads to two others | an entity like any other, by which a request may also join the two |
/// | primary key, `UNIQUE` | unique keys |
/// | `android_metadata` and the tables of Room | other tables; the hash of Room's schema is the model's version |
/// | a database of YapDatabase | an entity for each collection, see `YapCollections` |
/// | views, virtual tables and the tables behind these | other tables: they are not read; a virtual table that keeps rows of its own is a finding |
///
/// Rows come in the order of the rowid, which is their place; those of a table without rowid in
/// the order of the primary key, and their place is their number, counted from one. A row's address
/// is `sqlite:<table>/<key>`, the key being the primary key, else the rowid.
///
/// The order and likeness of texts that an app has made for itself (`COLLATE`) are not known here: a
/// foreign key to that column leads to the same bytes, and an index in that order is not checked.
///
/// SQLite gives a database no identity (`application_id` and `user_version` distinguish apps and
/// versions, never two databases), so the store's name is a digest of its schema: the same from run to
/// run, another when the schema changes. Two databases of one schema have the same name.
package final class SQLiteStore: Store {
  package let copy: StoreCopy
  package let identity: StoreIdentity
  package let model: StoreModel
  package let otherTables: [String]
  package let findings: [Finding]

  let database: Database
  let layouts: [EntityName: SQLiteLayout]
  private var rowCounts: [EntityName: Int] = [:]

  /// Finds the tables of a database that was opened and checked.
  package init(_ opening: DatabaseOpening) throws(StoreError) {
    let reading = try SQLiteModelReading(opening.database)
    copy = opening.copy
    database = opening.database
    model = reading.model
    layouts = reading.layouts
    otherTables = reading.otherTables
    identity = StoreIdentity(
      kind: .sqlite,
      uuid: reading.schemaDigest,
      modelVersionIdentifiers: reading.model.versionIdentifiers
    )
    findings = opening.findings + reading.findings
  }

  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    if let count = rowCounts[entity] { return count }
    let layout = try layout(of: entity)
    let count = try database.rowCount(of: layout.table.name, where: layout.condition)
    rowCounts[entity] = count
    return count
  }

  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    try SQLiteRowReader(request, of: self)
  }

  func layout(of entity: EntityName) throws(StoreError) -> SQLiteLayout {
    guard let layout = layouts[entity] else {
      throw .unknownEntity(path: database.name, entity)
    }
    return layout
  }
}
