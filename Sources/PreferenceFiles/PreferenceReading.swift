import JSONText
import PropertyLists
import Records
import StoreFiles

/// Sorts the keys of preferences into entities of their own and plain attributes.
struct PreferenceReading {
  private var plain: [PropertyList.Member] = []
  private var own: [PreferenceTable] = []
  private var ownNames: Set<EntityName> = []
  private var unnamed: [String] = []
  private var tooWide: [String] = []
  private var families: [String: KeyFamily] = [:]
  private var familyNotes: [Finding] = []

  /// How many keys hold no records so far.
  var plainCount: Int { plain.count }

  mutating func add(_ member: PropertyList.Member) {
    guard let elements = Self.elements(of: member.value) else {
      if let family = KeyFamily.name(of: member.name),
        families[family, default: KeyFamily()].take(member)
      {
        return
      }
      plain.append(member)
      return
    }
    guard let name = EntityName(member.name), name != PreferencesStore.rootEntity,
      !ownNames.contains(name)
    else {
      unnamed.append(member.name)
      plain.append(member)
      return
    }
    guard let table = PreferenceTable(name, elements) else {
      tooWide.append(member.name)
      plain.append(member)
      return
    }
    own.append(table)
    ownNames.insert(name)
  }

  /// The tables by their names, that of the plain keys first.
  mutating func tables(root: EntityName) -> [PreferenceTable] {
    for name in families.keys.sorted() { settle(families[name]?.rows ?? [], named: name) }
    families = [:]
    return [PreferenceTable(root, row: plain)] + own.sorted { $0.entity.name < $1.entity.name }
  }

  /// Makes an entity of the rows, where the name is free and none of them has the key's name.
  private mutating func settle(_ rows: [KeyFamily.Row], named text: String) {
    guard !rows.isEmpty else { return }
    guard let name = EntityName(text), name != PreferencesStore.rootEntity,
      !ownNames.contains(name),
      !rows.contains(where: { $0.members.contains { $0.name == PreferenceTable.keyName } }),
      let table = PreferenceTable(name, .family(rows))
    else {
      plain += rows.map(\.member)
      return
    }
    own.append(table)
    ownNames.insert(name)
    familyNotes.append(
      Finding(
        code: "preferences.key-family",
        severity: .note,
        entity: name,
        cause: "\(rows.count) keys are “\(text)” and a UUID, and hold a record each",
        cure: "no action is needed: each is a row, with its key as \(PreferenceTable.keyName)"
      )
    )
  }

  var findings: [Finding] {
    var findings = familyNotes
    if !unnamed.isEmpty {
      findings.append(
        Finding(
          code: "preferences.entity-name",
          severity: .note,
          entity: PreferencesStore.rootEntity,
          cause: "\(unnamed.count) keys hold records and cannot name an entity: "
            + KeyList.text(unnamed),
          cure: "no action is needed: each is one attribute of Preferences"
        )
      )
    }
    if !tooWide.isEmpty {
      findings.append(
        Finding(
          code: "preferences.too-many-names",
          severity: .note,
          entity: PreferencesStore.rootEntity,
          cause: "\(tooWide.count) keys hold records with too many different names: "
            + KeyList.text(tooWide),
          cure: "no action is needed: each is one attribute of Preferences"
        )
      )
    }
    return findings
  }

  /// The rows that a value holds, or `nil` when it is no array of dictionaries.
  private static func elements(of value: PropertyList) -> PreferenceTable.Elements? {
    guard case .data(let bytes) = value else { return lists(value) }
    switch EncodedData(bytes) {
    case .list(let list): return lists(list)
    case .json(let text), .archive(let text): return objects(text)
    case .bytes: return nil
    }
  }

  private static func lists(_ value: PropertyList) -> PreferenceTable.Elements? {
    guard case .array(let elements) = value, !elements.isEmpty,
      elements.allSatisfy({ $0.members != nil })
    else { return nil }
    return .lists(elements)
  }

  private static func objects(_ text: [UInt8]) -> PreferenceTable.Elements? {
    let document = JSONDocument()
    do throws(JSONError) {
      try document.parse(copying: text)
    } catch {
      return nil
    }
    guard document.kind(of: document.root) == .array, document.count(of: document.root) > 0 else {
      return nil
    }
    var texts: [[UInt8]] = []
    var areObjects = true
    document.forEachElement(of: document.root) { element in
      areObjects = areObjects && document.kind(of: element) == .object
      guard areObjects else { return }
      var writer = JSONWriter()
      document.write(element, to: &writer)
      texts.append(writer.bytes)
    }
    return areObjects ? .json(texts) : nil
  }
}
