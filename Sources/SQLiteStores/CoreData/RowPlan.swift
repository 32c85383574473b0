import Records
import StoreFiles

/// A request made ready: the statement over the entity's table, and where each cell comes from.
struct RowPlan {
  /// Where a cell comes from; numbers are columns of the statement.
  enum Source {
    case plain(Int32)
    case decoded(Int32, AttributeDecoding)
    case address
    case reference(ReferenceColumns)
    /// The to-many stream with this index.
    case references(Int)
    /// The tables hold nothing for this to-many relationship.
    case nothing
  }

  /// What a to-one relationship is read from.
  struct ReferenceColumns {
    let key: Int32
    /// The number of the entity the relationship is declared to lead to.
    let destination: Int
    let target: TargetSource
  }

  /// Where the row is that a relationship leads to.
  enum TargetSource {
    /// The store has no table for it.
    case nowhere
    /// Among these, each known by its address.
    case rows(TargetRows)
    /// In the same statement: the target's entity, which is NULL where the store has no such row, and its
    /// identity.
    case joined(entity: Int32, identity: Int32)
  }

  let store: CoreDataStore
  let layout: EntityLayout
  /// What is read of a row, and where from; `nil` when the store has no table for the entity.
  private var selection: String?
  /// The same with the kinds of texts and bytes in their place, and the rowid behind it.
  private var largeSelection: String?
  /// The columns of the table that values are read from, by their columns in the statement.
  private(set) var names: [Int32: String] = [:]
  private(set) var sources: [Source] = []
  private(set) var streams: [ToManyPlan] = []
  let after: Int64?

  /// What relationships lead to, each once, however many lead there.
  private var targetRows: [TargetPlace: TargetRows] = [:]
  private let keySpace = KeySpace()

  private struct TargetPlace: Hashable {
    let table: String
    let numbers: [Int]
  }

  private var columns = ["t.Z_PK"]
  private var joins: [String] = []

  /// SQLite joins at most 64 tables in one statement.
  private static let largestJoinCount = 60
  private static let largestColumnCount = 1900

  init(_ request: RowRequest, of store: CoreDataStore) throws(StoreError) {
    self.store = store
    after = request.after
    layout = try store.layout(of: request.entity)
    for field in request.fields { sources.append(try source(of: field)) }
    guard joins.count <= Self.largestJoinCount else {
      throw .tooWide(
        path: store.database.name,
        entity: layout.name,
        limit: "at most \(Self.largestJoinCount) references in one request"
      )
    }
    guard columns.count <= Self.largestColumnCount else {
      throw .tooWide(
        path: store.database.name,
        entity: layout.name,
        limit: "at most \(Self.largestColumnCount) columns in one request"
      )
    }
    guard let table = layout.table else { return }
    let tables = " FROM \(quoted(table)) AS t NOT INDEXED" + joins.joined()
    selection = "SELECT " + columns.joined(separator: ", ") + tables
    let kinds = columns.enumerated().map { number, column in
      names[Int32(number)] == nil ? column : LargeRow.expression(column)
    }
    largeSelection = "SELECT \(kinds.joined(separator: ", ")), t.rowid" + tables
  }

  /// Begins to read the rows, those behind `place` alone where there is one.
  func statement(after place: Int64?) throws(StoreError) -> Statement? {
    guard let selection else { return nil }
    let mostHeld = LargeValue.mostHeld(ofEach: names.count)
    return try statement(selection, after: place, limit: "", mostHeld: mostHeld)
  }

  /// The row behind `place`, whose values are read in pieces; `nil` where what it refers to is too large.
  func largeRow(after place: Int64?) throws(StoreError) -> LargeRow? {
    guard let largeSelection, let table = layout.table else { return nil }
    let row = try statement(largeSelection, after: place, limit: " LIMIT 1")
    guard case .row = try row.stepUnlessTooLarge() else { return nil }
    let place = row.integer(Int32(columns.count))
    return LargeRow(
      row,
      of: store.database,
      table: table,
      rowID: "rowid",
      place: place,
      names: names
    )
  }

  /// The place of the row behind `place`, of which nothing else is read.
  ///
  /// - Throws: `StoreError.damaged(path:place:details:)` if it is missing.
  func place(after place: Int64?) throws(StoreError) -> Int64 {
    let table = layout.table ?? ""
    let selection = "SELECT t.Z_PK FROM \(quoted(table)) AS t NOT INDEXED"
    let row = try statement(selection, after: place, limit: " LIMIT 1")
    guard try row.step() else {
      throw .damaged(path: store.database.name, place: table, details: "keys out of order")
    }
    return row.integer(0)
  }

  private func statement(
    _ selection: String,
    after place: Int64?,
    limit: String,
    mostHeld: Int = Row.largestValue
  ) throws(StoreError) -> Statement {
    let start = place == nil ? "" : " AND t.Z_PK > ?1"
    let statement = try store.database.statement(
      selection + " WHERE t.Z_ENT = \(layout.number)\(start) ORDER BY t.Z_PK" + limit,
      mostHeld: mostHeld,
      purpose: "read the rows of \(layout.table ?? "")"
    )
    if let place { statement.bind(place, at: 1) }
    return statement
  }

  private mutating func source(of field: FieldRequest) throws(StoreError) -> Source {
    switch field {
    case .attribute(let path): try attribute(path)
    case .objectURI: .address
    case .reference(let name, let identity): try reference(name, identity)
    case .references(let name, let identity): try references(name, identity)
    case .joined(let join, _): throw .unjoined(join, of: layout.name, path: store.database.name)
    }
  }

  private mutating func add(_ column: String) -> Int32 {
    columns.append(column)
    return Int32(columns.count - 1)
  }
}

// MARK: - Attributes

