package import Records
import TextCodecs

/// A legacy store that was opened and understood, of whatever kind: its model, and its rows.
///
/// A store reads private copies only; see `Source`. What is odd but can be lived with is in
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
  /// Goes to the next row; `false` when it is missing.
  func next() throws(StoreError) -> Bool
  /// The row at hand.
  var row: Row { get }
}

/// Which store this is.
package struct StoreIdentity: Hashable, Sendable {
  package let kind: Kind
  /// The store's own UUID, part of the address of each of its objects; for a kind that has none,
  /// a name that stays the same from run to run.
  package let uuid: String
  /// The version of Core Data that wrote last: 1513 is that of macOS 26.
  package let frameworkVersion: Int?
  package let modelVersionIdentifiers: [String]
  /// The hash of each entity's definition, by the entity's name.
  package let modelVersionHashes: [String: [UInt8]]

  /// Whether the name is this store's alone.
  package var isUnique: Bool {
    switch kind.naming {
    case .own: true
    case .shared: false
    case .ownIfUUID: UUIDText.isUUID(uuid.utf8)
    }
  }

  /// The systems whose Core Data has the version, as far as stores of theirs have been seen.
  package var frameworkSystems: String? {
    guard let frameworkVersion else { return nil }
    return Self.systems.first { $0.versions.contains(frameworkVersion) }?.name
  }

  private static let systems: [(versions: ClosedRange<Int>, name: String)] = [
    (230...251, "Mac OS X 10.6, iOS 3 or 4"), (320...419, "iOS 4 to 6"), (479...479, "iOS 7"),
    (519...519, "iOS 8"), (637...641, "iOS 9"), (752...754, "iOS 10"), (847...851, "iOS 11"),
    (865...866, "iOS 12"), (969...977, "iOS 13"), (1044...1044, "iOS 14"),
    (1132...1152, "iOS 15, macOS 12"), (1232...1251, "iOS 16, macOS 13"),
    (1327...1347, "iOS 17, macOS 14"), (1403...1447, "iOS 18, macOS 15"),
    (1513...1513, "iOS 26, macOS 26"),
  ]

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
