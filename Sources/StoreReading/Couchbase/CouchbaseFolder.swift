import Files
import StoreFiles

/// The folder that Couchbase Lite keeps a database in: `NAME.cblite2`, with `db.sqlite3` and `Attachments`.
enum CouchbaseFolder {
  private static let ending = ".cblite2"
  private static let databaseName = "db.sqlite3"

  /// The database of a folder that a user named, or `nil` for any other folder.
  ///
  /// - Throws: `StoreError.unusableTable(path:reason:cure:)` for a folder of release 1 without SQLite.
  static func database(in path: String) throws(StoreError) -> String? {
    let folder = Folder.withoutEndingSlashes(path)
    guard Folder.lastName(of: Folder.wholePath(of: folder)).lowercased().hasSuffix(ending) else {
      return nil
    }
    let database = folder + "/" + databaseName
    if InputFile.isPresent(database) { return database }
    let names = try mapping { () throws(FileError) in try Folder.names(in: folder) }
    guard names.contains(where: { $0.hasPrefix("db.forest") }) else { return nil }
    throw firstRelease(path, "a database of Couchbase Lite 1 in ForestDB")
  }

  /// The refusal of a database of release 1.
  ///
  /// https://docs.couchbase.com/couchbase-lite/current/java/dep-upgrade.html
  static func firstRelease(
    _ path: String,
    _ words: String = "a database of Couchbase Lite 1"
  ) -> StoreError {
    .unusableTable(
      path: path,
      reason: "it is \(words), and databases of Couchbase Lite 2 and 3 are read",
      cure:
        "open a copy once with a version of the app that has Couchbase Lite 2, which upgrades it, and "
        + "give the .cblite2 folder; or have the app write its documents to JSON"
    )
  }

  /// The names of the files with the content of blobs; `nil` where the folder of these files is not
  /// beside the database.
  static func attachments(besideDatabase path: String) throws(StoreError) -> Set<String>? {
    let folder = Folder.parentPath(of: path) + "/Attachments"
    guard Folder.exists(folder) else { return nil }
    return Set(try mapping { () throws(FileError) in try Folder.names(in: folder) })
  }
}
