import ProfileSettings
import JSONText
import RequestBodies
import Retrying
import Records

extension Api {
  /// Reads the `api` section.
  static func read(_ section: Section) -> Api {
    let reader = RouteReader(log: section.log)
    let kind = Kind.read(section, reader: reader)
    let settle = section.duration("settle", else: .seconds(60))
    let removal = section.choice("removal", else: EntityApi.Removal.repeatable)
    let account = section.section("account")
    defer { section.close() }
    return Api(
      kind: kind,
      credentials: kind.settings.credentials(section) ?? section.texts("credentials"),
      signIn: section.section("sign-in").map { reader.signIn($0) },
      account: account?.has("constant") == false ? account.map { reader.account($0) } : nil,
      statedAccount: account?.has("constant") == true ? account?.stated("constant") : nil,
      basic: section.section("basic").map { reader.basic($0) },
      headers: reader.templates(section, "headers"),
      query: reader.templates(section, "query"),
      signing: section.section("signature").map { SigningRule.read($0) },
      settle: settle,
      keyLife: section.duration("key-life", else: .seconds(86_400)),
      timeout: section.duration("timeout", else: .seconds(30)),
      concurrency: section.count("concurrency", within: 1...64, else: 2),
      rate: kind.settings.rate(section.positiveNumber("rate")),
      retry: section.section("retry").map { RetryPolicy.read($0) } ?? kind.retry,
      meanings: reader.meanings(section),
      forbidden: reader.routes(section, "forbidden"),
      media: section.section("media").map { reader.media($0, of: kind) },
      schemaRoute: section.section("schema-from").map { reader.schemaRoute($0) },
      values: kind.hasRoutes ? section.section("values").map { ValueForms.read($0) } : nil,
      entities: section.members("entities").compactMap {
        EntityApi.read($0, of: kind, removal: removal, reader: reader)
      },
      clientID: .read(section),
      removal: removal
    )
  }
}

