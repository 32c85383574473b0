import JSONText
import Presets
import ProfileSettings
import Records
import RequestBodies
import Schemas

/// Writes the `api` of a profile out: the preset, `api.defaults` and each entity's own block become one
/// block an entity, and a body that is not written is made of the record's members.
///
/// What comes out has none of `preset`, `with`, `defaults`, `names`, `conventions` and `collection`. It is
/// what is read, checked, shown, digested and stored with a run.
struct ProfileExpansion {
  /// What a file beside the profile holds, or `nil`.
  let beside: (String) -> [UInt8]?
  /// The values that a person gives beside the profile.
  var given = GivenValues.none
  let log: FaultLog

  /// What only an expansion reads.
  private static let own = ["preset", "with", "defaults", "compound", "names", "conventions"]

  /// The profile with its `api` written out, and the names that were filled in there.
  ///
  /// A fault leaves `api` out, so that all other faults are found without those that would follow.
  func expanded(_ root: SettingNode) -> (root: SettingNode, variables: [String]) {
    guard let written = root["api"], case .section = written.value else { return (root, []) }
    let scratch = FaultLog(file: log.file)
    let layers = Layers(written, in: root, given, beside: beside, log: scratch)
    let api = layers.map { self.api($0, of: root, log: scratch) }
    let destinations = layers.flatMap { layers in
      root["destinations"].map {
        SettingVariables(values: layers.variables, log: scratch).filled($0)
      }
    }
    for fault in scratch.faults { log.add(fault) }
    guard scratch.faults.isEmpty, let api else { return (root.setting("api", to: nil), []) }
    return (
      root.setting("api", to: api.placed(at: written.pointer))
        .setting("destinations", to: destinations?.placed(at: "/destinations")),
      (layers?.variables.keys.sorted() ?? []) + ["collection", "columns", "entity"]
    )
  }

  /// What lies over each other, merged but for the blocks of the entities.
  private struct Layers {
    let api: SettingNode
    let variables: [String: SettingNode]
    let names: NameForm

    init?(
      _ written: SettingNode,
      in root: SettingNode,
      _ values: GivenValues,
      beside: (String) -> [UInt8]?,
      log: FaultLog
    ) {
      let section = Section(written, log: log)
      var preset: Preset?
      if let node = section.node("preset"), let name = section.text(of: node) {
        preset = Preset.named(name, at: node, beside: beside, log: log)
        if preset == nil { return nil }
      }
      api = written.laid(over: preset?.api)
      let named = Named(
        values: values,
        uses: [api, root["destinations"]].compactMap(\.self),
        credentials: Section(api, log: FaultLog(file: log.file)).texts("credentials")
      )
      variables = Self.variables(section.node("with"), named, of: preset, at: written, log: log)
      names = Section(api, log: log).choice("names", else: .asIs)
      for setting in ["with", "defaults", "compound", "conventions", "entities"] {
        if let node = api[setting], !node.isNothing { _ = Section(node, log: log) }
      }
    }

    /// The values of a person, and what a variable may be used in.
    private struct Named {
      let values: GivenValues
      let uses: [SettingNode]
      let credentials: [String]
    }

    private static func variables(
      _ given: SettingNode?,
      _ named: Named,
      of preset: Preset?,
      at written: SettingNode,
      log: FaultLog
    ) -> [String: SettingNode] {
      let declared = preset?.variables.members.map(\.name) ?? []
      if let preset {
        for member in given?.members ?? [] where !declared.contains(member.name) {
          log.add(
            at: member.value.at(line: member.line),
            "the preset “\(preset.name)” has no “\(member.name)”",
            cure: RecordMembers.cure(
              member.name,
              declared,
              declared.isEmpty ? "remove it" : "use one of: \(declared.joined(separator: ", "))"
            )
          )
        }
      }
      let merged = given?.laid(over: preset?.variables) ?? preset?.variables
      var values = Dictionary(
        ((merged?.members ?? []) + (given?.members ?? [])).map { ($0.name, $0.value) },
        uniquingKeysWith: { first, _ in first }
      )
      check(named, declared: values, of: preset, given, log)
      let replacing = named.values.settings(replacing: values, log: log)
      values.merge(replacing) { $1 }
      for (name, value) in values.sorted(by: { $0.key < $1.key }) where value.isNothing {
        log.add(
          at: given ?? written,
          declared.contains(name)
            ? "the preset “\(preset?.name ?? "")” needs “\(name)”" : "“\(name)” has no value",
          cure: "write “with: { \(name): … }” in “api”, or give --set \(name)=…"
        )
      }
      return values.filter { !$0.value.isNothing }
    }

