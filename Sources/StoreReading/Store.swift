package import Records

/// A legacy store that was opened and understood, of whatever kind: its model, and its rows.
///
/// A store reads private copies only; see ``Source``. What is odd but can be lived with is in
/// ``findings``. A store is used by the task that opened it.
package protocol Store: AnyObject {
  var identity: StoreIdentity { get }
  var model: StoreModel { get }
  /// What the store holds beside the model's data, by name; the framework's own tables are left out.
  var otherTables: [String] { get }
  var findings: [Finding] { get }

  /// How many rows are the entity's own; those of its sub-entities are not counted.
  func rowCount(of entity: EntityName) throws(StoreError) -> Int

  /// Begins to read the rows of one entity, in the store's own order.
  ///
  /// - Throws: ``StoreError`` when the request names what the model or the store does not have.
  func rows(_ request: RowRequest) throws(StoreError) -> any RowReader
}

/// The rows of one request, one at a time.
///
/// What a row lends is valid until the next call of ``next()``.
package protocol RowReader: AnyObject {
  /// Goes to the next row; `false` when there is none.
  func next() throws(StoreError) -> Bool
  /// The row at hand.
  var row: Row { get }
}

/// Which store this is.
package struct StoreIdentity: Hashable, Sendable {
  /// What wrote the store, and in which form.
  package enum Kind: String, Hashable, Sendable {
    case swiftData, coreData
    /// The XML form of a Core Data store.
    case coreDataXML
    /// Any other SQLite database.
    case sqlite
    /// The preferences of an app (`UserDefaults`), a property list.
    case preferences
    /// Several stores of one app.
    case container
  }

  package let kind: Kind
  /// The store's own UUID, part of the address of each of its objects; for a kind that has none,
  /// a name that stays the same from run to run.
  package let uuid: String
  /// The version of Core Data that wrote last: 1513 is that of macOS 26.
  package let frameworkVersion: Int?
  package let modelVersionIdentifiers: [String]
  /// The hash of each entity's definition, by the entity's name.
  package let modelVersionHashes: [String: [UInt8]]

  package init(
    kind: Kind,
    uuid: String,
    frameworkVersion: Int? = nil,
    modelVersionIdentifiers: [String] = [],
    modelVersionHashes: [String: [UInt8]] = [:]
  ) {
    self.kind = kind
    self.uuid = uuid
    self.frameworkVersion = frameworkVersion
    self.modelVersionIdentifiers = modelVersionIdentifiers
    self.modelVersionHashes = modelVersionHashes
  }
}
