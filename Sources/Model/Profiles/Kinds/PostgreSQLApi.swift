package import ProfileSettings
package import Records

/// A PostgreSQL database: where in it the tables are.
package struct PostgreSQLApi: ApiKind {
  package static let name = "postgresql"

  /// The schema of the tables, and of the one in which Ferry notes what it carried out.
  package let schema: String
  /// The most rows of one transaction.
  package let batchLimit: Int

  package static let largestBatch = 10_000
  package static let usualBatch = 1_000

  package static func read(_ section: Section, reader: RouteReader) -> PostgreSQLApi {
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

  package func entity(
    _ section: Section,
    named name: EntityName,
    hasRoutes: Bool,
    reader: RouteReader
  ) -> (any EntityKind)? {
    TableOfRecords(name: section.text("table", else: name.text))
  }

  package var knowsSeveralMembers: Bool { true }

  package func comparing(_ entity: EntityApi) -> EntityApi { entity.comparingInstants() }

  /// What opens the database, unless the profile names fewer.
  package func credentials(_ section: Section) -> [String]? {
    section.has("credentials") ? nil : ["user", "password"]
  }

  /// A database's user is no account of the app's.
  package var hasAccounts: Bool { false }

  package var capabilities: [PresetSummary.Capability: Bool] {
    [.bulk: true, .changes: false, .files: false, .revisions: true]
  }
}

/// The table that has the records of an entity.
private struct TableOfRecords: EntityKind {
  let name: String
}

extension EntityApi {
  /// The table that has the records in a database; `nil` elsewhere.
  package var table: String? { (ofKind.settings as? TableOfRecords)?.name }
}
