extension StoreIdentity {
  /// What wrote the store, and in which form.
  package struct Kind: Hashable, Sendable, CustomStringConvertible {
    /// Whether the name by which a store is known is that store's alone.
    package enum Naming: Hashable, Sendable {
      case own
      /// Any number of databases have one schema, and of preferences one name.
      case shared
      /// Only a UUID is.
      case ownIfUUID
    }

    /// The tables that a write-back is applied to.
    package enum Tables: Hashable, Sendable { case ofCoreData, plain, unwritten }

    /// Its name in the result of `inspect`.
    package let description: String
    /// What a report calls it.
    package let words: String
    /// Its name in a manifest, which never changes.
    package let packageName: String
    let naming: Naming
    package let tables: Tables

    package init(
      _ name: String,
      _ words: String,
      _ packageName: String,
      _ naming: Naming,
      _ tables: Tables = .unwritten
    ) {
      description = name
      self.words = words
      self.packageName = packageName
      self.naming = naming
      self.tables = tables
    }
  }
}

/// The kinds of the modules below `StoreReading`; the others are in their folders.
extension StoreIdentity.Kind {
  package static let swiftData = Self(
    "swiftData",
    "SwiftData store (SQLite)",
    "swiftdata",
    .own,
    .ofCoreData
  )
  package static let coreData = Self(
    "coreData",
    "Core Data store (SQLite)",
    "coredata-sqlite",
    .own,
    .ofCoreData
  )
  /// Any other SQLite database.
  package static let sqlite = Self("sqlite", "SQLite database", "sqlite", .shared, .plain)
  /// The preferences of an app (`UserDefaults`), a property list.
  package static let preferences = Self("preferences", "preferences", "preferences", .shared)
  /// Several stores of one app.
  package static let container = Self(
    "container",
    "several stores of one app",
    "container",
    .ownIfUUID
  )
}
