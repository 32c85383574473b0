package import StoreFiles

/// A folder that is read as one store: a database of Couchbase Lite, or JSON documents.
///
/// Any other folder is a container, in which stores are looked for.
enum WholeFolder {
  /// The path of the database in it.
  case database(String)
  case documents(DocumentFolder)

  /// `nil` for a container, and where a person chose stores in it, or an app.
  init?(
    _ path: String,
    _ options: Source.Options,
    into folder: String
  ) throws(StoreError) {
    guard options.stores.isEmpty, options.app == nil else { return nil }
    if let database = try CouchbaseFolder.database(in: path) {
      self = .database(database)
    } else if let documents = try DocumentFolder(path, ignoring: options.ignored, into: folder) {
      self = .documents(documents)
    } else {
      return nil
    }
  }
}

extension Source {
  /// Whether a folder is read as one store, so that none is looked for in it.
  ///
  /// What has to be copied to know that goes into `folder`.
  package static func isOneStore(
    _ path: String,
    options: Options,
    into folder: String
  ) throws(StoreError) -> Bool {
    try WholeFolder(path, options, into: folder) != nil
  }
}