    /// Refuses a value for what is no variable, and variables that have a value already.
    private static func check(
      _ named: Named,
      declared: [String: SettingNode],
      of preset: Preset?,
      _ given: SettingNode?,
      _ log: FaultLog
    ) {
      for name in named.values.texts.keys.sorted() where declared[name] == nil {
        guard !named.uses.contains(where: { $0.mentions(name) }) else { continue }
        let known = declared.keys.sorted()
        log.add(
          at: GivenValues.place(of: name),
          "nothing in the profile or its preset is called “{\(name)}”",
          cure: RecordMembers.cure(
            name,
            known,
            known.isEmpty ? "remove it" : "use one of: \(known.joined(separator: ", "))"
          )
        )
      }
      GivenValues.check(
        (given?.members ?? []).map { ($0.name, $0.value.at(line: $0.line)) }
          + named.values.texts.keys.sorted().map { ($0, GivenValues.place(of: $0)) },
        credentials: named.credentials,
        log: log
      )
    }
  }
}

// MARK: - The layers of each entity

extension ProfileExpansion {
  private func api(_ layers: Layers, of root: SettingNode, log: FaultLog) -> SettingNode {
    let general = SettingVariables(values: layers.variables, log: log)
    var api = layers.api
    for setting in Self.own { api = api.setting(setting, to: nil) }
    guard let listed = api["entities"] else { return general.filled(api) }
    api = general.filled(api.setting("entities", to: listed.emptied))
    checkConventions(layers.api, log)
    let described = Profile.entities(of: Section(root, log: FaultLog(file: log.file)))
    let order = listed.members.compactMap { EntityName($0.name) }
    let collections = collections(of: listed, layers, log)
    let entities = listed.members.map { member in
      let block = block(member, layers, log)
      guard block["body"] == nil || layers.api["names"] != nil else {
        return (member, naming(block, log))
      }
      let own = order.firstIndex { $0.text == member.name } ?? order.endIndex
      guard let entity = described.first(where: { $0.name.text == member.name }) else {
        // Another check names the entity that no one describes.
        return (member, block["body"] == nil ? block.setting("body", to: block.emptied) : block)
      }
      let body = DefaultBody(
        members: members(of: entity, at: block, log: log),
        conventions: layers.api["conventions"].map { general.filled($0) },
        names: layers.names,
        sendsFiles: api["media"]?["enabled"]?.json == true,
        later: Set(order[own...]),
        collections: collections,
        collection: collections[entity.name],
        log: log
      )
      return (member, naming(body.completed(block), log))
    }
    return api.setting(
      "entities",
      to: listed.holding(
        .section(entities.map { SettingNode.Member(name: $0.name, line: $0.line, value: $1) })
      )
    )
  }

  /// A block with the names of all fields of its body in the place of `{columns}`, for a destination that has to be told
  /// which fields an answer is to have.
  private func naming(_ block: SettingNode, _ log: FaultLog) -> SettingNode {
    guard let body = block["body"] else { return block }
    let names = body.members.filter { !$0.value.isNothing }.map(\.name)
    let columns = body.holding(.scalar(.string(names.joined(separator: ","))))
    return SettingVariables(values: ["columns": columns], log: log).filled(block)
  }

  /// An entity's own block over the defaults, with its variables filled in.
  private func block(
    _ member: SettingNode.Member,
    _ layers: Layers,
    _ log: FaultLog
  ) -> SettingNode {
    let layered = layered(member, layers, log)
    var variables = layered.variables
    variables["collection"] = layered.collection
    var block = layered.block.setting("collection", to: nil)
    if layers.api["schema-from"] != nil, block["schema-name"] == nil {
      block = block.setting("schema-name", to: layered.collection)
    }
    if layered.collection == nil, block.mentions("collection") {
      log.add(
        at: member.value.isNothing ? member.value.emptied : member.value,
        "“collection” is missing",
        cure: "say where the records are at the destination: collection: notes"
      )
    }
    return SettingVariables(values: variables, log: log).filled(block)
  }

  /// An entity's own block over the defaults, what fills it in, and where its records are.
  private func layered(
    _ member: SettingNode.Member,
    _ layers: Layers,
    _ log: FaultLog
  ) -> (block: SettingNode, variables: [String: SettingNode], collection: SettingNode?) {
    let own = member.value.isNothing ? member.value.emptied : member.value
    let block = compound(own.laid(over: layers.api["defaults"]), own, layers, log)
    var variables = layers.variables
    variables["entity"] = member.value.holding(.scalar(.string(member.name)))
    let filling = SettingVariables(values: variables, log: log)
    return (block, variables, block["collection"].map { filling.filled($0) })
  }

