package import Records
package import StoreFiles

/// Where the values of an entity lie in the tables of a SQLite database.
package struct EntityPlace: Hashable, Sendable {
  /// The column of an attribute.
  package struct Column: Hashable, Sendable {
    package let name: String
    package let kind: StoreAttribute.Kind
    /// Whether Core Data may keep the value in a file of its own, and marks it.
    package let mayBeExternal: Bool
    /// Whether the values are keyed archives.
    package let isArchive: Bool
  }

  /// The column of a relationship that leads to one record.
  package struct Reference: Hashable, Sendable {
    package let column: String
    package let target: EntityName
    /// The column of the target's table that it holds: the key in a Core Data store.
    package let targetColumn: String
    /// The relationship of the target that leads back.
    package let inverse: String?
  }

  /// A relationship of a Core Data store that leads to any number of records.
  package struct Links: Hashable, Sendable {
    package let place: LinkPlace
    package let target: EntityName
    /// The relationship of the target that leads back.
    package let inverse: String?
    package let isOrdered: Bool
  }

  /// The table, which in a Core Data store is that of the whole inheritance tree.
  package let table: String
  /// Core Data's number of the entity (`Z_ENT`); `nil` in a plain database.
  package let entityNumber: Int?
  /// The columns that make up the key of a row, or the name of the rowid.
  package let keyColumns: [String]
  /// By the path of the attribute, its names joined by points.
  package let columns: [String: Column]
  package let references: [String: Reference]
  package let links: [String: Links]

  /// Finds an entity of a Core Data store or of a plain SQLite database.
  ///
  /// - Returns: The place, or `nil` for a store of another kind and for an entity without a table.
  package init?(_ entity: EntityName, in store: any Store) {
    if let store = store as? CoreDataStore {
      self.init(entity, in: store)
    } else if let store = store as? SQLiteStore {
      self.init(entity, in: store)
    } else {
      return nil
    }
  }

  private init?(_ entity: EntityName, in store: CoreDataStore) {
    guard let layout = store.layouts[entity], let table = layout.table else { return nil }
    self.table = table
    entityNumber = layout.number
    keyColumns = ["Z_PK"]
    var columns: [String: Column] = [:]
    for (path, leaf) in layout.leaves {
      guard let column = leaf.column else { continue }
      columns[path.joined(separator: ".")] = Column(
        name: column,
        kind: leaf.kind,
        mayBeExternal: leaf.mayBeExternal,
        isArchive: AttributeDecoding(leaf).isArchive
      )
    }
    self.columns = columns
    let relationships = Dictionary(
      (store.model.entity(named: entity)?.relationships ?? []).map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var references: [String: Reference] = [:]
    for (name, toOne) in layout.toOne {
      guard let column = toOne.column else { continue }
      references[name] = Reference(
        column: column,
        target: toOne.destination,
        targetColumn: "Z_PK",
        inverse: relationships[name]?.inverse
      )
    }
    self.references = references
    var links: [String: Links] = [:]
    for (name, toMany) in layout.toMany {
      guard let place = toMany.place else { continue }
      links[name] = Links(
        place: place,
        target: toMany.destination,
        inverse: relationships[name]?.inverse,
        isOrdered: relationships[name]?.isOrdered ?? false
      )
    }
    self.links = links
  }

  private init?(_ entity: EntityName, in store: SQLiteStore) {
    guard let layout = store.layouts[entity], let model = store.model.entity(named: entity) else {
      return nil
    }
    let table = layout.table
    self.table = table.name
    entityNumber = nil
    keyColumns = table.primaryKey.isEmpty ? [table.rowIDName].compactMap(\.self) : table.primaryKey
    let kinds = Dictionary(
      model.attributes.map { ($0.name, $0.kind) },
      uniquingKeysWith: { first, _ in first }
    )
    var columns: [String: Column] = [:]
    for column in table.storedColumns where !column.isStoredResult {
      let name = table.attributeName(of: column.name)
      guard let kind = kinds[name] else { continue }
      columns[name] = Column(
        name: column.name,
        kind: kind,
        mayBeExternal: false,
        isArchive: false
      )
    }
    self.columns = columns
    references = layout.references.mapValues {
      Reference(
        column: $0.column,
        target: $0.parent,
        targetColumn: $0.parentColumn,
        inverse: nil
      )
    }
    links = [:]
  }
}
