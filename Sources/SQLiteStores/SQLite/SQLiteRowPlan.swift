import Records
import StoreFiles

/// The statement that answers a request for rows of a plain SQLite database.
struct SQLiteRowPlan {
  /// Where a cell comes from; columns are counted from zero.
  enum Source {
    case plain(Int32)
    case address
    case reference(SQLiteReference)
    /// The join table with this index.
    case joined(Int)
  }

  private let expressions: [String]
  /// The columns of the table that cells come from as they are, by their columns in the statement.
  let names: [Int32: String]
  let sources: [Source]
  let joins: [SQLiteJoinPlan]
  /// The columns of the row's own key.
  let keys: Range<Int32>
  /// Whether the place is the rowid in column 0; else it is the row's number.
  var hasRowID: Bool { rowID != nil }
  private let rowID: String?
  let layout: SQLiteLayout
  private let database: Database

  /// SQLite gives 2,000 columns at most.
  private static let columnLimit = 2000

  init(_ request: RowRequest, of store: SQLiteStore) throws(StoreError) {
    let layout = try store.layout(of: request.entity)
    var expressions: [String] = []
    let rowID = layout.table.rowIDName.map { "t.\($0)" }
    if let rowID { expressions.append(rowID) }
    var sources: [Source] = []
    var names: [Int32: String] = [:]
    var joins: [SQLiteJoinPlan] = []
    for field in request.fields {
      if case .joined(let join, let identity) = field {
        sources.append(.joined(joins.count))
        joins.append(
          try SQLiteJoinPlan(join, of: request.entity, identity: identity, in: store)
        )
        continue
      }
      sources.append(try Self.source(field, request.entity, layout, store, &expressions, &names))
    }
    let first = Int32(expressions.count)
    let needsKey = request.fields.contains { if case .objectURI = $0 { true } else { false } }
    if needsKey { expressions += layout.keyExpressions.map { "t." + $0 } }
    keys = first..<Int32(expressions.count)
    guard expressions.count <= Self.columnLimit else {
      throw .tooWide(
        path: store.database.name,
        entity: request.entity,
        limit: "SQLite gives \(Self.columnLimit) columns at most"
      )
    }
    if expressions.isEmpty { expressions.append("1") }
    self.expressions = expressions
    self.sources = sources
    self.names = names
    self.joins = joins
    self.layout = layout
    self.rowID = rowID
    database = store.database
  }

  /// Begins to read the rows, those behind `place` alone where there is one.
  ///
  /// Where rows have a rowid, it stops at one with a value that is too large to be held.
  func statement(after place: Int64?) throws(StoreError) -> Statement {
    try statement(
      expressions.joined(separator: ", "),
      after: place,
      limit: -1,
      mostHeld: hasRowID ? LargeValue.mostHeld(ofEach: names.count) : Row.largestValue
    )
  }

  /// The row behind `place`, whose values are read in pieces; `nil` where they cannot be: without a rowid.
  func largeRow(after place: Int64?) throws(StoreError) -> LargeRow? {
    guard let rowID = layout.table.rowIDName else { return nil }
    let expressions = expressions.enumerated().map { number, expression in
      names[Int32(number)] == nil ? expression : LargeRow.expression(expression)
    }
    let row = try statement(expressions.joined(separator: ", "), after: place, limit: 1)
    guard case .row = try row.stepUnlessTooLarge() else { return nil }
    let place = row.integer(0)
    return LargeRow(
      row,
      of: database,
      table: layout.table.name,
      rowID: rowID,
      place: place,
      names: names
    )
  }

  /// The place of the row behind `place`, of which nothing else is read.
  ///
  /// - Throws: `StoreError.damaged(path:place:details:)` if it is missing.
  func place(after place: Int64?) throws(StoreError) -> Int64 {
    guard let rowID else { return (place ?? 0) + 1 }
    let row = try statement(rowID, after: place, limit: 1)
    guard try row.step() else {
      throw .damaged(path: database.name, place: layout.table.name, details: "keys out of order")
    }
    return row.integer(0)
  }

  private func statement(
    _ expressions: String,
    after place: Int64?,
    limit: Int,
    mostHeld: Int = Row.largestValue
  ) throws(StoreError) -> Statement {
    var sql = "SELECT \(expressions) FROM \(quoted(layout.table.name)) AS t NOT INDEXED"
    let isBehind = rowID.flatMap { place == nil ? nil : "\($0) > ?1" }
    let conditions = [layout.condition, isBehind].compactMap(\.self)
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    if let rowID {
      sql += " ORDER BY \(rowID) LIMIT \(limit)"
    } else {
      if !layout.table.hasRowID {
        sql += " ORDER BY " + layout.keyExpressions.map { "t." + $0 }.joined(separator: ", ")
      }
      if place != nil { sql += " LIMIT \(limit) OFFSET ?1" }
    }
    let statement = try database.statement(
      sql,
      mostHeld: mostHeld,
      purpose: "read the rows of \(layout.table.name)"
    )
    if let place { statement.bind(hasRowID ? place : max(place, 0), at: 1) }
    return statement
  }

  private static func source(
    _ field: FieldRequest,
    _ entity: EntityName,
    _ layout: SQLiteLayout,
    _ store: SQLiteStore,
    _ expressions: inout [String],
    _ names: inout [Int32: String]
  ) throws(StoreError) -> Source {
    func unknown(_ field: String, _ reason: String) -> StoreError {
      .unknownField(path: store.database.name, entity: entity, field: field, reason: reason)
    }
    switch field {
    case .attribute(let path):
      guard path.count == 1, let column = layout.table.column(path[0]) else {
        throw unknown(path.joined(separator: "."), "the table has no such column")
      }
      guard !column.isComputed else {
        throw unknown(column.name, "it is computed at each reading and not in the file")
      }
      let number = Int32(expressions.count)
      expressions.append("t." + quoted(column.name))
      names[number] = column.name
      return .plain(number)
    case .objectURI:
      return .address
    case .references(let name, _):
      throw unknown(name, "a plain SQLite database has no to-many relationships")
    case .joined(let join, _):
      throw .unjoined(join, of: entity, path: store.database.name)
    case .reference(let name, let identity):
      guard let reference = layout.references[name] else {
        throw unknown(name, "the table has no such foreign key")
      }
      return .reference(
        try SQLiteReference(to: reference, identity, of: "t", in: store, &expressions)
      )
    }
  }
}
