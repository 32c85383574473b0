import JSONText
import Records

/// Tables for the preset `postgresql`, with the profile's `api` that fits them as a comment.
///
/// | member | column |
/// |---|---|
/// | integer | smallint, integer, bigint |
/// | number | double precision |
/// | decimal | numeric, to which the preset sends a number |
/// | date | timestamptz |
/// | bytes | bytea |
/// | UUID | uuid, compared without regard to case |
/// | object, list, any | jsonb |
/// | reference | uuid, with a foreign key where one table is its target, and an index |
/// | references | uuid[], with a GIN index |
///
/// With an owner column, row level security lets each user of Supabase see the user's own rows alone:
/// https://supabase.com/docs/guides/database/postgres/row-level-security
struct PostgreSQLForm {
  let tables: [Table]
  let options: SchemaOptions

  var emitted: EmittedSchema {
    var parts = [head, "BEGIN;"]
    for (place, table) in tables.enumerated() {
      parts.append(statements(of: table, after: tables[...place]).joined(separator: "\n"))
    }
    let late = tables.enumerated().flatMap { lateKeys(of: $1, after: tables[...$0]) }
    if !late.isEmpty { parts.append(late.joined(separator: "\n")) }
    parts.append("COMMIT;")
    return EmittedSchema(
      text: parts.joined(separator: "\n\n") + "\n",
      notes: tables.notes + tables.openReferences + lists + long
    )
  }

  // MARK: - Tables

  private func statements(of table: Table, after earlier: ArraySlice<Table>) -> [String] {
    var columns = ["\(SQLWords.quoted(FieldNaming.key)) uuid PRIMARY KEY"]
    if let owner = options.owner {
      columns.append(
        "\(SQLWords.quoted(owner)) uuid NOT NULL DEFAULT auth.uid() "
          + "REFERENCES auth.users (id) ON DELETE CASCADE"
      )
    }
    columns += table.fields.map { column($0, after: earlier) }
    // Two users may each have the same value.
    columns += table.uniqueKeys.map {
      "UNIQUE \(SQLWords.list((options.owner.map { [$0] } ?? []) + $0))"
    }
    return [SQLWords.table(table.name, columns)] + indexes(of: table) + policy(of: table)
  }

  private func column(_ field: Table.Field, after earlier: ArraySlice<Table>) -> String {
    var text = "\(SQLWords.quoted(field.name)) \(Self.type(of: field.content))"
    if field.isRequired { text += " NOT NULL" }
    if field.content.isReference, let target = tables.target(of: field.content),
      earlier.contains(target)
    {
      text += " REFERENCES \(SQLWords.quoted(target.name))"
    }
    return text
  }

  private func indexes(of table: Table) -> [String] {
    let place = SQLWords.quoted(table.name)
    let owner = options.owner.map { ["CREATE INDEX ON \(place) \(SQLWords.list([$0]));"] } ?? []
    return owner
      + table.fields.compactMap { field in
        if field.content.isReference {
          return "CREATE INDEX ON \(place) \(SQLWords.list([field.name]));"
        }
        guard field.content.isReferences else { return nil }
        return "CREATE INDEX ON \(place) USING gin \(SQLWords.list([field.name]));"
      }
  }

  private func policy(of table: Table) -> [String] {
    guard let owner = options.owner else { return [] }
    let own = "\(SQLWords.quoted(owner)) = (SELECT auth.uid())"
    return [
      "ALTER TABLE \(SQLWords.quoted(table.name)) ENABLE ROW LEVEL SECURITY;",
      "CREATE POLICY \"rows of their owner\" ON \(SQLWords.quoted(table.name)) FOR ALL "
        + "TO authenticated\n  USING (\(own)) WITH CHECK (\(own));",
    ]
  }

  /// The foreign keys to tables that are made later.
  private func lateKeys(of table: Table, after earlier: ArraySlice<Table>) -> [String] {
    table.fields.compactMap { field in
      guard field.content.isReference, let target = tables.target(of: field.content),
        !earlier.contains(target)
      else { return nil }
      return "ALTER TABLE \(SQLWords.quoted(table.name)) ADD FOREIGN KEY "
        + "\(SQLWords.list([field.name])) REFERENCES \(SQLWords.quoted(target.name));"
    }
  }

  private static func type(of content: SchemaSource.Content) -> String {
    switch content {
    case .integer(let bits): bits == 16 ? "smallint" : bits == 32 ? "integer" : "bigint"
    case .number: "double precision"
    case .decimal: "numeric"
    case .boolean: "boolean"
    case .text: "text"
    case .uuid, .reference: "uuid"
    case .date: "timestamptz"
    case .bytes: "bytea"
    case .object, .list, .any: "jsonb"
    case .texts: "text[]"
    case .references: "uuid[]"
    }
  }

  // MARK: - What is not carried

  private var lists: [String] {
    tables.flatMap { table in
      table.fields.filter(\.content.isReferences).map {
        "\(table.entity).\($0.member.name): no foreign key checks the elements of an array"
      }
    }
  }

  /// PostgreSQL cuts longer names.
  ///
  /// https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
  private var long: [String] {
    tables.flatMap { [$0.name] + $0.fields.map(\.name) }.filter { $0.utf8.count > 63 }.map {
      "“\($0)” has more than 63 bytes, and PostgreSQL cuts it; give it a shorter name in “body”"
    }
  }

  // MARK: - The profile

  private var head: String {
    var lines = [
      "Tables for the records of a store, made by “ferry schema emit --for postgresql”.",
      "The profile is that of “ferry init --preset postgresql”, with this “api”:",
    ].map { "-- \($0)" }
    lines += profile.map(SQLWords.comment)
    if let owner = options.owner {
      lines.append(
        SQLWords.comment(
          "A connection that is no user's has no auth.uid(): send \(Self.yaml(owner)): "
            + "{ constant: USER-ID } in each “body”."
        )
      )
    }
    return lines.joined(separator: "\n")
  }

  private var profile: [String] {
    ["api:", "  preset: postgresql", "  names: \(options.names.rawValue)", "  entities:"]
      + tables.map { table in
        var settings = ["collection: \(Self.yaml(table.name))"]
        let body = table.fields.compactMap(Self.rule)
        if !body.isEmpty { settings.append("body: { \(body.joined(separator: ", ")) }") }
        return "    \(Self.yaml(table.entity.text)): { \(settings.joined(separator: ", ")) }"
      }
  }

  /// The rule of a field that the conventions would not name so; `nil` of any other.
  private static func rule(_ field: Table.Field) -> String? {
    guard field.isRenamed else { return nil }
    let name = field.member.name
    let source =
      field.content.isReference || field.content.isReferences
      ? "{ reference: \(yaml(name)) }" : yaml(MemberPath(names: [name]).description)
    return "\(yaml(field.name)): \(source)"
  }

  /// A text that YAML reads back as it is.
  private static func yaml(_ text: String) -> String { JSONValue.string(text).canonicalText }
}