extension RowPlan {
  private mutating func attribute(_ path: [String]) throws(StoreError) -> Source {
    guard let leaf = layout.leaves[path] else {
      throw unknown(path.joined(separator: "."), "the entity has no such stored attribute")
    }
    guard layout.table != nil else { return .nothing }
    guard let column = leaf.column else { throw missing(path.joined(separator: ".")) }
    let number = add("t." + quoted(column))
    names[number] = column
    let decoding = AttributeDecoding(leaf)
    return decoding.isNothing ? .plain(number) : .decoded(number, decoding)
  }

  private func unknown(_ field: String, _ reason: String) -> StoreError {
    .unknownField(path: store.database.name, entity: layout.name, field: field, reason: reason)
  }

  private func missing(_ field: String) -> StoreError {
    .missingColumn(
      path: store.database.name,
      entity: layout.name,
      field: field,
      place: "table \(layout.table ?? "none")"
    )
  }
}

// MARK: - Relationships

extension RowPlan {
  private mutating func reference(
    _ name: String,
    _ identity: IdentityRule
  ) throws(StoreError) -> Source {
    guard let toOne = layout.toOne[name] else {
      throw unknown(name, "the entity has no such to-one relationship")
    }
    let target = try Target(toOne.destination, identity, of: self, field: name)
    guard layout.table != nil else { return .nothing }
    guard let column = toOne.column else { throw missing(name) }
    let key = add("t." + quoted(column))
    return .reference(
      ReferenceColumns(key: key, destination: target.number, target: found(target, by: column))
    )
  }

  /// Where the row of a target is found whose key is in a column.
  private mutating func found(_ target: Target, by column: String) -> TargetSource {
    guard let table = target.table else { return .nowhere }
    guard let identity = target.identityColumn else {
      return .rows(rows(of: target, in: table))
    }
    let alias = "d\(joins.count)"
    joins.append(
      " LEFT JOIN \(quoted(table)) AS \(alias) ON \(alias).Z_PK = t.\(quoted(column)) "
        + "AND \(target.condition(alias))"
    )
    let entity = add("\(alias).Z_ENT")
    return .joined(entity: entity, identity: add("\(alias).\(quoted(identity))"))
  }

  private mutating func rows(of target: Target, in table: String) -> TargetRows {
    let place = TargetPlace(table: table, numbers: target.numbers)
    if let rows = targetRows[place] { return rows }
    let rows = TargetRows(target, in: table, of: store.database, keySpace)
    targetRows[place] = rows
    return rows
  }

  private mutating func references(
    _ name: String,
    _ identity: IdentityRule
  ) throws(StoreError) -> Source {
    guard let toMany = try relationship(name) else {
      throw unknown(name, "the entity has no such to-many relationship")
    }
    let target = try Target(toMany.destination, identity, of: self, field: name)
    guard let place = toMany.place else { return .nothing }
    let stream = ToManyPlan(place, target: target) { rows(of: $0, in: $1) }
    streams.append(stream)
    return .references(streams.count - 1)
  }

  /// A to-many relationship; `rows.other` is what rows between lead to, which are then a table of pairs.
  private func relationship(_ name: String) throws(StoreError) -> EntityLayout.ToMany? {
    if let found = layout.toMany[name] { return found }
    let names = name.split(separator: ".").map(String.init)
    guard names.count == 2, let rows = layout.toMany[names[0]] else { return nil }
    let between = try store.layout(of: rows.destination)
    guard let other = between.toOne[names[1]] else { return nil }
    guard case .key(let table, let own, let order)? = rows.place, let column = other.column else {
      return EntityLayout.ToMany(place: nil, destination: other.destination)
    }
    let place = LinkPlace.pairs(
      table: table,
      own: own,
      other: column,
      order: order,
      isSymmetric: false
    )
    return EntityLayout.ToMany(place: place, destination: other.destination)
  }

  /// What a relationship leads to, and by what its records are known.
  struct Target {
    let number: Int
    let table: String?
    let identityColumn: String?
    /// The numbers of the entity and of those that inherit from it.
    let numbers: [Int]
    /// How many rows the table has, also of other entities.
    let tableRowCount: Int

    /// That a row of the table is a target; any other row is not one that the app sees there.
    func condition(_ alias: String) -> String {
      "\(alias).Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
    }

    init(
      _ name: EntityName,
      _ identity: IdentityRule,
      of plan: RowPlan,
      field: String
    ) throws(StoreError) {
      let layout = try plan.store.layout(of: name)
      number = layout.number
      table = layout.table
      let tree = plan.store.model.tree(of: name).filter { plan.store.layouts[$0] != nil }
      numbers = tree.compactMap { plan.store.layouts[$0]?.number }
      var count = 0
      for (entity, other) in plan.store.layouts where other.table == layout.table {
        count += try plan.store.rowCount(of: entity)
      }
      tableRowCount = count
      guard case .attribute(let attribute) = identity else {
        identityColumn = nil
        return
      }
      guard let leaf = layout.leaves[[attribute]] else {
        throw plan.unknown(field, "its destination \(name) has no attribute \(attribute)")
      }
      guard Self.canIdentify(leaf.kind) else {
        throw plan.unknown(
          field,
          "\(name).\(attribute) is neither a string nor a UUID nor an integer"
        )
      }
      guard leaf.column != nil || layout.table == nil else {
        throw plan.missing("\(name).\(attribute)")
      }
      identityColumn = leaf.column
    }

    private static func canIdentify(_ kind: StoreAttribute.Kind) -> Bool {
      switch kind {
      case .string, .uuid, .uri, .integer16, .integer32, .integer64, .undeclared: true
      case .decimal, .double, .float, .boolean, .date, .binary, .transformable, .objectID,
        .composite:
        false
      }
    }
  }
}
