/// Rows that lie together, a leaf for each property that is wanted.
struct RowBatch {
  let keys: ObjectKeys
  let leaves: [any Leaf]
}

/// Where the rows of a table come from, and which of their properties are wanted.
struct RowSource {
  let table: RealmTable
  let layout: TableLayout
  let properties: [Int]
  let pass: ReadPass

  /// The place of a property, for messages.
  func place(of column: Int, key: Int64? = nil) -> RealmPlace {
    RealmPlace(table: table.name, property: table.properties[properties[column]].name, key: key)
  }

  /// How many rows there are.
  func count() throws(RealmError) -> Int {
    try locating(RealmPlace(table: table.name)) { () throws(RealmError) in
      switch layout.storage {
      case .clusters(let tree, _): try tree?.count(pass) ?? 0
      case .columns(let reference, _, let first): try rowCount(reference, first)
      }
    }
  }

  private func rowCount(
    _ reference: Int64?,
    _ first: OldColumnLayout?
  ) throws(RealmError) -> Int {
    guard let reference, let first else { return 0 }
    return try pass.oldColumn(first, in: pass.elements(at: reference)).count
  }

  /// The rows of a cluster.
  func batch(of cluster: Cluster, _ columns: [ClusterColumn]) throws(RealmError) -> RowBatch {
    var leaves: [any Leaf] = []
    for (column, property) in properties.enumerated() {
      let layout = columns[property]
      leaves.append(
        try locating(place(of: column)) { () throws(RealmError) in
          let leaf = try pass.leaf(at: cluster.leaf(layout.leafIndex), layout.form)
          try expect(leaf.count, of: cluster.keys.count, offset: cluster.offset)
          return leaf
        }
      )
    }
    return RowBatch(keys: cluster.keys, leaves: leaves)
  }

  /// All rows of a table of formats up to 9.
  func batch(
    ofColumns reference: Int64?,
    _ columns: [OldColumnLayout],
    first: OldColumnLayout?
  ) throws(RealmError) -> RowBatch {
    let count = try count()
    var leaves: [any Leaf] = []
    guard let reference else { return RowBatch(keys: .consecutive(0, count: 0), leaves: []) }
    let list = try locating(RealmPlace(table: table.name)) { () throws(RealmError) in
      try pass.elements(at: reference)
    }
    for (column, property) in properties.enumerated() {
      leaves.append(
        try locating(place(of: column)) { () throws(RealmError) in
          let leaf = try pass.oldColumn(columns[property], in: list)
          try expect(leaf.count, of: count, offset: list.node.offset)
          return leaf
        }
      )
    }
    return RowBatch(keys: .consecutive(0, count: count), leaves: leaves)
  }

  private func expect(_ found: Int, of count: Int, offset: Int) throws(RealmError) {
    guard found == count else {
      throw .damaged(RealmPlace(offset: offset), cause: "\(found) values are of \(count) rows")
    }
  }
}