  /// A block whose `id` lists several members, with `compound` between its own settings and the defaults.
  ///
  /// `parts` has texts that are made of these members, each by its name in braces: `{ each: "{member}=eq.{value}",
  /// between: "&" }`, where `{value}` becomes `{id.folder}`.
  private func compound(
    _ block: SettingNode,
    _ own: SettingNode,
    _ layers: Layers,
    _ log: FaultLog
  ) -> SettingNode {
    guard case .list(let members)? = block["id"]?.value, members.count > 1,
      let compound = layers.api["compound"]
    else { return block }
    let merged = own.laid(over: compound.laid(over: layers.api["defaults"]))
    var parts: [String: SettingNode] = [:]
    for part in merged["parts"]?.members ?? [] {
      let section = Section(part.value, log: log)
      let each = section.requiredText("each")
      let between = section.text("between", else: ",")
      section.close()
      let texts = members.compactMap { member in
        member.json.text.map { name in
          each.replacing("{member}", with: name).replacing("{value}", with: "{id.\(name)}")
        }
      }
      parts[part.name] = part.value.holding(.scalar(.string(texts.joined(separator: between))))
    }
    return SettingVariables(values: parts, log: log, isText: true)
      .filled(merged.setting("parts", to: nil))
  }

  /// Where the records of each entity are, as far as its block or the defaults say.
  private func collections(
    of listed: SettingNode,
    _ layers: Layers,
    _ log: FaultLog
  ) -> [EntityName: SettingNode] {
    var collections: [EntityName: SettingNode] = [:]
    for member in listed.members {
      guard let entity = EntityName(member.name) else { continue }
      collections[entity] = layered(member, layers, log).collection
    }
    return collections
  }

  private func checkConventions(_ api: SettingNode, _ log: FaultLog) {
    guard let node = api["conventions"], !node.isNothing else { return }
    let section = Section(node, log: log)
    for content in MemberContent.allCases { _ = section.node(content.rawValue) }
    section.close()
  }
}

// MARK: - The members of a record

extension ProfileExpansion {
  /// The members that the records of an entity have: its fields and media files, and where it carries
  /// all attributes, what its schema lists.
  private func members(
    of entity: EntityProfile,
    at block: SettingNode,
    log: FaultLog
  ) -> [DefaultBody.Member] {
    let schema = schema(of: entity, at: block, log: log)
    var names = entity.fields.map(\.member) + entity.media.map(\.member)
    if entity.carry == .all { names += schema?.names ?? [] }
    if entity.identity == .objectURI { names.append(EntityProfile.addressMember) }
    var seen = entity.bookkeeping.union(entity.carry == .all ? entity.omitted : [])
    return names.compactMap { name in
      guard seen.insert(name).inserted else { return nil }
      return member(name, of: entity, schema)
    }
  }

  private func member(
    _ name: String,
    of entity: EntityProfile,
    _ schema: SchemaMembers?
  ) -> DefaultBody.Member {
    var content = schema?.content(of: name) ?? .any
    var targets = schema?.targets(of: name) ?? []
    let field = entity.fields.first { $0.member == name }
    if name == EntityProfile.addressMember { content = .address }
    switch field?.source {
    case .reference: content = .reference
    case .references: content = .references
    case .composite, .attribute, nil: break
    }
    if let named = field?.names { (content, targets) = (.reference, [named]) }
    let plain = content
    if case .attribute(let key) = entity.identity, field?.holds(key) ?? (name == key) {
      content = .identity
    }
    if entity.media.contains(where: { $0.member == name }) { content = .media }
    return DefaultBody.Member(name: name, content: content, plain: plain, targets: targets)
  }

  /// The schema of the entity's records; without one, what they carry beside their fields is not known.
  private func schema(
    of entity: EntityProfile,
    at block: SettingNode,
    log: FaultLog
  ) -> SchemaMembers? {
    let found = entity.schema.flatMap { name in
      (PublishedSchemas.bytes(named: name) ?? beside(name)).flatMap { SchemaMembers($0) }
    }
    if found == nil, entity.carry == .all {
      log.add(
        at: block,
        entity.schema.map { "the schema “\($0)” cannot be read, which lists what is sent" }
          ?? "no schema lists what the records of “\(entity.name)” have, so no body is made of it",
        cure: "give the entity a “schema” beside the profile, or write its “body”"
      )
    }
    return found
  }
}

extension FieldProfile {
  /// Whether it is an attribute of the store, as it is.
  fileprivate func holds(_ attribute: String) -> Bool {
    source == .attribute(path: [attribute], reading: .plain)
  }
}

extension SettingNode {
  /// An empty section in the same place.
  fileprivate var emptied: SettingNode { holding(.section([])) }
}
