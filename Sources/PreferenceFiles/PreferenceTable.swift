import JSONText
import PropertyLists
import Records
import StoreFiles

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
  private let names: DistinctNames

  /// The attribute of a family's rows that holds the whole key.
  static let keyName = "$key"

  /// An entity that would have more attributes than this is left as one value.
  private static let attributeLimit = 2000

  /// Looks at all rows; `nil` when they have too many names between them.
  init?(_ name: EntityName, _ elements: Elements) {
    var survey = PreferenceSurvey()
    for index in 0..<elements.count {
      survey.add(Self.members(of: elements, index))
      guard survey.textCount <= Self.attributeLimit else { return nil }
    }
    survey.joinSpellings()
    guard survey.columns.count <= Self.attributeLimit else { return nil }
    self.init(name, elements, survey)
  }

  /// The keys of the preferences as one row, which may have any number of members.
  init(_ name: EntityName, row: [PropertyList.Member]) {
    let elements = Elements.lists([.dictionary(row)])
    var survey = PreferenceSurvey()
    survey.add(Self.members(of: elements, 0))
    survey.joinSpellings()
    self.init(name, elements, survey, holdsPreferences: true)
  }

  private init(
    _ name: EntityName,
    _ elements: Elements,
    _ survey: PreferenceSurvey,
    holdsPreferences: Bool = false
  ) {
    var nullNames: String? = survey.hasNull ? "$null" : nil
    while let taken = nullNames, survey.columns[ExactName(text: taken)] != nil {
      nullNames = "$" + taken
    }
    let names = DistinctNames(
      survey.columns.keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    )
    var attributes = survey.columns.map { member, column in
      StoreAttribute(
        name: names.name(of: member.text),
        kind: column.kind,
        isOptional: column.valueCount < elements.count
      )
    }
    attributes.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    if let nullNames {
      attributes.append(StoreAttribute(name: nullNames, kind: PreferenceValue.anyKind))
    }
    entity = StoreEntity(
      name: name,
      attributes: attributes,
      holdsPreferences: holdsPreferences
    )
    self.elements = elements
    self.nullNames = nullNames
    self.names = names
  }

  /// The members of a row by the attributes that they are.
  func members(of index: Int) -> [String: PreferenceValue] {
    Dictionary(
      Self.members(of: elements, index).map { (names.name(of: $0.name), $0.value) },
      uniquingKeysWith: { _, last in last }
    )
  }

  private static func members(of elements: Elements, _ index: Int) -> [PreferenceMember] {
    switch elements {
    case .lists(let lists): return PreferenceMember.all(of: lists[index].members ?? [])
    case .json(let texts):
      do throws(JSONError) {
        return try PreferenceMember.all(of: JSONValue(parsing: texts[index]).object ?? [:])
      } catch {
        preconditionFailure("the text was written by the module that reads JSON")
      }
    case .family(let rows):
      let key = PropertyList.string(rows[index].member.name)
      return rows[index].members + [PreferenceMember(name: keyName, value: .list(key))]
    }
  }

  /// What says which members are called otherwise than in their rows.
  var findings: [Finding] {
    let renamed = names.renamed.sorted { $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) }
    return renamed.map { member, name in
      let reason =
        member.text.isEmpty
        ? "a member has no name"
        : "the member “\(member.text.prefix(200))” has the name of another in other bytes"
      return Finding(
        code: "preferences.field-renamed",
        severity: .note,
        entity: entity.name,
        cause: reason,
        cure: "it is called \(name) here"
      )
    }
  }
}
