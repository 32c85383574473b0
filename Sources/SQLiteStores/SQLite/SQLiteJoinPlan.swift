import Records
import StoreFiles

/// The statement that lists what the rows of a join table lead to, in the order of the rows that they join.
struct SQLiteJoinPlan {
  /// What a row is ordered by: its rowid, or its number where its table has none.
  private let place: String
  private let selection: String
  private let order: String
  private let reference: SQLiteReference
  private let database: Database

  init(
    _ join: RowJoin,
    of entity: EntityName,
    identity: IdentityRule,
    in store: SQLiteStore
  ) throws(StoreError) {
    let owner = try store.layout(of: entity)
    let between = try store.layout(of: join.entity)
    func column(of link: RowJoin.Link) throws(StoreError) -> SQLiteLayout.Reference {
      if let found = try between.reference(link, in: store) { return found }
      throw .unknownField(
        path: store.database.name,
        entity: entity,
        field: join.name,
        reason: "\(join.entity) has no column for \(link.name) that leads to a table"
      )
    }
    let (own, other) = (try column(of: join.own), try column(of: join.other))
    guard own.parent == entity, let owners = owner.placed(own.parentColumn),
      between.condition == nil
    else {
      throw .unjoined(join, of: entity, path: store.database.name)
    }
    var expressions: [String] = []
    reference = try SQLiteReference(
      to: other,
      identity,
      of: "j",
      in: store,
      &expressions,
      from: 1
    )
    let collation = " COLLATE " + quoted(own.collation.name)
    let target = "o." + owner.table.expression(own.parentColumn)
    place = "o." + owners.place
    selection =
      "SELECT \(place), \(expressions.joined(separator: ", ")) "
      + "FROM \(between.pairs(own, other)) AS j JOIN \(owners.rows) AS o "
      + "ON \(target)\(collation) = j.\(quoted(own.column))\(collation) "
      + "WHERE j.\(quoted(other.column)) IS NOT NULL"
    order = " ORDER BY \(place), j.\(quoted(other.column)) COLLATE BINARY"
    database = store.database
  }

  /// Begins to read what is joined to the rows behind `place`.
  func stream(after place: Int64?, arena: Arena) throws(StoreError) -> ToManyStream {
    let start = place == nil ? "" : " AND \(self.place) > ?1"
    let pairs = try database.statement(selection + start + order, purpose: "read a join table")
    if let place { pairs.bind(place, at: 1) }
    return try ToManyStream(pairs) { reference.identity(in: $0, arena: arena, keeps: true) }
  }
}

extension SQLiteLayout {
  /// The rows as a table of a statement, with one of their columns, and the name of their place in it.
  ///
  /// That is the rowid, or their number in the order in which they are read; `nil` where only the reading
  /// itself numbers them.
  fileprivate func placed(_ column: String) -> (rows: String, place: String)? {
    guard condition == nil else { return nil }
    if let rowID = table.rowIDName { return (quoted(table.name), rowID) }
    guard !table.hasRowID else { return nil }
    let keys = keyExpressions.joined(separator: ", ")
    var place = "place"
    while table.declaredColumn(place) != nil { place += "_" }
    let number = "row_number() OVER (ORDER BY \(keys)) AS \(place)"
    let value = "\(quoted(column)) AS \(quoted(column))"
    // From the table itself, as they are read: an order that only the app has is nowhere else.
    return ("(SELECT \(value), \(number) FROM \(quoted(table.name)) NOT INDEXED)", place)
  }

  /// The pairs of two columns, each once.
  fileprivate func pairs(_ own: Reference, _ other: Reference) -> String {
    let columns: Set = [own.column, other.column]
    if table.uniqueKeys.contains(where: { columns.isSuperset(of: $0) }) {
      return quoted(table.name)
    }
    // Compared by their bytes: an order that only the app has is not known here.
    let names = columns.sorted().map { "\(quoted($0)) COLLATE BINARY AS \(quoted($0))" }
    return "(SELECT DISTINCT \(names.joined(separator: ", ")) FROM \(quoted(table.name)))"
  }

  /// What leads from a row to another one; `nil` where there is no column of that.
  fileprivate func reference(
    _ link: RowJoin.Link,
    in store: SQLiteStore
  ) throws(StoreError) -> Reference? {
    switch link {
    case .relationship(let name): return references[name]
    case .attribute(let name, let target, let key):
      let parent = try store.layout(of: target)
      guard let column = table.column(name), let found = parent.table.column(key),
        !column.isComputed, !found.isComputed
      else { return nil }
      return Reference(
        column: column.name,
        parent: target,
        parentColumn: found.name,
        collation: .binary
      )
    }
  }
}
