import JSONText
import PropertyLists
import Records

/// The rows of one entity of preferences, found by their ordinal, counted from one.
struct PreferenceTable {
  /// The rows in the form they came in; those of JSON each as the text of one object.
  enum Elements {
    case lists([PropertyList])
    case json([[UInt8]])
    /// Each under a key of its own, which is a member of the row as ``PreferenceTable/keyName``.
    case family([KeyFamily.Row])

    var count: Int {
      switch self {
      case .lists(let lists): lists.count
      case .json(let texts): texts.count
      case .family(let rows): rows.count
      }
    }
  }

  let entity: StoreEntity
  let elements: Elements
  /// The attribute that lists the names of a row's members that are there and null.
  let nullNames: String?

  /// The attribute of a family's rows that holds the whole key.
  static let keyName = "$key"

  /// An entity that would have more attributes than this is left as one value.
  private static let attributeLimit = 2000

  /// Looks at all rows; `nil` when they have too many names between them.
  init?(_ name: EntityName, _ elements: Elements) {
    var survey = Survey()
    for index in 0..<elements.count {
      survey.add(Self.members(of: elements, index))
      guard survey.columns.count <= Self.attributeLimit else { return nil }
    }
    self.init(name, elements, survey)
  }

  /// One row, which may have any number of members.
  init(_ name: EntityName, row: [PropertyList.Member]) {
    let elements = Elements.lists([.dictionary(row)])
    var survey = Survey()
    survey.add(Self.members(of: elements, 0))
    self.init(name, elements, survey)
  }

  private init(_ name: EntityName, _ elements: Elements, _ survey: Survey) {
    var nullNames: String? = survey.hasNull ? "$null" : nil
    while let taken = nullNames, survey.columns[taken] != nil { nullNames = "$" + taken }
    var attributes = survey.columns.map { name, column in
      StoreAttribute(
        name: name,
        kind: column.kind,
        isOptional: column.valueCount < elements.count
      )
    }
    attributes.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    if let nullNames {
      attributes.append(StoreAttribute(name: nullNames, kind: PreferenceValue.anyKind))
    }
    entity = StoreEntity(name: name, attributes: attributes)
    self.elements = elements
    self.nullNames = nullNames
  }

  /// The members of a row by their names.
  func members(of index: Int) -> [String: PreferenceValue] {
    Self.members(of: elements, index)
  }

  private static func members(of elements: Elements, _ index: Int) -> [String: PreferenceValue] {
    switch elements {
    case .lists(let lists):
      let members = lists[index].members ?? []
      return PreferenceMembers.byName(members.map { ($0.name, .list($0.value)) })
    case .json(let texts):
      do throws(JSONError) {
        let members = try JSONValue(parsing: texts[index]).object?.members ?? []
        return PreferenceMembers.byName(members.map { ($0.name, .json($0.value)) })
      } catch {
        preconditionFailure("the text was written by the room that reads JSON")
      }
    case .family(let rows):
      let row = rows[index]
      return row.members.merging([keyName: .list(.string(row.member.name))]) { _, key in key }
    }
  }
}

/// What is known of the attributes after some rows.
private struct Survey {
  struct Column {
    var kinds: Set<StoreAttribute.Kind> = []
    /// How many rows have a value that is not null.
    var valueCount = 0
    var hasLargeInteger = false

    /// The one kind that holds every value.
    var kind: StoreAttribute.Kind {
      if kinds.count == 1, let kind = kinds.first { return kind }
      if kinds == [.integer64, .double], !hasLargeInteger { return .double }
      return PreferenceValue.anyKind
    }
  }

  var columns: [String: Column] = [:]
  var hasNull = false

  mutating func add(_ members: [String: PreferenceValue]) {
    for (name, value) in members {
      var column = columns[name] ?? Column()
      if let kind = value.kind {
        column.kinds.insert(kind)
        column.valueCount += 1
        // JSON has one kind of number, a property list has two.
        if kind == .integer64, !value.isSmallInteger { column.hasLargeInteger = true }
      } else {
        hasNull = true
      }
      columns[name] = column
    }
  }
}