extension EntityApi {
  static func read(
    _ member: SettingNode.Member,
    of kind: Api.Kind,
    removal: Removal,
    reader: RouteReader
  ) -> EntityApi? {
    let section = Section(member.value, log: reader.log)
    guard let name = section.entityName(member.name, at: member.value) else { return nil }
    let hasRoutes = kind.settings.hasRoutes(section)
    let create = hasRoutes ? section.requiredSection("create") : nil
    let id = identity(section)
    // Without routes of its own, a kind says itself how a request is repeated.
    let replay = hasRoutes ? replay(section) : id.members.count > 1 ? .lookUp : .id
    // A refusal that says that the record is there has to be followed by a look at it.
    let isGuarded = replay == .id && (section.has("read") || section.has("list"))
    let owner = kind.fillsOwner ? section.text("owner") : nil
    let files = fileRoutes(section, reader)
    let content = reader.path(section, "content")
    let identityFields = id.members.count > 1 ? content.fields(at: id.members) : []
    let bodyReader = BodyReader(
      log: reader.log,
      routed: Set(files.keys),
      fixed: Set(identityFields)
    )
    let body =
      (section.requiredSection("body").map { bodyReader.rules($0) } ?? [])
      + (owner.map { [RequestFieldRule(owner: $0)] } ?? [])
    // Records that several members identify are looked for by all of these.
    let areSent = identityFields.allSatisfy { name in body.contains { $0.name == name } }
    let shape = section.section("shape").map { reader.shape($0, id: id.members[0], body) }
    let made = create.flatMap { reader.create($0, isGuarded: isGuarded, shape) }
    // After a fault nothing more is asked for, so that no second fault follows from the first.
    guard !hasRoutes || made != nil else { return nil }
    let ofKind = kind.settings.entity(section, named: name, hasRoutes: hasRoutes, reader: reader)
    let serverID = serverID(section)
    let entity = EntityApi(
      entity: name,
      replay: replay,
      list: section.section("list").map { reader.list($0) },
      read: section.section("read").map { reader.read($0) },
      create: made,
      update: section.section("update").map { reader.update($0, shape) },
      delete: section.section("delete").map { reader.delete($0) },
      ids: id.members,
      idPart: id.part,
      shape: shape,
      content: content,
      version: reader.version(section),
      serverIDs: serverID.members,
      serverIDForm: serverID.form,
      body: body.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) },
      compare: comparisons(section, owner, body).merging(ofKind?.comparisons ?? [:]) {
        given,
        _ in given
      },
      naturalKey: section.has("natural-key")
        ? section.texts("natural-key") : replay == .lookUp && areSent ? identityFields : [],
      unmapped: section.texts("unmapped"),
      needs: needs(section),
      conflict: ConflictRules.read(section, "conflict"),
      ofKind: OfKind(settings: ofKind),
      types: kind.hasRoutes ? section.section("types").map { FieldForm.read($0) } ?? [:] : [:],
      schemaName: section.text("schema-name"),
      owner: owner,
      // What an entity inherits is not written into what is kept of it.
      removal: section.has("removal") ? section.choice("removal", else: removal) : removal,
      hasEqualKeys: section.has("equal-keys") && section.flag("equal-keys", else: false),
      reserved: ReservedNames(patterns: kind.hasRoutes ? section.texts("reserved") : []),
      files: files
    )
    checkRemoval(of: entity, kind, section)
    section.close()
    return kind.settings.comparing(entity)
  }

  /// Refuses to call removals final where no request removes a record.
  private static func checkRemoval(of entity: EntityApi, _ kind: Api.Kind, _ section: Section) {
    guard let node = section.node("removal"), entity.removal == .final,
      let setting = kind.settings.missingRemoval(of: entity)
    else { return }
    section.log.add(
      at: node,
      "no request removes a \(entity.entity)",
      cure: "add “\(setting)”, or remove “removal”"
    )
  }

  /// Reads `server-id: serverId`, `server-id: [serverId, backendId]` or
  /// `server-id: { member: id, form: number }`.
  private static func serverID(_ section: Section) -> (members: [String], form: ServerIDForm) {
    guard let node = section.node("server-id") else { return ([], .any) }
    guard case .section = node.value else { return (section.texts("server-id"), .any) }
    let inner = Section(node, log: section.log)
    let found: (members: [String], form: ServerIDForm) = (
      [inner.requiredText("member")], inner.choice("form", else: .any)
    )
    inner.close()
    return found
  }

  /// Reads `id: name`, `id: [folder, tag]` or `id: { member: name, part: last }`.
  private static func identity(_ section: Section) -> (members: [MemberPath], part: IdentityPart) {
    guard let node = section.node("id") else {
      return ([MemberPath(section.text("id", else: "id"))], .whole)
    }
    switch node.value {
    case .section: break
    case .scalar: return ([MemberPath(section.text("id", else: "id"))], .whole)
    case .list:
      let names = section.texts("id")
      if names.count < 2 {
        section.log.add(at: node, "a list names several members", cure: "write id: NAME for one")
      }
      return (names.isEmpty ? [MemberPath("id")] : names.map { MemberPath($0) }, .whole)
    }
    let inner = Section(node, log: section.log)
    let member = MemberPath(inner.requiredText("member"))
    let part = inner.choice("part", else: IdentityPart.whole)
    inner.close()
    return ([member], part)
  }

  private static func replay(_ section: Section) -> Replay {
    section.choice("replay", else: section.has("replay") ? .id : .lookUp)
  }

  /// Reads `needs: hero`, `needs: [hero, title]` or `needs: { status: owned }`.
  private static func needs(_ section: Section) -> [Need] {
    guard let node = section.node("needs"), case .section = node.value else {
      return section.texts("needs").map { Need(member: $0, values: nil) }
    }
    let inner = Section(node, log: section.log)
    return inner.all().map { Need(member: $0.name, values: inner.texts($0.name)) }
  }

  /// Reads the routes that take files once their records are there.
  private static func fileRoutes(_ section: Section, _ reader: RouteReader) -> [String: FileRoute] {
    var found: [String: FileRoute] = [:]
    for member in section.section("files")?.all() ?? [] {
      found[member.name] = reader.fileRoute(Section(member.value, log: section.log))
    }
    return found
  }

  private static func comparisons(
    _ section: Section,
    _ owner: String?,
    _ body: [RequestFieldRule]
  ) -> [String: Comparison] {
    var found: [String: Comparison] = [:]
    if let owner { found[owner] = .ignored }
    // No answer has the file. One that has a route of its own is there or is not.
    for rule in body {
      guard case .file = rule.source else { continue }
      found[rule.name] = rule.stage == .complete ? Comparison([.present]) : .ignored
    }
    guard let compare = section.section("compare") else { return found }
    for member in compare.all() {
      let rules: [Comparison.Rule] = compare.choices(member.name)
      if rules.count > 1, rules.contains(.ignored) {
        section.log.add(
          at: member.value,
          "“\(member.name)” is ignored, and compared",
          cure: "give “ignored” alone, or leave it out"
        )
      }
      found[member.name] = Comparison(rules)
    }
    return found
  }
}

extension RetryPolicy {
  fileprivate static func read(_ section: Section) -> RetryPolicy {
    var policy = RetryPolicy()
    policy.limit = section.count("limit", within: 0...100, else: policy.limit)
    policy.first = section.duration("first", else: policy.first)
    policy.longest = section.duration("longest", else: policy.longest)
    section.close()
    return policy
  }
}

extension RequestFieldRule {
  /// The field that holds whose the record is.
  fileprivate init(owner name: String) {
    self.init(
      name: name,
      source: .constant("{account}"),
      stage: .create,
      unless: nil,
      writing: .plain,
      referenceType: nil
    )
  }
}

extension Section {
  /// A text that is the only setting of the section.
  fileprivate func stated(_ name: String) -> String {
    defer { close() }
    return requiredText(name)
  }
}
