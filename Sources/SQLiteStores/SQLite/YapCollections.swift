import Records
import StoreFiles

/// The collections of a database of YapDatabase, each an entity.
///
/// | in the database | becomes |
/// |---|---|
/// | a collection of `database2` | an entity of that name; the one without a name is `database2` |
/// | `key` | the attribute that distinguishes its rows |
/// | `data`, `metadata` | attributes, mostly bytes: an archive or JSON, as the app chose |
/// | `rowid`, `collection` | nothing: a number of YapDatabase's own, and the entity |
/// | `yap2` and the tables of extensions | other tables: they are made from the rows |
///
/// https://github.com/yapstudios/YapDatabase/blob/master/YapDatabase/YapDatabase.m
struct YapCollections {
  /// One collection.
  struct Collection {
    let name: String
    /// What holds for its rows, as SQL about the table `t`.
    let condition: String
  }

  static let table = "database2"
  private static let columns: Set<String> = ["rowid", "collection", "key", "data", "metadata"]
  private static let extensionPrefixes = [
    "fts_", "relationship_", "rTree_", "secondaryIndex_", "view_", "yap2",
  ]

  let all: [Collection]
  /// The names of tables that hold no rows of the app's own.
  let otherTables: Set<String>

  /// `nil` for any other database.
  init?(_ schema: StoreSchema, in database: Database) throws(StoreError) {
    guard schema.tables["yap2"] != nil, let table = schema.tables[Self.table],
      Set(table.columns.map(\.name)) == Self.columns
    else { return nil }
    let rows = try database.statement(
      "SELECT min(rowid), collection FROM database2 NOT INDEXED GROUP BY collection ORDER BY collection",
      purpose: "list the collections"
    )
    var all: [Collection] = []
    while try rows.step() {
      // The row represents the name, whatever bytes that has.
      let name = "SELECT collection FROM database2 WHERE rowid = \(rows.integer(0))"
      all.append(
        Collection(name: rows.string(1) ?? "", condition: "t.collection IS (\(name))")
      )
    }
    self.all = all
    otherTables = Set(
      schema.tables.keys.filter { name in Self.extensionPrefixes.contains { name.hasPrefix($0) } }
    )
  }

  /// The entity of a collection.
  func entity(_ name: EntityName, _ attributes: [StoreAttribute]) -> StoreEntity {
    StoreEntity(
      name: name,
      attributes: attributes.filter { !["rowid", "collection"].contains($0.name) },
      relationships: [],
      uniqueKeys: [["key"]]
    )
  }
}
