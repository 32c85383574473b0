import DestinationModel
import JSONText
import Profiles
package import Records
import TextCodecs

/// A column of a table.
package struct DatabaseColumn: Hashable, Sendable {
  package let name: String
  package let type: ColumnType
  /// The type as a cast names it, without the length, so that what is too long is refused and not cut.
  package let cast: String
  package let isNullable: Bool
  /// Whether a row that leaves it out gets something else than null.
  package let hasDefault: Bool
  /// Whether a value of ours is taken.
  package let isWritable: Bool
  /// Whether only `OVERRIDING SYSTEM VALUE` has a value of ours taken.
  package let isAlwaysNumbered: Bool

  package init(
    name: String,
    type: ColumnType,
    cast: String,
    isNullable: Bool,
    hasDefault: Bool,
    isWritable: Bool,
    isAlwaysNumbered: Bool
  ) {
    self.name = name
    self.type = type
    self.cast = cast
    self.isNullable = isNullable
    self.hasDefault = hasDefault
    self.isWritable = isWritable
    self.isAlwaysNumbered = isAlwaysNumbered
  }

  /// A part of an identity in the one spelling that the column gives it; `nil` where it cannot hold it.
  func identity(_ text: String) -> String? {
    switch type {
    case .uuid: return UUIDText.isUUID(text.utf8) ? text.lowercased() : nil
    case .integer(let bits):
      guard let number = Int64(text), ColumnType.range(ofBits: bits).contains(number) else {
        return nil
      }
      return String(number)
    case .text: return text.utf8.contains(0) ? nil : text
    case .boolean, .numeric, .float, .instant, .date, .bytes, .json, .array, .other: return nil
    }
  }
}

/// A row's identity: what each of the table's identity columns has, in the columns' own spelling.
///
/// Compared by code points, as the database compares: a composed and a decomposed é are two identities.
package struct RowIdentity: Sendable {
  let parts: [String]

  /// As the destination knows the record by.
  package var text: String { parts.count == 1 ? parts[0] : CompoundIdentity.text(of: parts) }

  /// A parameter for each column.
  var values: [[UInt8]] { parts.map { Array($0.utf8) + [0] } }
}

extension RowIdentity: Hashable {
  package static func == (left: RowIdentity, right: RowIdentity) -> Bool {
    left.parts.count == right.parts.count
      && zip(left.parts, right.parts).allSatisfy { $0.hasSameScalars(as: $1) }
  }

  package func hash(into hasher: inout Hasher) {
    for part in parts { part.hashScalars(into: &hasher) }
  }
}

/// The table of an entity, as the database and the profile describe it together.
package struct DatabaseTable: Sendable {
  package let entity: EntityName
  package let schema: String
  package let name: String
  /// Whether its rows lie in other tables, of which each has a part.
  package let isPartitioned: Bool
  /// Whether triggers or rules of the database's owner may make something else of a row.
  package let hasTriggers: Bool
  /// The columns that together identify a row: mostly one.
  package let ids: [DatabaseColumn]
  /// The column of a row's revision; `nil` where the row's own transaction number does.
  package let revision: DatabaseColumn?
  /// The columns that the body names, in the order of their names.
  package let columns: [DatabaseColumn]

  package init(
    entity: EntityName,
    schema: String,
    name: String,
    isPartitioned: Bool,
    hasTriggers: Bool,
    ids: [DatabaseColumn],
    revision: DatabaseColumn?,
    columns: [DatabaseColumn]
  ) {
    self.entity = entity
    self.schema = schema
    self.name = name
    self.isPartitioned = isPartitioned
    self.hasTriggers = hasTriggers
    self.ids = ids
    self.revision = revision
    self.columns = columns
  }

  /// Whether rows may be made by `COPY`, which gives neither what it made nor the rows' revisions.
  package var takesCopies: Bool { revision == nil && !hasTriggers }

  /// An identity in the one spelling that the columns give it; `nil` where they cannot hold it.
  package func identity(_ text: String) -> RowIdentity? {
    let given = ids.count == 1 ? [text] : CompoundIdentity.parts(of: text, count: ids.count)
    let parts = zip(ids, given ?? []).compactMap { $0.identity($1) }
    return parts.count == ids.count ? RowIdentity(parts: parts) : nil
  }

  /// The identity of a row that a statement gives, with the identity columns first.
  func identity(of row: [String?]) -> RowIdentity {
    RowIdentity(parts: row.prefix(ids.count).map { $0 ?? "" })
  }

  /// A parameter for each column of the identity, with what several rows have there.
  func lists(of rows: [RowIdentity]) -> [[UInt8]] {
    ids.indices.map { place in ListParameter.bytes(rows.map { $0.parts[place] }) }
  }

  /// Whether a column is a part of the identity.
  func isIdentity(_ column: DatabaseColumn) -> Bool { ids.contains { $0.name == column.name } }
}

