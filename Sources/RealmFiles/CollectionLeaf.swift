/// Lists, sets or dictionaries, each behind a reference of its own; 0 is an empty one.
struct CollectionLeaf: Leaf {
  let references: [Int64]
  let pass: ReadPass
  let collection: RealmProperty.Collection
  let form: LeafForm

  var count: Int { references.count }

  func value(at index: Int) throws(RealmError) -> RealmValue {
    let reference = references[index]
    switch collection {
    case .list: return .list(try pass.values(inTree: reference, form))
    case .set: return .set(try pass.values(inTree: reference, form))
    case .dictionary: return .dictionary(try pass.entries(inDictionary: reference))
    }
  }
}

extension ReadPass {
  /// The values of a B+ tree in their order, without links to deleted objects.
  func values(inTree reference: Int64, _ form: LeafForm) throws(RealmError) -> [RealmValue] {
    if reference == 0 { return [] }
    let skipsNull = if case .links = form { true } else { false }
    var values: [RealmValue] = []
    values.reserveCapacity(try valueCount(inTree: reference))
    try forEachLeaf(inTree: reference) { node throws(RealmError) in
      let leaf = try self.leaf(of: node, form)
      try self.take(elements: leaf.count)
      for index in 0..<leaf.count {
        let value = try leaf.value(at: index)
        if skipsNull, value == .null { continue }
        values.append(value)
      }
    }
    return values
  }

  /// How many values of a B+ tree are believed before they are read: none of one that is a leaf alone.
  private func valueCount(inTree reference: Int64) throws(RealmError) -> Int {
    let node = try node(at: reference)
    guard node.isInner else { return 0 }
    guard case .number(let count)? = try elements(of: node).values.last.map(Element.init) else {
      return 0
    }
    return min(Int(clamping: count), valueElementsLeft, 1 << 16)
  }

  /// Calls `body` with each leaf of a B+ tree in their order.
  ///
  /// An inner node holds the sizes of its children, the children, and twice the count of all
  /// values plus one.
  func forEachLeaf(
    inTree reference: Int64,
    depth: Int = 0,
    _ body: (Node) throws(RealmError) -> Void
  ) throws(RealmError) {
    let node = try node(at: reference)
    guard node.isInner else { return try body(node) }
    guard depth < ReadLimits.treeDepth else { throw .tooDeep(node.offset) }
    let elements = try elements(of: node)
    guard elements.count >= 2 else {
      throw .damaged(RealmPlace(offset: node.offset), cause: "an inner node lacks its count")
    }
    for index in 1..<elements.count - 1 {
      try forEachLeaf(inTree: elements.reference(index), depth: depth + 1, body)
    }
  }

  /// The entries of a dictionary; 0 is an empty one.
  ///
  /// From format 23 on it is a node of two B+ trees, of keys and values. In format 22 it is a cluster
  /// tree, whose objects have the keys' digests as their own keys.
  func entries(inDictionary reference: Int64, depth: Int = 0) throws(RealmError) -> [RealmEntry] {
    if reference == 0 { return [] }
    let (keys, values) =
      context.format >= 23
      ? try treeDictionary(reference, depth: depth)
      : try clusterDictionary(reference, depth: depth)
    guard keys.count == values.count, Set(keys).count == keys.count, !keys.contains(.null) else {
      throw .damaged(
        RealmPlace(offset: Int(reference)),
        cause: "a dictionary has \(keys.count) keys, \(Set(keys).count) of them distinct, and "
          + "\(values.count) values"
      )
    }
    return zip(try keys.map(held), values).map { RealmEntry(key: $0, value: $1) }
  }

  private func treeDictionary(
    _ reference: Int64,
    depth: Int
  ) throws(RealmError) -> ([RealmValue], [RealmValue]) {
    let parts = try elements(at: reference)
    let keys = try values(inTree: parts.reference(0), .strings(isOptional: true, keys: nil))
    return (keys, try mixedValues(inTree: parts.reference(1), depth: depth))
  }

  private func clusterDictionary(
    _ reference: Int64,
    depth: Int
  ) throws(RealmError) -> ([RealmValue], [RealmValue]) {
    var (keys, values): ([RealmValue], [RealmValue]) = ([], [])
    var clusters = ClusterCursor(ClusterTree(root: reference), self)
    while let cluster = try clusters.next() {
      let texts = try leaf(at: cluster.leaf(0), .strings(isOptional: true, keys: nil))
      let mixed = try MixedLeaf(node(at: cluster.leaf(1)), self, depth: depth)
      guard texts.count == cluster.keys.count, mixed.count == texts.count else {
        throw .damaged(RealmPlace(offset: cluster.offset), cause: "a dictionary's leaves differ")
      }
      try take(elements: 2 * texts.count)
      for index in 0..<texts.count {
        keys.append(try texts.value(at: index))
        values.append(try mixed.value(at: index))
      }
    }
    return (keys, values)
  }

  /// The values of a B+ tree of mixed values inside another such value.
  func mixedValues(inTree reference: Int64, depth: Int) throws(RealmError) -> [RealmValue] {
    if reference == 0 { return [] }
    var values: [RealmValue] = []
    try forEachLeaf(inTree: reference) { node throws(RealmError) in
      let leaf = try MixedLeaf(node, self, depth: depth)
      guard leaf.count <= ReadLimits.leafValueCount else {
        throw .damaged(RealmPlace(offset: node.offset), cause: "a leaf has \(leaf.count) values")
      }
      try self.take(elements: leaf.count)
      for index in 0..<leaf.count { values.append(try leaf.value(at: index)) }
    }
    return values
  }
}
