import GRDB
import HTTPTypes
import JSONText

extension Transaction {
  /// Adds a row for the account and answers its id.
  @discardableResult
  func insert(_ values: [String: JSONValue], into table: Table) throws -> String {
    let account = try signedInAccount()
    let now = try tick()
    let id = values["id"]?.text ?? Identifiers.rowID(at: now.milliseconds)
    let created = values["createdAt"]?.text.flatMap { Instant($0) } ?? now
    let updated = values["updatedAt"]?.text.flatMap { Instant($0) } ?? now
    var stored: [DatabaseValue] = [
      id.databaseValue, account.id.databaseValue, created.milliseconds.databaseValue,
      updated.milliseconds.databaseValue,
    ]
    for column in table.columns { stored.append(try column.stored(values[column.name])) }
    try table.checkTexts(of: values)
    try run(table.insertSQL, StatementArguments(stored))
    return id
  }

  /// Changes some columns of a row; its `updatedAt` moves on.
  func update(_ id: String, of table: Table, with values: [String: JSONValue]) throws {
    var assignments = ["updatedAt = ?"]
    var stored = [try tick().milliseconds.databaseValue]
    for column in table.columns {
      guard let value = values[column.name] else { continue }
      assignments.append("\(column.name) = ?")
      stored.append(try column.stored(value))
    }
    stored.append(id.databaseValue)
    try table.checkTexts(of: values)
    try run(
      "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) WHERE id = ?",
      StatementArguments(stored)
    )
  }

  /// A row of the account, or the refusal that says it is missing or another user's.
  func ownRow(_ id: String, of table: Table, called name: String) throws -> Row {
    let found = try row("SELECT \(table.selection) FROM \(table.name) WHERE id = ?", [id])
    guard let found else { throw Refusal.notFound("\(name.capitalizedFirst) not found") }
    guard found[1] == (try signedInAccount().id) else {
      throw Refusal(.forbidden, "Forbidden", "You do not have access to this \(name)")
    }
    return found
  }

  /// One page of rows: those that meet the condition, in this order.
  ///
  /// The page is cut from an index before any row is read, so that late pages cost little more
  /// than early ones.
  func page(
    of table: Table,
    where condition: String,
    arguments: StatementArguments,
    order: String = "createdAt DESC, id",
    limit: Int,
    offset: Int
  ) throws -> [Row] {
    let key =
      "SELECT rowid FROM \(table.name) WHERE \(condition) ORDER BY \(order) LIMIT ? OFFSET ?"
    let sql =
      "SELECT \(table.selection) FROM \(table.name) WHERE rowid IN (\(key)) ORDER BY \(order)"
    return try rows(sql, arguments + [limit, offset])
  }

  /// The rows that follow a page, the newest first.
  func page(
    of table: Table,
    _ filter: RowFilter,
    after end: PageMemory.End,
    limit: Int
  ) throws -> [Row] {
    let sql = """
      SELECT \(table.selection) FROM \(table.name) INDEXED BY \(table.name)ByCreation
      WHERE \(filter.condition) AND createdAt <= ? AND NOT (createdAt = ? AND id <= ?)
      ORDER BY createdAt DESC, id LIMIT ?
      """
    return try rows(sql, filter.arguments + [end.createdAt, end.createdAt, end.id, limit])
  }
}

extension String {
  fileprivate var capitalizedFirst: String {
    prefix(1).uppercased() + dropFirst()
  }
}
