/// A table of formats up to 9: the specification of its columns, and the columns.
struct OldTableReading {
  let table: RealmTable
  let layout: TableLayout

  init(_ entry: TopNode.Entry, _ node: ElementList, _ pass: ReadPass) throws(RealmError) {
    // An upgrade adds elements first, and the format's number changes when it is done.
    guard node.count <= 2 else { throw .interruptedUpgrade(table: entry.name) }
    let columns = try OldSpecification(pass.elements(at: node.reference(0)), pass)
    table = RealmTable(
      name: entry.name,
      kind: .plain,
      properties: columns.properties,
      primaryKey: nil,
      hasRowNumbers: true
    )
    layout = TableLayout(
      storage: .columns(node.optionalReference(1), columns.layouts, first: columns.first)
    )
  }
}

/// The columns of a table or sub-table of formats up to 9, without those that are derived (backlinks).
///
/// Three to five elements: types, names, attributes, sub-specifications, and distinct strings. The last
/// two have entries for the columns of some types only: a sub-specification each for sub-tables, the
/// target's position for links and lists of them, two for backlinks; distinct strings for type 3.
struct OldSpecification {
  private(set) var properties: [RealmProperty] = []
  private(set) var layouts: [OldColumnLayout] = []
  /// The first column, derived or not, whose length is the count of rows.
  private(set) var first: OldColumnLayout?

  private let pass: ReadPass
  private let subordinates: ElementList?
  private let strings: ElementList?
  private var subordinateCount = 0
  private var stringsCount = 0
  private let depth: Int

  init(_ node: ElementList, _ pass: ReadPass, depth: Int = 0) throws(RealmError) {
    guard depth < ReadLimits.treeDepth else { throw .tooDeep(node.node.offset) }
    self.pass = pass
    self.depth = depth
    let types = try pass.integers(at: node.reference(0))
    let names = try pass.names(at: node.reference(1))
    let attributes = try pass.integers(at: node.reference(2))
    try pass.expect(columnCount: types.count)
    let list = { (index: Int) throws(RealmError) -> ElementList? in
      guard let reference = node.optionalReference(index) else { return nil }
      return try pass.elements(at: reference)
    }
    subordinates = try list(3)
    strings = try list(4)
    guard attributes.count == types.count,
      names.count >= types.count(where: { $0 != ColumnType.backlink.rawValue })
    else {
      throw .damaged(
        RealmPlace(offset: node.node.offset),
        cause: "\(types.count) columns have \(names.count) names and \(attributes.count) attributes"
      )
    }
    var slot = 0
    for (type, flags) in zip(types, attributes) {
      let attributes = ColumnAttributes(rawValue: flags)
      try add(type, attributes, names, slot: slot)
      slot += attributes.contains(.indexed) ? 2 : 1
    }
  }

  private mutating func add(
    _ number: Int64,
    _ attributes: ColumnAttributes,
    _ names: [String],
    slot: Int
  ) throws(RealmError) {
    if number == ColumnType.backlink.rawValue {
      subordinateCount += 2
      first = first ?? OldColumnLayout(slot: slot, form: .values(.int, isOptional: false))
      return
    }
    let name = names[properties.count]
    let isOptional = attributes.contains(.nullable)
    var property = (kind: RealmProperty.Kind.int, isOptional: isOptional, isList: false)
    var form: LeafForm
    switch try ColumnType.reading(number, of: name) {
    case .subtable:
      let columns = try subspecification()
      property = Self.kind(ofSubtable: columns)
      form = .rows(columns.layouts, isList: property.isList)
    case .link:
      property = (.link(table: try target()), true, false)
      form = LeafForm(property.kind, isOptional: true, in: nil)
    case .linkList:
      property = (.link(table: try target()), false, true)
      form = LeafForm(property.kind, isOptional: false, in: .list)
    case let type:
      guard let kind = type.plainKind else {
        throw .unsupported(RealmPlace(property: name), cause: "its type is \(type)")
      }
      property.kind = kind
      let keys = type == .enumeratedString ? try enumeratedKeys(isOptional: isOptional) : nil
      form = LeafForm(kind, isOptional: isOptional, in: nil, keys: keys)
    }
    let layout = OldColumnLayout(slot: slot, form: form)
    first = first ?? layout
    layouts.append(layout)
    properties.append(
      RealmProperty(
        name: name,
        kind: property.kind,
        isOptional: property.isOptional,
        collection: property.isList ? .list : nil,
        isIndexed: attributes.contains(.indexed)
      )
    )
  }

  /// A list of values is a sub-table whose one column has a name of Realm's own.
  private static func kind(
    ofSubtable columns: OldSpecification
  ) -> (RealmProperty.Kind, Bool, Bool) {
    guard columns.properties.count == 1, let only = columns.properties.first,
      only.name == "!ARRAY_VALUE", only.collection == nil
    else { return (.rows(columns.properties), false, false) }
    return (only.kind, only.isOptional, true)
  }

  private mutating func subspecification() throws(RealmError) -> OldSpecification {
    defer { subordinateCount += 1 }
    guard let reference = subordinates?.optionalReference(subordinateCount) else {
      throw .damaged(RealmPlace(), cause: "a sub-table has no specification")
    }
    return try OldSpecification(pass.elements(at: reference), pass, depth: depth + 1)
  }

  private mutating func target() throws(RealmError) -> Int? {
    defer { subordinateCount += 1 }
    guard let position = subordinates?.number(subordinateCount) else {
      throw .damaged(RealmPlace(), cause: "a link has no target")
    }
    return Int64(exactly: position).flatMap(pass.context.tablePlace(ofKey:))
  }

  private mutating func enumeratedKeys(isOptional: Bool) throws(RealmError) -> EnumeratedKeys {
    defer { stringsCount += 1 }
    guard let reference = strings?.optionalReference(stringsCount) else {
      throw .damaged(RealmPlace(), cause: "a column has no distinct strings")
    }
    return try EnumeratedKeys(at: reference, isOptional: isOptional, pass)
  }
}
