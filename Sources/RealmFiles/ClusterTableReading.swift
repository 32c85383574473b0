/// A table of formats from 10 on.
///
/// Its node has 12 to 14 elements: the specification of its columns (0), the tree of its objects (2), its
/// key (3), the keys of its links' targets by the number of the column's leaf (7), the key of its primary
/// key's column (11), and its kind (12).
struct ClusterTableReading {
  let table: RealmTable
  let layout: TableLayout

  private let pass: ReadPass
  /// The keys of links' targets, by the number of the column's leaf.
  private let targets: [Int64]

  init(_ entry: TopNode.Entry, _ node: ElementList, _ pass: ReadPass) throws(RealmError) {
    self.pass = pass
    targets =
      try node.optionalReference(7).map { reference throws(RealmError) in
        try pass.integers(at: reference)
      } ?? []
    let columns = try ColumnSpecification(pass.elements(at: node.reference(0)), pass)
    var (properties, places): ([RealmProperty], [ClusterColumn]) = ([], [])
    var primaryKey: Int?
    for column in columns.columns {
      if let key = node.number(11), key == UInt64(bitPattern: column.key) {
        primaryKey = properties.count
      }
      let (property, place) = try Self.property(column, targets, pass)
      properties.append(property)
      places.append(place)
    }
    table = RealmTable(
      name: entry.name,
      kind: try Self.kind(node),
      properties: properties,
      primaryKey: primaryKey,
      hasRowNumbers: false
    )
    layout = TableLayout(
      storage: .clusters(node.optionalReference(2).map(ClusterTree.init), places)
    )
  }

  /// The key that links name the table with.
  static func key(of node: ElementList, position: Int) -> Int64 {
    node.number(3).flatMap { Int64(exactly: $0) } ?? Int64(position)
  }

  private static func kind(_ node: ElementList) throws(RealmError) -> RealmTable.Kind {
    switch (node.number(12) ?? 0) & 3 {
    case 0: return .plain
    case 1: return .embedded
    case 2: return .asymmetric
    case let other:
      throw .damaged(RealmPlace(offset: node.node.offset), cause: "the table is of kind \(other)")
    }
  }

  private static func property(
    _ column: ColumnSpecification.Column,
    _ targets: [Int64],
    _ pass: ReadPass
  ) throws(RealmError) -> (RealmProperty, ClusterColumn) {
    let type = try ColumnType.reading(column.type & 0xFFFF, of: column.name)
    let leafIndex = Int(column.key & 0xFFFF)
    let kind: RealmProperty.Kind
    switch type {
    case .link, .linkList:
      let target = leafIndex < targets.count ? targets[leafIndex] : -1
      kind = .link(table: pass.context.tablePlace(ofKey: target))
    case let other:
      guard let plain = other.plainKind else {
        throw .unsupported(RealmPlace(property: column.name), cause: "its type is \(type)")
      }
      kind = plain
    }
    let collection = type == .linkList ? .list : column.attributes.collection
    // The bits above a type say what a dictionary's keys are, and have been strings always.
    guard collection != .dictionary || [0, 2].contains(column.type >> 16) else {
      throw .unsupported(
        RealmPlace(property: column.name),
        cause: "the keys of its dictionaries are of type \(column.type >> 16)"
      )
    }
    let isOptional = column.attributes.contains(.nullable)
    let property = RealmProperty(
      name: column.name,
      kind: kind,
      isOptional: isOptional || type == .link && collection == nil,
      collection: collection,
      isIndexed: column.attributes.contains(.indexed)
    )
    let keys = try column.keys.map { reference throws(RealmError) in
      try EnumeratedKeys(at: reference, isOptional: isOptional, pass)
    }
    let form = LeafForm(kind, isOptional: isOptional, in: collection, keys: keys)
    return (property, ClusterColumn(leafIndex: leafIndex, form: form))
  }
}

extension ReadPass {
  /// Refuses a table with more columns than are read.
  func expect(columnCount count: Int) throws(RealmError) {
    guard count <= ReadLimits.tableCount else {
      throw .tooLarge(RealmPlace(), cause: "it has \(count) columns")
    }
  }
}

/// The columns of a table of formats from 10 on, without those that are derived (backlinks).
///
/// Six elements: types, names, attributes, nothing, references to distinct strings by column, and column
/// keys, of which the lowest 16 bits are the number of the column's leaf.
struct ColumnSpecification {
  struct Column {
    let name: String
    let type: Int64
    let attributes: ColumnAttributes
    let key: Int64
    /// Where the column's distinct strings are, if it has them.
    let keys: Int64?
  }

  let columns: [Column]

  init(_ node: ElementList, _ pass: ReadPass) throws(RealmError) {
    let types = try pass.integers(at: node.reference(0))
    let names = try pass.names(at: node.reference(1))
    let attributes = try pass.integers(at: node.reference(2))
    let keys = try pass.integers(at: node.reference(5))
    let strings = try node.optionalReference(4).map { reference throws(RealmError) in
      try pass.elements(at: reference)
    }
    let isDerived = { (type: Int64) in type & 0xFFFF == ColumnType.backlink.rawValue }
    try pass.expect(columnCount: types.count)
    guard Set(keys.map { $0 & 0xFFFF }).count == keys.count else {
      throw .damaged(RealmPlace(offset: node.node.offset), cause: "two columns have one leaf")
    }
    guard attributes.count == types.count, keys.count == types.count,
      names.count >= types.count(where: { !isDerived($0) })
    else {
      throw .damaged(
        RealmPlace(offset: node.node.offset),
        cause:
          "\(types.count) columns have \(names.count) names, \(attributes.count) attributes and "
          + "\(keys.count) keys"
      )
    }
    var columns: [Column] = []
    for (index, type) in types.enumerated() where !isDerived(type) {
      columns.append(
        Column(
          name: names[columns.count],
          type: type,
          attributes: ColumnAttributes(rawValue: attributes[index]),
          key: keys[index],
          keys: strings?.optionalReference(index)
        )
      )
    }
    self.columns = columns
  }
}
