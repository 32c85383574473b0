/// Which rows of a store are wanted, and which of their fields, each of which becomes one cell.
///
/// A compiled profile asks; a store answers with rows whose cells are in the same order.
package struct RowRequest: Hashable, Sendable {
  package let entity: EntityName
  package let fields: [FieldRequest]
  /// Only rows behind this place in the store's own order (`Z_PK`), or all when `nil`.
  package let after: Int64?

  package init(entity: EntityName, fields: [FieldRequest], after: Int64? = nil) {
    self.entity = entity
    self.fields = fields
    self.after = after
  }
}

/// One field of a row.
package enum FieldRequest: Hashable, Sendable {
  /// An attribute by its path: `["title"]`, or `["author", "person"]` inside a composite.
  /// The path leads to a leaf; a composite as a whole has no cell.
  case attribute(path: [String])
  /// The row's own address in the store, as text: `x-coredata://STORE-UUID/Hero/p1`.
  case objectURI
  /// The identity of the one record a to-one relationship leads to: text, or null.
  case reference(relationship: String, identity: IdentityRule)
  /// The identities of the records a to-many relationship leads to: a list of texts, in the
  /// relationship's order where it has one, else in the order of the store's keys. `rows.other` is the
  /// to-one relationship `other` of each row that the to-many relationship `rows` leads to.
  case references(relationship: String, identity: IdentityRule)
  /// The identities of the records that rows of another entity join to this row: a list of texts in the order
  /// of the store's keys, each once.
  case joined(RowJoin, identity: IdentityRule)
}

/// Rows between two records, one for each pair, where the store declares no relationship to many: the rows
/// of a join table.
package struct RowJoin: Hashable, Sendable {
  /// What of a row between leads to a record.
  package enum Link: Hashable, Sendable {
    case relationship(String)
    /// The attribute that has the value of the attribute `key` of the entity's records.
    case attribute(String, of: EntityName, key: String)

    /// Its name in the store.
    package var name: String {
      switch self {
      case .relationship(let name), .attribute(let name, _, _): name
      }
    }
  }

  /// The entity of the rows between.
  package let entity: EntityName
  /// What leads to the row that is read, and what to the other record.
  package let own, other: Link

  package init(entity: EntityName, own: Link, other: Link) {
    (self.entity, self.own, self.other) = (entity, own, other)
  }

  /// Its name in a profile.
  package var name: String { "\(entity).\(other.name)" }
}

/// What distinguishes a record of an entity from the others.
package enum IdentityRule: Hashable, Sendable {
  /// The object's address in the store.
  case objectURI
  /// The value of an attribute of kind string, UUID or integer, as text.
  case attribute(String)
}
