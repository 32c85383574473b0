import JSONText
import ProfileSettings
import Retrying

extension Api {
  /// The manners of the destination.
  package enum Kind: Hashable, Sendable {
    /// Each entity has routes of its own.
    case rest
    /// CloudKit Web Services.
    case cloudKit(CloudKitApi)
    /// All entities travel together, in both directions.
    case changeset(ChangesetApi)
    /// A folder, in which each record is a file.
    case folder
    /// Tables of a PostgreSQL database.
    case postgreSQL(PostgreSQLApi)
  }
}

/// All that Ferry has to know of a kind of destination before it is opened: a new kind is a case in each list here.
extension Api.Kind {
  private enum Name: String, CaseIterable { case rest, cloudkit, changeset, folder, postgresql }

  /// Reads which kind an `api` section is of, with what that kind alone has.
  static func read(_ section: Section, reader: RouteReader) -> Api.Kind {
    switch section.choice("kind", else: Name.rest) {
    case .rest: .rest
    case .folder: .folder
    case .cloudkit: .cloudKit(CloudKitApi.read(section))
    case .changeset: .changeset(ChangesetApi.read(section, reader: reader))
    case .postgresql: .postgreSQL(PostgreSQLApi.read(section))
    }
  }

  var isCloudKit: Bool {
    if case .cloudKit = self { true } else { false }
  }

  var isChangeset: Bool {
    if case .changeset = self { true } else { false }
  }

  var isPostgreSQL: Bool {
    if case .postgreSQL = self { true } else { false }
  }

  /// The credentials that the kind itself names, or `nil` where the profile does.
  func credentials(_ section: Section) -> [String]? {
    switch self {
    case .cloudKit(let cloudKit): cloudKit.credentials
    case .postgreSQL: section.has("credentials") ? nil : PostgreSQLApi.credentials
    case .rest, .changeset, .folder: nil
    }
  }

  /// Whether a session does with some of the credentials, or with none.
  var choosesCredentials: Bool {
    switch self {
    case .rest, .changeset: false
    case .cloudKit, .folder, .postgreSQL: true
    }
  }

  /// The setting without which no request removes a record of the entity; `nil` where one does.
  func missingRemoval(of entity: EntityApi) -> String? {
    switch self {
    case .rest: entity.delete == nil ? "delete" : nil
    case .changeset: entity.rows?.deleted == nil ? "deleted" : nil
    case .cloudKit, .folder, .postgreSQL: nil
    }
  }

  /// The kind's own patience: 2, 4 and 8 seconds for CloudKit, whose clients wait so.
  var retry: RetryPolicy? {
    isCloudKit ? RetryPolicy(first: .seconds(2), longest: .seconds(8)) : nil
  }

  /// The most requests a second, of the profile's choice or the kind's own.
  func rate(_ chosen: Double?) -> Double? {
    guard isCloudKit else { return chosen }
    return min(chosen ?? CloudKitApi.largestRate, CloudKitApi.largestRate)
  }
}

extension Api {
  /// Whether the destination can do something with an entity.
  func has(_ capability: PresetSummary.Capability, _ entity: EntityApi) -> Bool {
    switch (capability, kind) {
    case (.schema, _): schemaRoute != nil
    case (.delete, _): kind.missingRemoval(of: entity) == nil
    case (.bulk, .cloudKit), (.bulk, .changeset), (.bulk, .postgreSQL), (.changes, .changeset),
      (.files, .cloudKit), (.revisions, .cloudKit), (.revisions, .postgreSQL):
      true
    case (.changes, .postgreSQL), (.files, .postgreSQL): false
    case (.changes, .cloudKit(let cloudKit)): cloudKit.listsChanges
    case (.bulk, .rest), (.bulk, .folder): (entity.create?.limit ?? 1) > 1
    case (.changes, .rest), (.changes, .folder): entity.list?.since != nil
    case (.files, .rest), (.files, .changeset), (.files, .folder):
      media != nil || !entity.files.isEmpty
    case (.revisions, .rest), (.revisions, .changeset), (.revisions, .folder): entity.version != nil
    }
  }
}

extension RetryPolicy {
  static func read(_ section: Section) -> RetryPolicy {
    var policy = RetryPolicy()
    policy.limit = section.count("limit", within: 0...100, else: policy.limit)
    policy.first = section.duration("first", else: policy.first)
    policy.longest = section.duration("longest", else: policy.longest)
    section.close()
    return policy
  }
}

extension CloudKitApi {
  static func read(_ section: Section) -> CloudKitApi {
    let database: Database = section.choice("database", else: .private)
    let zone = section.text("zone", else: defaultZone)
    if database == .public, zone != defaultZone {
      section.log.add(
        at: section.node("zone") ?? section.node,
        "the public database has no zone “\(zone)”",
        cure: "remove “zone”, or use the private database"
      )
    }
    return CloudKitApi(
      container: section.requiredText("container"),
      environment: section.choice("environment", else: .development),
      database: database,
      zone: zone,
      makesZone: section.flag("create-zone", else: false),
      batchLimit: section.count("batch", within: 1...largestBatch, else: largestBatch)
    )
  }
}

extension PostgreSQLApi {
  static func read(_ section: Section) -> PostgreSQLApi {
    for name in ["sign-in", "account", "basic", "headers", "media", "meanings", "rate"] {
      guard let node = section.node(name), node["constant"] == nil else { continue }
      section.log.add(
        at: node,
        "“\(name)” has no meaning for kind: postgresql",
        cure: "leave it out"
      )
    }
    return PostgreSQLApi(
      schema: section.text("schema", else: "public"),
      batchLimit: section.count("batch", within: 1...largestBatch, else: usualBatch)
    )
  }
}

extension CloudRecordType {
  /// Reads `record-type` and `types`; the type is the entity's own name unless given.
  static func read(_ section: Section) -> CloudRecordType {
    var fields: [String: Field] = [:]
    if let types = section.section("types") {
      for member in types.all() {
        fields[member.name] = types.choice(member.name, else: Field.string)
      }
    }
    return CloudRecordType(name: section.requiredText("record-type"), fields: fields)
  }
}

extension ChangesetApi {
  static func read(_ section: Section, reader: RouteReader) -> ChangesetApi {
    let sync = section.requiredSection("sync")
    let placeholder = Route(method: .get, template: "/")
    func route(_ name: String) -> Route {
      guard let node = sync?.requiredNode(name), let text = sync?.text(of: node) else {
        return placeholder
      }
      return reader.route(text, at: node) ?? placeholder
    }
    let api = ChangesetApi(
      pull: route("pull"),
      since: sync?.text("since", else: "since") ?? "since",
      push: route("push"),
      mark: MemberPath(sync?.text("changes-cursor", else: "server_time") ?? "server_time"),
      batchLimit: sync?.count("limit", within: 1...10_000, else: 100) ?? 100
    )
    sync?.close()
    return api
  }
}

extension ChangesetRows {
  static func read(_ section: Section, reader: RouteReader) -> ChangesetRows {
    ChangesetRows(
      name: section.requiredText("rows"),
      deleted: section.text("deleted"),
      changed: section.text("changed"),
      owner: section.text("owner"),
      links: section.section("links").map { links in
        defer { links.close() }
        let names = reader.templates(links, "body").map { ($0.text, $0.name) }
        return Links(route: reader.route(links), names: Dictionary(names) { $1 })
      }
    )
  }
}
