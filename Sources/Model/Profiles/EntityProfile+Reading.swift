import JSONText
import ProfileSettings
package import Records

extension EntityProfile {
  /// The name of a schema: that of a published one, or of a file beside the profile.
  ///
  /// A package has the schema under the same name, so none may lead out of its folder.
  private static func schema(of section: Section) -> String? {
    guard let node = section.node("schema"), let name = section.text(of: node) else { return nil }
    let isPlain = name.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") }
    guard isPlain, !["", ".", ".."].contains(name) else {
      section.log.add(
        at: node,
        "“\(name)” is not a name of a file beside the profile",
        cure: "put the schema beside the profile, and write its name alone"
      )
      return nil
    }
    return name
  }

  /// Reads the entry of one entity; `nil` when it cannot even be named.
  ///
  /// `dangling` is what the profile says of all entities.
  static func read(
    _ member: SettingNode.Member,
    dangling: Dangling,
    log: FaultLog
  ) -> EntityProfile? {
    let section = Section(member.value, log: log)
    guard let name = section.entityName(member.name, at: member.value) else { return nil }
    let storeName =
      section.node("from").flatMap { node in
        section.text(of: node).flatMap { section.entityName($0, at: node) }
      } ?? name
    if storeName == name { section.settle("from", as: nil) }
    defer { section.close() }
    return EntityProfile(
      name: name,
      storeName: storeName,
      storeLabel: section.text("in"),
      schema: schema(of: section),
      role: section.choice("role", else: .own),
      identity: identity(of: section),
      fields: section.members("fields").map { FieldProfile.read($0, log: log) },
      media: section.members("media").map { MediaRule.read($0, log: log) },
      carry: section.choice("carry", else: .all),
      omitted: section.texts("omit"),
      absent: section.choice("absent", else: .refuse),
      dangling: section.choice("dangling", else: dangling),
      sync: section.section("sync").map { SyncRule.read($0) },
      owner: section.node("owner").flatMap { OwnerRule.read($0, log: log) },
      queue: section.section("queue").map { QueueRule.read($0) },
      waitsIn: section.node("waits-in").flatMap { node in
        section.text(of: node).flatMap { section.entityName($0, at: node) }
      }
    )
  }

  /// The entry for a store with this model: where several stores have an entity of the name, the
  /// model has each under the name of its store.
  package func resolved(in model: StoreModel) -> EntityProfile {
    guard let storeLabel, let qualified = EntityName("\(storeLabel).\(storeName)"),
      model.entity(named: qualified) != nil
    else { return self }
    var entity = self
    entity.storeName = qualified
    return entity
  }

  private static func identity(of section: Section) -> IdentityRule {
    guard let node = section.node("identity") else {
      section.settle("identity", as: "object-uri")
      return .objectURI
    }
    if case .scalar(let scalar) = node.value {
      if scalar.text == "object-uri" { return .objectURI }
      section.log.add(
        at: node,
        "“\(scalar.text ?? "")” is not an identity",
        cure: "write “object-uri” or “{ attribute: id }”"
      )
      return .objectURI
    }
    let inner = Section(node, log: section.log)
    let attribute = inner.requiredText("attribute")
    inner.close()
    return .attribute(attribute)
  }
}

extension FieldProfile {
  /// Reads `member: attribute` or `member: { attribute: …, absent: … }`.
  static func read(_ member: SettingNode.Member, log: FaultLog) -> FieldProfile {
    if case .scalar(let scalar) = member.value.value, scalar.text == nil {
      log.add(
        at: member.value,
        "expected the name of an attribute",
        cure: "write the name as the store's model has it"
      )
    }
    let section = Section(member.value.expanded(as: "attribute"), log: log)
    let source = source(of: section)
    let absent: Absence = section.choice("absent", else: .refuse)
    let names = names(of: section, source)
    section.close()
    return FieldProfile(member: member.name, source: source, absent: absent, names: names)
  }

  /// The entity whose records an attribute names; what is no plain attribute has no such setting.
  private static func names(of section: Section, _ source: Source) -> EntityName? {
    guard case .attribute(_, .plain) = source, let node = section.node("names") else { return nil }
    return section.text(of: node).flatMap { section.entityName($0, at: node) }
  }

  private static func source(of section: Section) -> Source {
    let attribute = section.text("attribute")
    let reference = section.text("reference")
    let references = section.text("references")
    let composite = section.text("composite")
    let reading: Reading = section.choice("as", else: .plain)
    if [attribute, reference, references, composite].compactMap(\.self).count != 1 {
      section.log.add(
        at: section.node,
        "a field comes from exactly one place",
        cure: "give one of: attribute, reference, references, composite"
      )
    }
    // Only an attribute is read in one way or another.
    if attribute == nil { section.settle("as", as: nil) }
    if let reference { return .reference(relationship: reference) }
    if let references { return .references(relationship: references) }
    if let composite { return .composite(path: path(composite)) }
    return .attribute(path: path(attribute ?? ""), reading: reading)
  }

  /// `author.person` as the way through a composite.
  package static func path(_ text: String) -> [String] {
    text.split(separator: ".").map(String.init)
  }
}

extension MediaRule {
  static func read(_ member: SettingNode.Member, log: FaultLog) -> MediaRule {
    let section = Section(member.value, log: log)
    let folders = section.texts("folder")
    if folders.isEmpty {
      log.add(at: member.value, "“folder” is missing", cure: "name the folder of the files")
    }
    for folder in folders where folder.hasPrefix("/") || folder.split(separator: "/").contains("..")
    {
      log.add(
        at: member.value,
        "“\(folder)” leads out of the container",
        cure: "name a folder inside it"
      )
    }
    var types: [String: String] = [:]
    for type in section.members("types") {
      types[type.name.lowercased()] = section.text(of: type.value)
    }
    let category = section.requiredText("category")
    if !EntityName.canName(category: category) {
      log.add(
        at: member.value,
        "“\(category)” cannot name a category of files",
        cure: "write letters, digits, “-” and “_”"
      )
    }
    defer { section.close() }
    return MediaRule(
      member: member.name,
      path: FieldProfile.path(section.requiredText("from")),
      folders: folders,
      category: category,
      isEvictable: section.flag("evictable", else: false),
      types: types,
      hosts: section.texts("hosts"),
      absent: section.choice("absent", else: .refuse)
    )
  }
}
