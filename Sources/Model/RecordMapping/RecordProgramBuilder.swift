import JSONText
import ProfileSettings
import Profiles
import Records

/// Makes a ``RecordProgram`` from an entity's profile and the store's model.
struct RecordProgramBuilder {
  let profile: EntityProfile
  let store: StoreEntity
  let model: StoreModel
  let entities: [EntityProfile]
  let secrets: SecretRules
  let log: FaultLog
  /// The attributes that are in the store, by their names.
  let stored: [String: StoreAttribute]
  private var requests: [FieldRequest] = []
  private var steps: [RecordProgram.Step] = []
  private var references: [RecordReference] = []
  /// Sources that the store lacks, as the profile allows.
  private var absent: [AbsentSource] = []
  /// The top-level names of the store's properties that a member was made from.
  var named: Set<String> = []
  /// The ways to the attributes, and to parts of composites, that a member was made from.
  var namedPaths: Set<[String]> = []
  var keyMember: String?
  var keyLeaf: RecordProgram.KeyCell?

  private struct AbsentSource {
    let source: FieldProfile.Source
    /// The place of the member that it is for.
    let place: String
  }

  init(
    _ profile: EntityProfile,
    _ store: StoreEntity,
    of model: StoreModel,
    entities: [EntityProfile],
    secrets: SecretRules = SecretRules(),
    log: FaultLog
  ) {
    self.profile = profile
    self.store = store
    self.model = model
    self.entities = entities
    self.secrets = secrets
    self.log = log
    stored = Dictionary(
      store.attributes.filter { !$0.isTransient }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  mutating func program() -> RecordProgram? {
    for field in profile.fields { add(field) }
    for media in profile.media { add(media) }
    checkAbsent()
    checkOmitted()
    checkSecrets()
    if profile.carry == .all { carryTheRest() }
    addIdentity()
    steps.sort { $0.name.lexicographicallyPrecedes($1.name) }
    let names = steps.map { String(decoding: $0.name, as: UTF8.self) }
    for (name, next) in zip(names, names.dropFirst()) where name == next {
      fault("“\(name)” is filled twice", cure: "rename the field, or omit the attribute")
    }
    guard let keyMember, let keyLeaf else { return nil }
    return RecordProgram(
      entity: profile.name,
      profile: profile,
      request: RowRequest(entity: profile.storeName, fields: requests),
      keyMember: keyMember,
      references: references.sorted {
        $0.member.utf8.lexicographicallyPrecedes($1.member.utf8)
      },
      members: names,
      omitted: leftOut,
      steps: steps,
      key: keyLeaf
    )
  }

  func fault(_ cause: String, member: String? = nil, cure: String) {
    fault(at: member.map { "/fields/\(JSONPointer.escaped($0))" } ?? "", cause, cure: cure)
  }

  func fault(at setting: String, _ cause: String, cure: String) {
    log.add(at: "/entities/\(profile.name)\(setting)", cause, cure: cure)
  }

  mutating func request(_ field: FieldRequest) -> Int {
    requests.append(field)
    return requests.count - 1
  }

  mutating func add(_ member: String, _ content: RecordProgram.Content) {
    steps.append(RecordProgram.Step(name: Array(member.utf8), content: content))
  }

  /// What the model has and no member holds; of a composite that fields name in part, the parts
  /// that none of them names.
  private var leftOut: [String] {
    let relationships = store.relationships.filter { !$0.isToMany }.map(\.name)
      .filter { !named.contains($0) }
    return (unnamedAttributes + relationships)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private var unnamedAttributes: [String] {
    store.attributes.filter { !$0.isTransient }.flatMap { unnamed($0, at: [$0.name]) }
  }
}

// MARK: - Fields

extension RecordProgramBuilder {
  mutating func add(_ field: FieldProfile) {
    let content: RecordProgram.Content? =
      switch field.source {
      case .attribute(let path, let reading):
        attribute(path, reading, member: field.member, isName: field.names != nil)
      case .reference(let name): reference(name, isToMany: false, member: field.member)
      case .references(let name): reference(name, isToMany: true, member: field.member)
      case .composite(let path): composite(path, member: field.member)
      }
    if let content {
      add(field.member, content)
      if let name = field.names { addReference(to: name, by: field) }
    } else {
      addAbsent(field.member, "fields", field.absent, field.source)
    }
  }

  private mutating func addAbsent(
    _ member: String,
    _ section: String,
    _ absent: FieldProfile.Absence,
    _ source: FieldProfile.Source
  ) {
    let what = source.text
    let place = "/\(section)/\(JSONPointer.escaped(member))"
    guard absent != .refuse else {
      return fault(
        at: place,
        "the store's entity \(store.name) has no “\(what)”",
        cure: RecordMembers.cure(
          what,
          stored.keys.sorted() + store.relationships.map(\.name),
          "add “absent: omit” for stores that lack it"
        )
      )
    }
    self.absent.append(AbsentSource(source: source, place: place))
    if absent == .null { add(member, .null) }
  }

  /// What a store may lack is misspelt where the store has a name near it, of the same kind, that nothing of the
  /// profile names.
  private func checkAbsent() {
    for absent in absent {
      let name = absent.source.text
      let known = unnamed(like: absent.source).filter(isFree)
      guard let nearest = NearestWord.slip(name, among: known) else { continue }
      fault(
        at: absent.place,
        "the store's entity \(store.name) has no “\(name)”, and no field names “\(nearest)”",
        cure: "write “\(nearest)”, or list that under “omit”, or give it a field of its own"
      )
    }
  }

  /// What the store has of a source's kind and no member was made from.
  private func unnamed(like source: FieldProfile.Source) -> [String] {
    switch source {
    case .attribute, .composite: unnamedAttributes
    case .reference: store.relationships.filter { !$0.isToMany }.map(\.name)
    case .references: store.relationships.filter(\.isToMany).map(\.name)
    }
  }

  mutating func add(_ media: MediaRule) {
    guard let leaf = leaf(at: media.path) else {
      addAbsent(media.member, "media", media.absent, .attribute(path: media.path, reading: .plain))
      return
    }
    markNamed(media.path)
    add(media.member, .media(cell: request(.attribute(path: leaf.path)), rule: media))
  }

  mutating func attribute(
    _ path: [String],
    _ reading: FieldProfile.Reading,
    member: String,
    isName: Bool = false
  ) -> RecordProgram.Content? {
    guard let found = property(at: path) else { return nil }
    guard let leaf = leaf(at: path) else {
      fault(
        "“\(path.joined(separator: "."))” has several parts",
        member: member,
        cure: "write “{ composite: \(found.name) }”, or name one part"
      )
      return .null
    }
    markNamed(path)
    let form =
      switch reading {
      case .plain where isName && leaf.attribute.kind.isInteger: ValueForm.key
      case .plain: ValueForm(leaf.attribute.kind)
      case .json: ValueForm.json
      case .archive: ValueForm.archive
      case .plist: ValueForm.list
      case .uuid: ValueForm.uuid
      case .milliseconds: ValueForm.cutDate
      }
    if let reason = reading.refusal(of: leaf.attribute.kind) {
      fault(
        "“\(path.joined(separator: "."))” \(reason)",
        member: member,
        cure: "leave “as: \(reading.rawValue)” out"
      )
    }
    let cell = request(.attribute(path: leaf.path))
    if profile.identity == .attribute(path.joined(separator: ".")) {
      keyMember = member
      keyLeaf = RecordProgram.KeyCell(cell: cell, form: form)
    }
    return .leaf(
      RecordProgram.Leaf(cell: cell, form: form, isRequired: !leaf.attribute.isOptional)
    )
  }

  mutating func composite(_ path: [String], member: String) -> RecordProgram.Content? {
    guard let found = property(at: path) else { return nil }
    guard case .composite(let parts, _) = found.kind else {
      fault(
        "“\(path.joined(separator: "."))” has no parts",
        member: member,
        cure: "write “\(member): \(path.joined(separator: "."))”"
      )
      return .null
    }
    markNamed(path)
    return composite(parts, path: path)
  }

  mutating func composite(
    _ parts: [StoreAttribute],
    path: [String]
  ) -> RecordProgram.Content {
    let first = requests.count
    var inner: [RecordProgram.Step] = []
    for part in parts where !part.isTransient {
      let place = path + [part.name]
      if isGone(part, at: place) { continue }
      let content: RecordProgram.Content
      if case .composite(let deeper, _) = part.kind {
        content = composite(deeper, path: place)
      } else {
        let leaf = RecordProgram.Leaf(
          cell: request(.attribute(path: place)),
          form: ValueForm(part.kind),
          isRequired: false
        )
        content = .leaf(leaf)
      }
      inner.append(RecordProgram.Step(name: Array(part.name.utf8), content: content))
    }
    inner.sort { $0.name.lexicographicallyPrecedes($1.name) }
    return .composite(cells: first..<requests.count, inner)
  }

  private mutating func reference(
    _ name: String,
    isToMany: Bool,
    member: String
  ) -> RecordProgram.Content? {
    guard let relationship = relationship(name, isToMany: isToMany) else {
      return isToMany ? joined(name, member: member) : nil
    }
    guard relationship.isToMany == isToMany else {
      fault(
        "“\(name)” leads to \(relationship.isToMany ? "many records" : "one record")",
        member: member,
        cure: "write “\(relationship.isToMany ? "references" : "reference"): \(name)”"
      )
      return .null
    }
    named.insert(name)
    return content(of: relationship, member: member)
  }

  /// The relationship of this name; for `joins.other`, the records that rows between lead to, as one
  /// relationship to many.
  private func relationship(_ name: String, isToMany: Bool) -> StoreRelationship? {
    if let found = store.relationships.first(where: { $0.name == name }) { return found }
    let names = FieldProfile.path(name)
    guard isToMany, names.count == 2,
      let rows = store.relationships.first(where: { $0.name == names[0] && $0.isToMany }),
      let between = model.entity(named: rows.destination),
      let other = between.relationships.first(where: { $0.name == names[1] && !$0.isToMany })
    else { return nil }
    return StoreRelationship(name: name, destination: other.destination, isToMany: true)
  }

  mutating func content(
    of relationship: StoreRelationship,
    by join: RowJoin? = nil,
    member: String
  ) -> RecordProgram.Content {
    let tree = model.tree(of: relationship.destination)
    let targets = tree.compactMap { name in entities.first { $0.storeName == name } }
    let identity = targets.first?.identity ?? .objectURI
    if !targets.isEmpty {
      references.append(
        RecordReference(
          member: member,
          targets: targets.map(\.name),
          isToMany: relationship.isToMany
        )
      )
    }
    if let other = targets.first(where: { $0.identity != identity }) {
      fault(
        "“\(relationship.name)” leads to \(targets[0].name) and \(other.name), "
          + "which are identified in different ways",
        member: member,
        cure: "give an entity and those that inherit from it one identity"
      )
    }
    if let join { return .references(cell: request(.joined(join, identity: identity))) }
    if relationship.isToMany {
      return .references(
        cell: request(.references(relationship: relationship.name, identity: identity))
      )
    }
    let cell = request(.reference(relationship: relationship.name, identity: identity))
    return .leaf(RecordProgram.Leaf(cell: cell, form: .text, isRequired: false))
  }
}

// MARK: - Attributes that name records

extension RecordProgramBuilder {
  /// Notes that an attribute holds the identity of a record, and so refers to it as a relationship would.
  private mutating func addReference(to name: EntityName, by field: FieldProfile) {
    guard case .attribute(let path, _) = field.source, let kind = leaf(at: path)?.attribute.kind
    else { return }
    guard let target = entities.first(where: { $0.name == name }) else {
      return fault(
        "“\(name)” is not an entity of this profile whose records are in the store",
        member: field.member,
        cure: "name an entity that is described under “entities”"
      )
    }
    let targets = model.tree(of: target.storeName)
      .compactMap { name in entities.first { $0.storeName == name } }
    for target in targets where !isIdentity(of: target, kind) {
      fault(
        "“\(field.source.text)” cannot hold the identity of \(target.name)",
        member: field.member,
        cure: "leave “names” out, unless both are UUIDs, texts or whole numbers"
      )
    }
    references.append(
      RecordReference(member: field.member, targets: targets.map(\.name), isToMany: false)
    )
  }

  /// Whether values of this kind are written as the keys of an entity's records are.
  private func isIdentity(of target: EntityProfile, _ kind: StoreAttribute.Kind) -> Bool {
    guard kind == .uuid || kind == .string || kind.isInteger,
      case .attribute(let name) = target.identity
    else { return false }
    // An entity that the store lacks has no records that could be named otherwise.
    guard let entity = model.entity(named: target.storeName) else { return true }
    guard let own = entity.attributes.first(where: { $0.name == name })?.kind else { return false }
    return own == kind || own.isInteger && kind.isInteger
  }
}

extension FieldProfile.Reading {
  /// Why values of a kind cannot be read so, or `nil` where they can be.
  fileprivate func refusal(of kind: StoreAttribute.Kind) -> String? {
    switch self {
    case .plain, .json: return nil
    case .milliseconds: return kind == .date ? nil : "is not a date"
    case .archive, .plist, .uuid:
      switch kind {
      case .binary, .undeclared, .transformable: return nil
      case .uuid where self == .uuid: return nil
      default: return "does not hold bytes"
      }
    }
  }
}

extension FieldProfile.Source {
  /// The name in the store, for messages.
  var text: String {
    switch self {
    case .attribute(let path, _), .composite(let path): path.joined(separator: ".")
    case .reference(let name), .references(let name): name
    }
  }
}
