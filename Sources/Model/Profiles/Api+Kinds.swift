import JSONText
import ProfileSettings
import Retrying

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
