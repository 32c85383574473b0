/// What is known of a kind of store: a new kind is one line here.
package struct StoreTraits: Hashable, Sendable {
  /// Whether the name by which a store is known is that store's alone.
  enum Naming: Hashable, Sendable {
    case own
    /// Any number of databases have one schema, and of preferences one name.
    case shared
    /// Only a UUID is.
    case ownIfUUID
  }

  /// The tables that a write-back is applied to.
  package enum Tables: Hashable, Sendable { case ofCoreData, plain, unwritten }

  /// What a report calls it.
  package let words: String
  /// Its name in a manifest, which never changes.
  package let packageName: String
  let naming: Naming
  package let tables: Tables
}

extension StoreIdentity.Kind {
  package var traits: StoreTraits {
    switch self {
    case .swiftData: traits("SwiftData store (SQLite)", "swiftdata", .own, .ofCoreData)
    case .coreData: traits("Core Data store (SQLite)", "coredata-sqlite", .own, .ofCoreData)
    case .coreDataXML: traits("Core Data store (XML)", "coredata-xml", .own)
    case .sqlite: traits("SQLite database", "sqlite", .shared, .plain)
    case .preferences: traits("preferences", "preferences", .shared)
    case .realm: traits("Realm database", "realm", .shared)
    case .couchbaseLite: traits("Couchbase Lite database", "couchbase-lite", .ownIfUUID)
    case .files: traits("records in files (CSV, JSON)", "files", .shared)
    case .container: traits("several stores of one app", "container", .ownIfUUID)
    }
  }

  private func traits(
    _ words: String,
    _ packageName: String,
    _ naming: StoreTraits.Naming,
    _ tables: StoreTraits.Tables = .unwritten
  ) -> StoreTraits {
    StoreTraits(words: words, packageName: packageName, naming: naming, tables: tables)
  }
}
