import GRDB
import JSONText

/// One page of a list: how many rows, after how many.
struct Paging: Sendable {
  let limit: Int
  let offset: Int

  /// The page that a call asks for, `limit` kept within 1…100 and 50 when not given.
  init(_ call: Call) {
    limit = call.number("limit", fallback: 50, within: 1...100)
    offset = call.number("offset", fallback: 0, within: 0...Int.max)
  }

  init(limit: Int, offset: Int) {
    self.limit = limit
    self.offset = offset
  }

  /// `{total, limit, offset, hasMore}`.
  func summary(total: Int) -> JSONValue {
    [
      "total": .whole(total), "limit": .whole(limit),
      "offset": .whole(offset), "hasMore": .boolean(total - offset > limit),
    ]
  }
}

/// The condition of a list, grown filter by filter.
struct RowFilter {
  private(set) var condition: String
  private(set) var arguments: StatementArguments

  /// The rows of one account.
  init(account: Transaction.Account) {
    condition = "userId = ?"
    arguments = [account.id]
  }

  /// Keeps only rows of which this is also true.
  mutating func add(_ condition: String, _ arguments: StatementArguments = []) {
    self.condition += " AND \(condition)"
    self.arguments += arguments
  }

  /// Keeps only rows changed after the moment that the query names, if it names one.
  mutating func addUpdatedAfter(_ call: Call) throws(Refusal) {
    guard let text = call.query["updatedAfter"], !text.isEmpty else { return }
    guard let moment = Instant(text) else {
      throw .validation("Invalid updatedAfter parameter: must be ISO8601 timestamp")
    }
    add("updatedAt > ?", [moment.milliseconds])
  }
}

extension Transaction {
  /// One page of a table, each row with what `more` adds, and the page's place in the whole list.
  func list(
    of table: Table,
    _ filter: RowFilter,
    _ paging: Paging,
    order: String? = nil,
    adding more: (Row) throws -> JSONObject
  ) throws -> Answer {
    let list = PageMemory.List(
      table: table.name,
      condition: filter.condition,
      arguments: "\(filter.arguments)"
    )
    let changes = database.totalChangesCount
    let end = pages.end(of: list).flatMap { $0.changes == changes ? $0 : nil }
    let total =
      try end?.total
      ?? count(
        "SELECT COUNT(*) FROM \(table.name) WHERE \(filter.condition)",
        filter.arguments
      )
    let rows: [Row]
    if order == nil, let end, end.offset == paging.offset {
      rows = try page(of: table, filter, after: end, limit: paging.limit)
    } else {
      rows = try page(
        of: table,
        where: filter.condition,
        arguments: filter.arguments,
        order: order ?? "createdAt DESC, id",
        limit: paging.limit,
        offset: paging.offset
      )
    }
    if order == nil, let last = rows.last {
      let end = PageMemory.End(
        offset: paging.offset + rows.count,
        createdAt: last[2],
        id: last[0],
        total: total,
        changes: changes
      )
      pages.remember(end, of: list)
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("data")
    writer.beginObject()
    writer.name(table.name)
    writer.beginArray()
    for row in rows { try table.write(row, adding: try more(row), to: &writer) }
    writer.endArray()
    writer.name("pagination")
    writer.value(paging.summary(total: total))
    writer.endObject()
    writer.endObject()
    return Answer(body: .text(writer.bytes))
  }
}
