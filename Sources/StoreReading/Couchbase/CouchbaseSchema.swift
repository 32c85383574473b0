import Files
import SQLiteStores
import StoreFiles

/// The tables of a database of Couchbase Lite 2 or 3.
///
/// | table | holds |
/// |---|---|
/// | `kv_default` | the documents of the collection `_default` |
/// | `kv_.name` | the documents of the collection of that name; a capital letter has `\` before it |
/// | `kv_.scope.name` | the same of a collection in another scope than `_default` |
/// | `kv_del_default`, `kv_del_.name` | deleted documents, from release 3.1 on |
/// | `kv_info` | the identity of the database and the list of shared keys |
/// | all others | indexes, and what replication remembers |
///
/// https://github.com/couchbase/couchbase-lite-core/blob/master/docs/overview/Schema.md
struct CouchbaseSchema {
  /// One collection.
  struct Collection {
    let name: String
    let table: String
    /// The table of its deleted documents, if there is one.
    let deletedTable: String?
    /// Whether documents can have a time at which they expire.
    let hasExpiration: Bool
  }

  /// The name of the collection that every database has.
  static let defaultCollection = "_default"
  static let infoTable = "kv_info"
  private static let columns = ["key", "sequence", "flags", "version", "body"]
  private static let prefix = "kv_"
  private static let deletedPrefix = "kv_del_"

  let collections: [Collection]
  /// The tables that hold no documents that are read.
  let otherTables: [String]

  /// `nil` for any other database.
  init?(_ schema: StoreSchema) {
    guard Self.holdsRecords(schema.tables[Self.infoTable]) else { return nil }
    let tables = schema.tables.values.filter(Self.holdsRecords)
    var collections: [Collection] = []
    for table in tables.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      guard let name = Self.collection(of: table.name) else { continue }
      let deleted = Self.deletedPrefix + table.name.dropFirst(Self.prefix.count)
      collections.append(
        Collection(
          name: name,
          table: table.name,
          deletedTable: Self.holdsRecords(schema.tables[deleted]) ? deleted : nil,
          hasExpiration: table.column("expiration") != nil
        )
      )
    }
    guard !collections.isEmpty else { return nil }
    self.collections = collections
    let read = Set(collections.map(\.table))
    otherTables = (schema.tableNames.filter { !read.contains($0) } + schema.otherNames).sorted()
  }

  /// The name of the collection whose documents are in a table.
  private static func collection(of table: String) -> String? {
    if table == "kv_default" { return defaultCollection }
    guard table.hasPrefix(prefix + "."), !table.contains(":") else { return nil }
    let name = table.dropFirst(prefix.count + 1).filter { $0 != "\\" }
    return name.isEmpty ? nil : String(name)
  }

  private static func holdsRecords(_ table: StoreSchema.Table?) -> Bool {
    guard let table else { return false }
    return columns.allSatisfy { table.column($0) != nil }
  }

  /// Whether the tables are those of Couchbase Lite 1, which kept revisions as JSON.
  ///
  /// https://docs.couchbase.com/couchbase-lite/current/java/dep-upgrade.html
  static func isOfFirstRelease(_ schema: StoreSchema) -> Bool {
    guard let documents = schema.tables["docs"], let revisions = schema.tables["revs"] else {
      return false
    }
    return ["doc_id", "docid"].allSatisfy { documents.column($0) != nil }
      && ["doc_id", "revid", "current", "json"].allSatisfy { revisions.column($0) != nil }
  }
}
