import Records

/// The relationships that the tables alone make certain, by the number of the entity that has them.
struct SchemaOnlyRelationships {
  struct ToMany {
    let name: String
    let destination: Int
    let inverse: String?
    let place: LinkPlace
  }

  private(set) var toMany: [Int: [ToMany]] = [:]
  private(set) var pairTables: Set<String> = []

  /// Looks at the tables of pairs, and at the keys of owners in the tables of these trees.
  init(_ schema: StoreSchema, trees: [(number: Int, table: StoreSchema.Table)]) {
    for table in schema.tables.values.sorted(by: { $0.name < $1.name }) { addPairs(table) }
    for (number, table) in trees {
      for column in table.columns {
        guard case .ownerKey(let owner, let name) = ColumnForm(column.name, in: table) else {
          continue
        }
        toMany[owner, default: []].append(
          ToMany(
            name: name,
            destination: number,
            inverse: nil,
            place: .key(
              table: table.name,
              column: column.name,
              order: table.column(ColumnForm.order(of: column.name))
            )
          )
        )
      }
    }
  }

  /// `Z_<n><NAME>` with two columns of keys, or one and `REFLEXIVE`.
  private mutating func addPairs(_ table: StoreSchema.Table) {
    guard let title = PairColumn(table.name) else { return }
    let names = table.columns.map(\.name).filter { !$0.hasPrefix("Z_FOK_") }
    let columns = names.compactMap { PairColumn($0)?.called(as: title.name) }
    guard names.count == 2, columns.contains(where: { $0.name == title.name }) else { return }
    if columns.count == 1, names.contains("REFLEXIVE") {
      let column = columns[0]
      add(from: column.number, along: column, own: "REFLEXIVE", inverse: column.name, table)
    } else if columns.count == 2 {
      let (first, second) = (columns[0], columns[1])
      add(from: second.number, along: first, own: second.column, inverse: second.name, table)
      add(from: first.number, along: second, own: first.column, inverse: first.name, table)
    } else {
      return
    }
    pairTables.insert(table.name)
  }

  private mutating func add(
    from owner: Int,
    along column: PairColumn,
    own: String,
    inverse: String,
    _ table: StoreSchema.Table
  ) {
    toMany[owner, default: []].append(
      ToMany(
        name: column.name,
        destination: column.number,
        inverse: inverse,
        place: .pairs(
          table: table.name,
          own: own,
          other: column.column,
          order: table.column(startingWith: "Z_FOK_\(column.number)\(column.name)"),
          isSymmetric: own == "REFLEXIVE"
        )
      )
    )
  }
}
