import PropertyLists
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import StoreSamples

/// Builds a store of any model, with tables that a test writes out.
enum FormStore {
  /// Builds the store and opens it; entities are numbered in the order of the model.
  static func open(
    _ model: ModelSample,
    _ sql: String,
    hashNames: [String]? = nil,
    in folder: SampleFolder
  ) throws -> CoreDataStore {
    let path = folder.path + "/Form.sqlite"
    let database = try SampleDatabase(path)
    try database.run(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
        Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      """
    )
    let names = model.entities.map(\.name)
    for (index, entity) in model.entities.enumerated() {
      let above = entity.superName.flatMap { names.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      try database.run(
        "INSERT INTO Z_PRIMARYKEY VALUES (\(index + 1), '\(entity.name)', \(above), 0)"
      )
    }
    try database.run(
      "INSERT INTO Z_METADATA VALUES (1, '\(SampleStore.uuid)', ?)",
      blob: SampleStore.metadata(hashNames: hashNames ?? names)
    )
    try database.run("INSERT INTO Z_MODELCACHE VALUES (?)", blob: model.cache())
    try database.run(sql)
    return try SampleStore.open(path, in: folder)
  }

  /// The rows of one entity, the cells joined by a comma.
  static func rows(
    _ store: CoreDataStore,
    _ entity: EntityName,
    _ fields: FieldRequest...
  ) throws -> [String] {
    let cursor = try store.rows(RowRequest(entity: entity, fields: fields))
    var lines: [String] = []
    while try cursor.next() {
      lines.append(cursor.row.cells.map { described($0) }.joined(separator: ", "))
    }
    return lines
  }
}
