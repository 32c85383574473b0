import Records

extension Api {
  /// Reads the `api` section.
  static func read(_ section: Section) -> Api {
    enum Kind: String, CaseIterable { case rest }
    let _: Kind = section.choice("kind", else: .rest)
    let reader = RouteReader(log: section.log)
    let settle = section.duration("settle") ?? .seconds(60)
    let api = Api(
      credentials: section.texts("credentials"),
      signIn: section.section("sign-in").map { reader.signIn($0) },
      account: section.section("account").map { reader.account($0) },
      basic: section.section("basic").map { reader.basic($0) },
      headers: reader.templates(section, "headers"),
      settle: settle,
      timeout: section.duration("timeout") ?? .seconds(30),
      concurrency: section.count("concurrency", within: 1...64) ?? 2,
      rate: section.positiveNumber("rate"),
      forbidden: reader.routes(section, "forbidden"),
      media: section.section("media").map { reader.media($0) },
      entities: section.members("entities").compactMap { EntityApi.read($0, reader: reader) },
      clientID: section.choice("client-id", else: .asIs)
    )
    section.close()
    return api
  }
}

extension EntityApi {
  static func read(_ member: SettingNode.Member, reader: RouteReader) -> EntityApi? {
    let section = Section(member.value, log: reader.log)
    guard let name = section.entityName(member.name, at: member.value) else { return nil }
    let create = section.requiredSection("create").flatMap { reader.create($0) }
    let body = section.requiredSection("body").map { BodyReader(log: reader.log).rules($0) } ?? []
    let list = section.section("list").map { reader.list($0) }
    let entity = create.map { create in
      EntityApi(
        entity: name,
        // After a fault nothing is asked for, so that no second fault follows from the first.
        replay: section.has("replay") ? section.choice("replay", else: .key) : .lookUp,
        list: list,
        read: section.section("read").map { reader.read($0) },
        create: create,
        update: section.section("update").map { reader.update($0) },
        delete: section.section("delete").map { reader.delete($0) },
        id: MemberPath(section.text("id") ?? "id"),
        content: reader.path(section, "content"),
        version: reader.version(section),
        serverID: section.text("server-id"),
        body: body.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) },
        compare: comparisons(section),
        naturalKey: section.texts("natural-key"),
        unplaced: section.texts("unplaced"),
        needs: section.texts("needs"),
        conflict: section.choice("conflict", else: .fail)
      )
    }
    if entity != nil { section.close() }
    return entity
  }

  private static func comparisons(_ section: Section) -> [String: Comparison] {
    var found: [String: Comparison] = [:]
    guard let compare = section.section("compare") else { return found }
    for member in compare.all() {
      found[member.name] = compare.choice(member.name, else: Comparison.ignored)
    }
    return found
  }
}
