import PreferenceFiles
import SQLiteStores
import StoreFiles

/// What opens the stores of one kind: a new kind is a folder with one of these, and a line in ``all``.
///
/// The `SourceKind` has what is known of the kind's files, and a `StoreIdentity.Kind` names its stores.
struct StoreReader: Sendable {
  typealias Opening = @Sendable (StoreCopy, Source.Options) throws(StoreError) -> any Store

  let kind: SourceKind
  let open: Opening

  /// The first whose look fits a file reads it: Core Data's XML has a property list inside.
  static let all = [
    sqlite, preferences(.androidPreferences), preferences(.binaryPropertyList), coreDataXML,
    preferences(.xmlPropertyList), preferences(.oldStylePropertyList), realm, delimitedText, json,
  ]

  private static func preferences(_ kind: SourceKind) -> StoreReader {
    StoreReader(kind: kind) { copy, options throws(StoreError) in
      try PreferencesStore(copy, keepsSystemKeys: options.keepsSystemKeys)
    }
  }

  /// Opens a SQLite database as what its tables say it is.
  private static let sqlite = StoreReader(kind: .sqlite) { copy, options throws(StoreError) in
    let opening = try DatabaseOpening(
      copy,
      checksIntegrity: options.checksIntegrity,
      readsDamaged: options.readsDamaged
    )
    let schema = try StoreSchema(opening.database)
    if CoreDataStore.isMade(of: schema) {
      return try CoreDataStore(opening, schema, models: options.models)
    }
    if let collections = CouchbaseSchema(schema) { return try CouchbaseStore(opening, collections) }
    if CouchbaseSchema.isOfFirstRelease(schema) {
      throw CouchbaseFolder.firstRelease(copy.sourcePath)
    }
    return try SQLiteStore(opening)
  }
}
