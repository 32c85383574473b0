/// One table of a Realm file: a class of the app, or one that Realm keeps for itself.
package struct RealmTable: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case plain
    /// Each object has one owner, and is a part of it.
    case embedded
    /// The objects wait to be sent by Realm's sync, and an app cannot read them.
    case asymmetric
  }

  /// The table's name as the file has it: `class_Dog`.
  package let name: String
  package let kind: Kind
  package let properties: [RealmProperty]
  /// The place of the primary key in ``properties``.
  package internal(set) var primaryKey: Int?
  /// Whether objects are known by their rows' numbers, which change when others are deleted.
  package let hasRowNumbers: Bool

  /// The name of the app's class; `nil` for a table of Realm's own: one without `class_`, and those
  /// classes, named with two underscores, that its sync made.
  package var className: String? {
    let prefix = "class_"
    guard name.hasPrefix(prefix), !name.hasPrefix(prefix + "__") else { return nil }
    return String(name.dropFirst(prefix.count))
  }
}

/// One property of a class.
package struct RealmProperty: Hashable, Sendable {
  package indirect enum Kind: Hashable, Sendable {
    case int, bool, string, data, any
    /// Instants, to the nanosecond.
    case timestamp
    /// Instants of formats up to 4, to the second.
    case dateTime
    case float, double, decimal, objectID, uuid
    /// Links to objects of the table at this place in ``RealmFile/tables``, where the file says it.
    case link(table: Int?)
    /// Sub-tables of formats up to 9.
    case rows([RealmProperty])
  }

  package enum Collection: Hashable, Sendable {
    case list, set, dictionary
  }

  package let name: String
  package let kind: Kind
  /// Whether a value, or one in the collection, may be null.
  package let isOptional: Bool
  package let collection: Collection?
  package let isIndexed: Bool
}

/// Where the rows of a table are.
struct TableLayout {
  enum Storage {
    /// Formats from 10 on; of each property the number of its leaf in a cluster. No tree is no object.
    case clusters(ClusterTree?, [ClusterColumn])
    /// Formats up to 9: the columns' references, where each property is, and the first column.
    case columns(Int64?, [OldColumnLayout], first: OldColumnLayout?)
  }

  let storage: Storage
}

/// Where the data of a property is in formats from 10 on.
struct ClusterColumn {
  /// The number of the column's leaf among those of a cluster, which is not its place in the class.
  let leafIndex: Int
  let form: LeafForm
}

/// A property's attributes, as a specification of columns has them.
struct ColumnAttributes: OptionSet {
  let rawValue: Int64

  static let indexed = ColumnAttributes(rawValue: 1)
  static let nullable = ColumnAttributes(rawValue: 16)
  static let list = ColumnAttributes(rawValue: 32)
  static let dictionary = ColumnAttributes(rawValue: 64)
  static let set = ColumnAttributes(rawValue: 128)

  var collection: RealmProperty.Collection? {
    if contains(.list) { return .list }
    if contains(.set) { return .set }
    return contains(.dictionary) ? .dictionary : nil
  }
}

/// The numbers of columns' types.
enum ColumnType: Int64 {
  case int = 0, bool, string, enumeratedString, binary, subtable, mixed, dateTime, timestamp, float
  case double, decimal, link, linkList, backlink, objectID
  case uuid = 17

  /// Reads a number; those of types that no SDK offers are refused.
  static func reading(_ number: Int64, of name: String) throws(RealmError) -> ColumnType {
    guard let type = ColumnType(rawValue: number) else {
      throw .unsupported(RealmPlace(property: name), cause: "the column's type is \(number)")
    }
    return type
  }

  /// What a value is; `nil` for those that take more to say.
  var plainKind: RealmProperty.Kind? {
    switch self {
    case .int: .int
    case .bool: .bool
    case .string, .enumeratedString: .string
    case .binary: .data
    case .mixed: .any
    case .dateTime: .dateTime
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .objectID: .objectID
    case .uuid: .uuid
    case .subtable, .link, .linkList, .backlink: nil
    }
  }
}

extension LeafForm {
  /// How a column's values are written.
  ///
  /// - Parameters:
  ///   - kind: What a value is.
  ///   - isOptional: Whether it may be null.
  ///   - collection: What each row has, if not one value.
  ///   - keys: The column's distinct strings, where it has them.
  init(
    _ kind: RealmProperty.Kind,
    isOptional: Bool,
    in collection: RealmProperty.Collection?,
    keys: EnumeratedKeys? = nil
  ) {
    let form: LeafForm =
      switch kind {
      case .string: .strings(isOptional: isOptional, keys: keys)
      case .link(let table): .links(table: table, isShifted: collection == nil)
      case .int, .bool, .data, .any, .timestamp, .dateTime, .float, .double, .decimal, .objectID,
        .uuid, .rows:
        .values(kind, isOptional: isOptional)
      }
    self = collection.map { .collections($0, of: form) } ?? form
  }
}
