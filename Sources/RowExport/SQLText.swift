import JSONText
import RequestMapping

/// Statements for PostgreSQL that make rows of JSON.
///
/// [`jsonb_populate_recordset`](https://www.postgresql.org/docs/current/functions-json.html) turns each value into
/// the type of its column. It takes the text of a `bytea` column for PostgreSQL's own form, and not for base64:
/// a function of the session turns that into hexadecimal digits.
package enum SQLText {
  /// What a script begins with.
  package static let start = """
    -- Rows for PostgreSQL: psql DATABASE < THIS-FILE
    BEGIN;
    SET LOCAL standard_conforming_strings = on;
    SET LOCAL client_encoding = 'UTF8';
    CREATE OR REPLACE FUNCTION pg_temp.ferry_rows(target regclass, records jsonb) RETURNS jsonb
    LANGUAGE sql STABLE AS $$
      SELECT jsonb_agg((
        SELECT jsonb_object_agg(m.key,
          CASE WHEN a.atttypid = 'bytea'::regtype AND jsonb_typeof(m.value) = 'string'
            THEN to_jsonb('\\x' || encode(decode(m.value #>> '{}', 'base64'), 'hex'))
            ELSE m.value END)
        FROM jsonb_each(r) AS m
        LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = target AND a.attname = m.key))
      FROM jsonb_array_elements(records) AS r
    $$;

    """

  /// What a script ends with.
  package static let end = "COMMIT;\n"

  /// Makes rows that all have these columns; a row whose identity is there stays as it is.
  package static func insert(
    _ rows: some Sequence<TableRow>,
    _ columns: [String],
    into table: RowTable
  ) -> String {
    let names = list(table.ids + columns)
    return """
      INSERT INTO \(place(table)) (\(names)) OVERRIDING SYSTEM VALUE
      SELECT \(names) FROM \(source(rows.map { $0.identity + $0.fields }, of: table))
      ON CONFLICT (\(list(table.ids))) DO NOTHING;

      """
  }

  /// Sets these columns of rows where they are null.
  package static func complete(
    _ rows: some Sequence<TableRow>,
    _ columns: [String],
    of table: RowTable
  ) -> String {
    let changes = columns.map { name in
      "\(quoted(name)) = coalesce(t.\(quoted(name)), r.\(quoted(name)))"
    }
    let same = table.ids.map { "t.\(quoted($0)) = r.\(quoted($0))" }.joined(separator: " AND ")
    let missing = columns.map { "t.\(quoted($0)) IS NULL" }.joined(separator: " OR ")
    return """
      UPDATE \(place(table)) AS t SET \(changes.joined(separator: ", "))
      FROM \(source(rows.map { $0.identity + $0.late }, of: table)) AS r
      WHERE \(same) AND (\(missing));

      """
  }

  private static func source(
    _ rows: [[RequestField]],
    of table: RowTable
  ) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for row in rows {
      writer.beginObject()
      for field in row {
        writer.name(field.name)
        writer.raw(field.value)
      }
      writer.endObject()
    }
    writer.endArray()
    let json = literal(String(decoding: writer.bytes, as: UTF8.self))
    let place = place(table)
    return
      "jsonb_populate_recordset(NULL::\(place), pg_temp.ferry_rows(\(literal(place)), \(json)))"
  }

  private static func list(_ names: [String]) -> String {
    names.map(quoted).joined(separator: ", ")
  }

  private static func place(_ table: RowTable) -> String {
    (table.schema.map { "\(quoted($0))." } ?? "") + quoted(table.name)
  }

  /// A name as SQL takes it whatever is in it.
  private static func quoted(_ name: String) -> String {
    "\"\(name.replacing(scalar: "\"", with: "\"\""))\""
  }

  private static func literal(_ text: String) -> String {
    "'\(text.replacing(scalar: "'", with: "''"))'"
  }
}
