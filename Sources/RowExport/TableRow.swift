package import Records
package import RequestMapping

/// A table that records are written to.
package struct RowTable: Hashable, Sendable {
  package let entity: EntityName
  /// The schema that the profile names; `nil` for the database's own choice.
  package let schema: String?
  package let name: String
  /// The columns of the identity: mostly one.
  package let ids: [String]

  package init(entity: EntityName, schema: String? = nil, name: String, ids: [String]) {
    self.entity = entity
    self.schema = schema
    self.name = name
    self.ids = ids
  }
}

/// One row of a table.
package struct TableRow: Hashable, Sendable {
  /// The columns of the identity, in the table's order.
  package let identity: [RequestField]
  /// The columns beside the identity; one that is missing gets the column's default.
  package let fields: [RequestField]
  /// Columns that can only be set once the rows of all tables exist.
  package let late: [RequestField]

  package init(identity: [RequestField], fields: [RequestField], late: [RequestField] = []) {
    self.identity = identity
    self.fields = fields
    self.late = late
  }
}
