/// The values of one column for rows that lie together, decoded when they are asked for.
protocol Leaf {
  /// How many values there are.
  var count: Int { get }

  /// The value at a place below ``count``.
  func value(at index: Int) throws(RealmError) -> RealmValue
}

/// How the leaves of a column are written.
///
/// Each leaf has its own encoding besides, as its header says; the first says nothing of the next.
indirect enum LeafForm {
  /// Values of a kind that has its own encoding.
  case values(RealmProperty.Kind, isOptional: Bool)
  /// Strings, of which some leaves may hold numbers of keys.
  case strings(isOptional: Bool, keys: EnumeratedKeys?)
  /// Keys of objects; `isShifted` where 1 is added and 0 is null.
  case links(table: Int?, isShifted: Bool)
  /// References, each to a list, set or dictionary.
  case collections(RealmProperty.Collection, of: LeafForm)
  /// References, each to the columns of a sub-table; `isList` where its only column is a list.
  case rows([OldColumnLayout], isList: Bool)
}

extension ReadPass {
  /// Reads a leaf.
  func leaf(at reference: Int64, _ form: LeafForm) throws(RealmError) -> any Leaf {
    try leaf(of: node(at: reference), form)
  }

  /// Reads a leaf whose header was read.
  func leaf(of node: Node, _ form: LeafForm) throws(RealmError) -> any Leaf {
    let leaf = try unlimitedLeaf(of: node, form)
    guard leaf.count <= ReadLimits.leafValueCount else {
      throw .damaged(
        RealmPlace(offset: node.offset),
        cause: "a leaf has \(leaf.count) values, and no release writes that many"
      )
    }
    return leaf
  }

  private func unlimitedLeaf(of node: Node, _ form: LeafForm) throws(RealmError) -> any Leaf {
    switch form {
    case .values(let kind, let isOptional): try values(of: node, kind, isOptional: isOptional)
    case .strings(let isOptional, let keys):
      try StringLeaf(node, self, isOptional: isOptional, keys: keys)
    case .links(let table, let isShifted):
      LinkLeaf(keys: try integers(of: node), table: table, isShifted: isShifted)
    case .collections(let collection, let form):
      CollectionLeaf(
        references: try integers(of: node),
        pass: self,
        collection: collection,
        form: form
      )
    case .rows(let columns, let isList):
      RowsLeaf(
        references: try integers(of: node),
        pass: self,
        columns: columns,
        isList: isList
      )
    }
  }

  private func values(
    of node: Node,
    _ kind: RealmProperty.Kind,
    isOptional: Bool
  ) throws(RealmError) -> any Leaf {
    switch kind {
    case .int: try IntegerLeaf(node, self, hasMarker: isOptional)
    case .dateTime: DateTimeLeaf(seconds: try IntegerLeaf(node, self, hasMarker: isOptional))
    case .bool where context.hasRowNumbers:
      MarkedBoolLeaf(numbers: try IntegerLeaf(node, self, hasMarker: isOptional))
    case .bool: BoolLeaf(numbers: try integers(of: node), offset: node.offset)
    case .float: try FloatLeaf(node, self)
    case .double: try DoubleLeaf(node, self)
    case .string: try StringLeaf(node, self, isOptional: isOptional, keys: nil)
    case .data: DataLeaf(bytes: try ByteStringLeaf(binaries: node, self))
    case .timestamp: try TimestampLeaf(node, self)
    case .decimal: try DecimalLeaf(node, self)
    case .objectID: try FixedSizeLeaf(node, self, size: 12, RealmValue.objectID)
    case .uuid: try FixedSizeLeaf(node, self, size: 16, RealmValue.uuid)
    case .any: try MixedLeaf(node, self)
    case .link(let table): LinkLeaf(keys: try integers(of: node), table: table, isShifted: false)
    case .rows:
      throw .damaged(RealmPlace(offset: node.offset), cause: "a sub-table is inside a list")
    }
  }
}
