import JSONText
package import ProfileSettings
import Records

extension Profile {
  /// Reads a profile from UTF-8 YAML.
  ///
  /// `given` has the values of variables that a person gives beside the profile. `beside` gives what a file
  /// beside the profile holds, which is a schema or a preset of the user's, or `nil` where it cannot be read.
  ///
  /// - Throws: `ProfileError` with every fault that was found.
  package init(
    yaml bytes: [UInt8],
    path: String,
    given: GivenValues = .none,
    beside: (String) -> [UInt8]? = { _ in nil }
  ) throws(ProfileError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let log = FaultLog(file: path)
      log.add(line: nil, pointer: "", "the file is not UTF-8", cure: "save it as UTF-8")
      throw ProfileError(faults: log.faults)
    }
    try self.init(yaml: text, path: path, given: given, beside: beside)
  }

  /// Reads a profile from YAML.
  ///
  /// - Throws: `ProfileError` with every fault that was found.
  package init(
    yaml text: String,
    path: String,
    given: GivenValues = .none,
    beside: (String) -> [UInt8]? = { _ in nil }
  ) throws(ProfileError) {
    let log = FaultLog(file: path)
    guard let written = SettingNode.read(yaml: text, log: log) else {
      throw ProfileError(faults: log.faults)
    }
    try Self.checkFormat(Section(written, log: log))
    let (root, variables) = withoutActuallyEscaping(beside) {
      ProfileExpansion(beside: $0, given: given, log: log).expanded(written)
    }
    let section = Section(root, log: log)
    try Self.checkFormat(section)
    let entities = Self.entities(of: section)
    self.path = path
    app = section.requiredText("app")
    title = section.text("title", else: app)
    source = Self.source(of: section)
    stores = Self.stores(of: section)
    acceptedUnmapped = Self.acceptedUnmapped(of: section, entities: entities)
    self.entities = entities
    omittedEntities = section.texts("omit-entities").compactMap { EntityName($0) }
    secrets = SecretRules.read(section, entities: entities)
    destinations = Self.destinations(of: section)
    api = section.section("api").map { Api.read($0) }
    account = section.section("account").flatMap { AccountRule.read($0, entities: entities) }
    imports = section.section("import").flatMap { ImportProfile.read($0, entities: entities) }
    meaning = log.settings.value(of: root)
    settings = root
    digest = Self.digest(of: meaning, entities: entities)
    Self.checkApp(app, section)
    section.close()
    // Without that section, each name of an entity would be a fault.
    if section.has("entities") {
      ProfileCheck(
        entities: entities,
        stores: stores,
        api: api,
        root: section,
        variables: variables,
        log: log
      ).run()
    }
    try log.check()
    ProfileSchema.check(root, log: log)
    try log.check()
  }

  /// A profile of another format is refused before anything else is said about it.
  private static func checkFormat(_ section: Section) throws(ProfileError) {
    let found = section.count("ferry-profile", within: 1...1_000_000)
    if let found, found > Int(format) {
      section.log.add(
        at: section.node,
        "the profile has format \(found) and this program reads up to \(format)",
        cure: "use a newer ferry"
      )
      try section.log.check()
    }
    if found == nil {
      section.log.add(
        at: section.node,
        "“ferry-profile” is missing",
        cure: "begin with “ferry-profile: 1”"
      )
    }
  }

  private static func checkApp(_ app: String, _ section: Section) {
    let isPlain = app.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
    guard !app.isEmpty, !isPlain || app.utf8.count > 64, let node = section.node("app") else {
      return
    }
    section.log.add(
      at: node,
      "“\(app)” cannot be part of a file's name",
      cure: "use up to 64 lower-case letters, digits and hyphens"
    )
  }

  private static func source(of section: Section) -> SourceSettings {
    guard let source = section.section("source") else { return SourceSettings(containers: ["."]) }
    let containers = source.texts("container")
    source.close()
    return SourceSettings(containers: containers.isEmpty ? ["."] : containers)
  }

  private static func stores(of section: Section) -> [NamedStore] {
    section.members("stores").compactMap { member in
      guard let pattern = section.text(of: member.value) else { return nil }
      let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
      if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) {
        section.log.add(
          at: member.value,
          "“\(pattern)” is not a path in a container",
          cure: "write it like Library/Application Support/default.store"
        )
      }
      return NamedStore(name: member.name, pattern: pattern)
    }
  }

  private static func destinations(of section: Section) -> [NamedDestination] {
    section.members("destinations").compactMap { member in
      let inner = Section(member.value, log: section.log)
      let url = inner.requiredText("url")
      inner.close()
      let schemes = ["https://", "http://", "postgresql://", "postgres://", "file:"]
      if !url.isEmpty, !schemes.contains(where: url.hasPrefix) {
        section.log.add(
          at: member.value,
          "“\(url)” is not an address of a destination",
          cure: "begin it with https://, http://, postgresql:// or file:"
        )
      }
      return NamedDestination(name: member.name, url: url)
    }
  }

  private static func acceptedUnmapped(
    of section: Section,
    entities: [EntityProfile]
  ) -> [UnmappedName] {
    let accepted = section.texts("accept-unmapped")
    // That no entity is described is one fault, and not one more for each name.
    guard !entities.isEmpty else { return [] }
    return accepted.compactMap { text in
      let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
      if let first = parts.first, let entity = entities.first(where: { $0.name.text == first }) {
        return UnmappedName(entity: entity.name, member: parts.count > 1 ? parts[1] : nil)
      }
      guard section.has("entities") else { return nil }
      section.log.add(
        at: section.node("accept-unmapped") ?? section.node,
        "“\(text)” names no entity of this profile",
        cure: "write Entity or Entity.member"
      )
      return nil
    }
  }

  static func entities(of section: Section) -> [EntityProfile] {
    guard let inner = section.requiredSection("entities") else { return [] }
    let dangling: EntityProfile.Dangling = section.choice("dangling", else: .omit)
    let entities = inner.all().compactMap {
      EntityProfile.read($0, dangling: dangling, log: section.log)
    }
    if entities.isEmpty {
      section.log.add(at: inner.node, "no entity is described", cure: "describe at least one")
    }
    return entities
  }

  private static func digest(of meaning: JSONValue, entities: [EntityProfile]) -> Digest {
    let order = entities.map { "\n\($0.name)" }.joined()
    return Digest(sha256: meaning.canonicalBytes, Array(order.utf8))
  }
}
