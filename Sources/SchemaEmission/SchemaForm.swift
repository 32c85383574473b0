package import Records

/// A form in which a backend takes the description of the records that it is to keep.
package enum SchemaForm: String, CaseIterable, Sendable {
  /// A script for PostgreSQL 12 or later, and so for Supabase.
  case postgresql
  /// A script for SQLite 3.37 or later, and so for Datasette.
  case sqlite
  /// What PocketBase imports.
  case pocketbase
  /// The CloudKit Schema Language.
  case cloudkit
  /// JSON Schema 2020-12, with a definition for each entity.
  case jsonSchema = "json-schema"
  /// OpenAPI 3.1: the routes of a REST API, and a component schema for each entity.
  case openapi

  /// Whether the description is JSON.
  package var isJSON: Bool {
    switch self {
    case .pocketbase, .jsonSchema, .openapi: true
    case .postgresql, .sqlite, .cloudkit: false
    }
  }

  /// How fields are called unless a person says otherwise: as the preset of the form calls them.
  package var usualNames: NameForm { self == .postgresql ? .snakeCase : .asIs }

  /// Describes the records of a store in this form, named as the presets name them.
  package func emit(_ source: SchemaSource, _ options: SchemaOptions) -> EmittedSchema {
    let tables = FieldNaming(self, options).tables(of: source)
    return switch self {
    case .postgresql: PostgreSQLForm(tables: tables, options: options).emitted
    case .sqlite: SQLiteForm(tables: tables).emitted
    case .pocketbase: PocketBaseForm(tables: tables).emitted
    case .cloudkit: CloudKitForm(tables: tables).emitted
    case .jsonSchema: JSONSchemaForm(tables: tables).emitted
    case .openapi: OpenAPIForm(tables: tables).emitted
    }
  }
}

/// What a person chooses for a schema.
package struct SchemaOptions: Hashable, Sendable {
  /// How the name of a field is made from that of the record's member.
  package let names: NameForm
  /// The column by which PostgreSQL keeps the rows of each user apart; `nil` where rows have no owner.
  package let owner: String?

  package init(names: NameForm = .asIs, owner: String? = nil) {
    self.names = names
    self.owner = owner
  }
}

/// A schema, and what of the store it does not carry.
package struct EmittedSchema: Hashable, Sendable {
  /// The whole document, which ends with a line feed.
  package let text: String
  /// One sentence each, without a full stop: `Note.tags: SQLite has no lists`.
  package let notes: [String]
}