/// The statements about one table.
///
/// Values travel as parameters, each a list of texts for one column; names are quoted.
package struct TableStatements: Sendable {
  private let table: DatabaseTable

  package init(table: DatabaseTable) { self.table = table }

  /// A name as SQL takes it whatever is in it.
  package static func quoted(_ name: String) -> String {
    "\"\(name.replacing(scalar: "\"", with: "\"\""))\""
  }

  private var place: String { "\(Self.quoted(table.schema)).\(Self.quoted(table.name))" }
  private var ids: [String] { table.ids.map { Self.quoted($0.name) } }

  /// The columns of the identity, of the row `t`.
  private var key: [String] { ids.map { "t.\($0)" } }

  /// The same as texts, for a list.
  private var shownKey: String { key.map { "\($0)::text" }.joined(separator: ", ") }

  /// A value for each column of the identity, given as a text, as its type.
  private func keyValues(_ given: (Int) -> String) -> [String] {
    table.ids.enumerated().map { "\(given($0))::\($1.cast)" }
  }

  /// That the row is one of those whose identities are in `$1`, or in a parameter for each column.
  private var askedRow: String {
    guard table.ids.count > 1 else {
      return "\(key[0]) = ANY($1::text[]::\(table.ids[0].cast)[])"
    }
    let asked = Self.list(keyValues { "r.c\($0)" })
    return "\(Self.row(key)) IN (SELECT \(asked) FROM \(source(ids.count)))"
  }

  private static func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }

  /// Several values that are compared as one.
  private static func row(_ parts: [String]) -> String {
    parts.count == 1 ? parts[0] : "(\(list(parts)))"
  }

  /// A row's revision.
  ///
  /// `xmin` is the number of the transaction that wrote the row's version:
  /// https://www.postgresql.org/docs/current/ddl-system-columns.html
  private var revision: String {
    "t.\(table.revision.map { Self.quoted($0.name) } ?? "xmin")::text"
  }

  /// The same of a row that was written just now; a row of a partitioned table does not state it then.
  private var newRevision: String {
    table.isPartitioned && table.revision == nil
      ? "(txid_current() % 4294967296)::text" : revision
  }

  private var shown: [String] {
    key.map { "\($0)::text" } + [revision] + table.columns.map { "t.\(Self.quoted($0.name))::text" }
  }

  /// Rows in the order of their identities, behind that of the parameters where there is a page before.
  ///
  /// `most` is the most bytes of a value that is given; the places of columns with longer ones follow at the end.
  package func list(isFirst: Bool, limit: Int, holding most: Int? = nil) -> String {
    let last = Self.row(keyValues { "$\($0 + 1)::text" })
    let behind = isFirst ? "" : " WHERE \(Self.row(key)) > \(last)"
    return rows("\(place) AS t\(behind) ORDER BY \(Self.list(key)) LIMIT \(limit)", holding: most)
  }

  /// The rows of the identities in the parameters, a list for each column of these.
  package func read(holding most: Int? = nil) -> String {
    rows("\(place) AS t WHERE \(askedRow) OFFSET 0", holding: most)
  }

  /// Rows from somewhere: their identities, their revisions and a value for each column.
  ///
  /// With a limit, a value with more bytes that can be read in pieces is null, and the places of these columns
  /// follow at the end.
  private func rows(_ source: String, holding most: Int?) -> String {
    let plain = "SELECT \(shown.joined(separator: ", ")) FROM \(source)"
    guard let most, table.columns.contains(where: \.type.comesInPieces) else { return plain }
    let inner = shown.enumerated().map { "\($1) AS s\($0)" }.joined(separator: ", ")
    let before = ids.count + 1
    var given = (0..<before).map { "s\($0)" }
    var long: [String] = []
    for (place, column) in table.columns.enumerated() {
      let name = "s\(place + before)"
      guard column.type.comesInPieces else {
        given.append(name)
        continue
      }
      let isLong = column.type.isLong(name, from: most)
      given.append("CASE WHEN \(isLong) THEN NULL ELSE \(name) END")
      long.append("CASE WHEN \(isLong) THEN \(place) END")
    }
    given.append("array_to_string(ARRAY[\(Self.list(long))], ',')")
    let sorted = key.enumerated().map { (place, name) in (name: name, alias: "k\(place)") }
    return "SELECT \(Self.list(given)) FROM (SELECT \(inner), "
      + "\(Self.list(sorted.map { "\($0.name) AS \($0.alias)" })) FROM \(source)) AS s "
      + "ORDER BY \(Self.list(sorted.map(\.alias)))"
  }

  /// The bytes of a column of the row whose identity is in the parameters, in pieces.
  package func pieces(of column: DatabaseColumn) -> String {
    let size = Self.sizeOfPiece
    return "SELECT i, substring(v.b FROM i * \(size) + 1 FOR \(size)) "
      + "FROM (SELECT \(column.type.bytes(of: "t.\(Self.quoted(column.name))")) AS b "
      + "FROM \(place) AS t WHERE \(Self.row(key)) = \(Self.row(keyValues { "$\($0 + 1)::text" })) "
      + "OFFSET 0) AS v, "
      + "generate_series(0, greatest(octet_length(v.b) - 1, 0) / \(size)) AS i"
  }

  /// A multiple of three, so that the base64 of each piece is a part of that of the whole.
  private static let sizeOfPiece = 3 << 16

  /// The identities and revisions of the rows whose identities are in the parameters.
  package var states: String {
    "SELECT \(shownKey), \(revision) FROM \(place) AS t WHERE \(askedRow)"
  }

  /// Makes rows: a list for each column, those of the identity first.
  ///
  /// A row of an identity that is there stays as it is, and is not among those that are given back.
  ///
  /// Of the columns in `long` (by their places) the list has the numbers of texts; see ``LongColumnTable``.
  package func insert(_ columns: [DatabaseColumn], long: Set<Int> = []) -> String {
    let all = table.ids + columns
    let names = all.map { Self.quoted($0.name) }.joined(separator: ", ")
    let overriding = all.contains(where: \.isAlwaysNumbered) ? "OVERRIDING SYSTEM VALUE " : ""
    return "INSERT INTO \(place) AS t (\(names)) \(overriding)SELECT \(casts(all, long: long)) "
      + "FROM \(source(all.count)) ON CONFLICT (\(Self.list(ids))) DO NOTHING "
      + "RETURNING \(shownKey), \(newRevision)"
  }

  package func copy(_ columns: [DatabaseColumn]) -> String {
    let names = (table.ids + columns).map { Self.quoted($0.name) }.joined(separator: ", ")
    return "COPY \(place) (\(names)) FROM STDIN"
  }

  /// Changes rows: their identities, the revisions they must have, a list for each column.
  package func update(_ columns: [DatabaseColumn], long: Set<Int> = []) -> String {
    let changes = columns.enumerated().map { place, column in
      let value = value("r.c\(ids.count + 1 + place)", isLong: long.contains(place))
      return "\(Self.quoted(column.name)) = \(value)::\(column.cast)"
    }
    return "UPDATE \(place) AS t SET \(changes.joined(separator: ", ")) "
      + "FROM \(source(ids.count + 1 + columns.count)) WHERE \(guardedRow) "
      + "RETURNING \(shownKey), \(newRevision)"
  }

  /// Removes rows: their identities, the revisions they must have.
  package var delete: String {
    "DELETE FROM \(place) AS t USING \(source(ids.count + 1)) WHERE \(guardedRow) "
      + "RETURNING \(shownKey)"
  }

  private var guardedRow: String {
    let wanted = "r.c\(ids.count)"
    return "\(Self.row(key)) = \(Self.row(keyValues { "r.c\($0)" })) "
      + "AND (\(wanted) IS NULL OR \(revision) = \(wanted))"
  }

  /// The identity and the other columns, each as its type; `long` counts from the first behind the identity.
  private func casts(_ columns: [DatabaseColumn], long: Set<Int>) -> String {
    columns.enumerated().map { place, column in
      "\(value("r.c\(place)", isLong: long.contains(place - ids.count)))::\(column.cast)"
    }.joined(separator: ", ")
  }

  private func value(_ given: String, isLong: Bool) -> String {
    isLong ? LongColumnTable.text(numbered: given) : given
  }

  private func source(_ count: Int) -> String {
    let lists = (1...count).map { "$\($0)::text[]" }.joined(separator: ", ")
    let names = (0..<count).map { "c\($0)" }.joined(separator: ", ")
    return "unnest(\(lists)) AS r(\(names))"
  }
}

