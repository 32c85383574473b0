package import Records
package import RequestMapping

/// A table that records are written to.
package struct RowTable: Hashable, Sendable {
  package let entity: EntityName
  /// The schema that the profile names; `nil` for the database's own choice.
  package let schema: String?
  package let name: String
  /// The column of the identity.
  package let id: String

  package init(entity: EntityName, schema: String? = nil, name: String, id: String) {
    self.entity = entity
    self.schema = schema
    self.name = name
    self.id = id
  }
}

/// One row of a table.
package struct TableRow: Hashable, Sendable {
  package let id: String
  /// The columns beside the identity; one that is missing gets the column's default.
  package let fields: [RequestField]
  /// Columns that can only be set once the rows of all tables exist.
  package let late: [RequestField]

  package init(id: String, fields: [RequestField], late: [RequestField] = []) {
    self.id = id
    self.fields = fields
    self.late = late
  }
}