/// Long texts of columns, which the server puts together in a table that goes with the transaction.
///
/// The values of a statement are sent as a whole each, and rows of `COPY` in pieces of any size.
package enum LongColumnTable {
  private static let name = "pg_temp.ferry_long"

  /// What makes the table.
  package static let create =
    "CREATE TEMPORARY TABLE ferry_long (number integer PRIMARY KEY, value text) ON COMMIT DROP"

  package static let copy = "COPY \(name) (number, value) FROM STDIN"

  /// The text whose number an expression gives.
  static func text(numbered number: String) -> String {
    "(SELECT l.value FROM \(name) AS l WHERE l.number = \(number)::integer)"
  }
}

/// The table in which Ferry notes each operation that it carried out, in the transaction that does it.
///
/// `ferry_operation(note uuid PRIMARY KEY, noted_at timestamptz)`: whether an operation was carried
/// out of which no answer came is reported by it alone. Rows of runs that are over may be removed
/// at any time.
package struct NoteStatements: Sendable {
  private let schema: String

  package init(schema: String) { self.schema = schema }

  static let name = "ferry_operation"

  var place: String {
    "\(TableStatements.quoted(schema)).\(TableStatements.quoted(Self.name))"
  }

  /// What makes the table.
  var create: String {
    "CREATE TABLE IF NOT EXISTS \(place) "
      + "(note uuid PRIMARY KEY, noted_at timestamptz NOT NULL DEFAULT now())"
  }

  var describe: String {
    "COMMENT ON TABLE \(place) IS 'What Ferry carried out, by which an operation without an answer is "
      + "settled. Rows of runs that are over may be removed.'"
  }

  /// Notes the operations in `$1`, and gives those that were not noted before, with the transaction's number.
  ///
  /// While another transaction notes the same one, it waits for its end.
  var note: String {
    "INSERT INTO \(place) AS n (note) SELECT unnest($1::text[]::uuid[]) ON CONFLICT DO NOTHING "
      + "RETURNING n.note::text, n.xmin::text"
  }

  /// Those of the operations in `$1` that are noted, with the number of the transaction that
  /// carried them out.
  var find: String {
    "SELECT n.note::text, n.xmin::text FROM \(place) AS n WHERE n.note = ANY($1::text[]::uuid[])"
  }

  /// Rolls back the notes in `$1` of this transaction, of which nothing was carried out.
  var forget: String { "DELETE FROM \(place) AS n WHERE n.note = ANY($1::text[]::uuid[])" }
}

/// Values as one parameter: a list of texts.
package enum ListParameter {
  package static func bytes(_ values: [String?]) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for (place, value) in values.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      guard let value else {
        bytes.append(contentsOf: "NULL".utf8)
        continue
      }
      bytes.append(UInt8(ascii: "\""))
      for byte in value.utf8 {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          bytes.append(UInt8(ascii: "\\"))
        }
        bytes.append(byte)
      }
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: "}"))
    bytes.append(0)
    return bytes
  }
}

/// Rows in the text form of `COPY`.
///
/// https://www.postgresql.org/docs/current/sql-copy.html
package enum CopyText {
  package static func append(_ values: [String?], to bytes: inout [UInt8]) {
    for (place, value) in values.enumerated() {
      if place > 0 { bytes.append(tab) }
      append(value, to: &bytes)
    }
    bytes.append(lineEnd)
  }

  static func append(_ value: String?, to bytes: inout [UInt8]) {
    if let value { append(value.utf8, to: &bytes) } else { bytes.append(contentsOf: "\\N".utf8) }
  }

  /// A value, or a piece of one.
  static func append(_ value: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    for byte in value {
      switch byte {
      case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
      case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
      case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
      default: bytes.append(byte)
      }
    }
  }

  static let tab = UInt8(ascii: "\t")
  static let lineEnd = UInt8(ascii: "\n")
}
