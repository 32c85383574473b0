package import JSONText
package import ProfileSettings
package import Records
import RequestBodies

/// One pair of routes through which all entities travel together.
package struct ChangesetApi: ApiKind {
  package static let name = "changeset"

  /// Gives rows of every entity: all, or what changed since a mark.
  package let pull: Route
  /// The query parameter that takes the mark.
  package let since: String
  /// Takes rows of every entity, and makes or changes each.
  package let push: Route
  /// Where a pull's answer has the destination's own mark.
  package let mark: MemberPath
  /// The most rows of one push.
  package let batchLimit: Int

  package static func read(_ section: Section, reader: RouteReader) -> ChangesetApi {
    let sync = section.requiredSection("sync")
    let placeholder = Route(method: .get, template: "/")
    func route(_ name: String) -> Route {
      guard let node = sync?.requiredNode(name), let text = sync?.text(of: node) else {
        return placeholder
      }
      return reader.route(text, at: node) ?? placeholder
    }
    defer { sync?.close() }
    return ChangesetApi(
      pull: route("pull"),
      since: sync?.text("since", else: "since") ?? "since",
      push: route("push"),
      mark: MemberPath(sync?.text("changes-cursor", else: "server_time") ?? "server_time"),
      batchLimit: sync?.count("limit", within: 1...10_000, else: 100) ?? 100
    )
  }

  /// Records that do not travel with the others have routes of their own.
  package func hasRoutes(_ section: Section) -> Bool { section.has("create") }

  package func entity(
    _ section: Section,
    named name: EntityName,
    hasRoutes: Bool,
    reader: RouteReader
  ) -> (any EntityKind)? {
    hasRoutes ? nil : ChangesetRows.read(section, reader: reader)
  }

  /// It names a member of each row.
  package var fillsOwner: Bool { false }

  package var choosesCredentials: Bool { false }

  package func missingRemoval(of entity: EntityApi) -> String? {
    entity.rows?.deleted == nil ? "deleted" : nil
  }

  package var capabilities: [PresetSummary.Capability: Bool] { [.bulk: true, .changes: true] }

  package var routes: [Route] { [pull, push] }
}

/// The rows of an entity in a changeset.
package struct ChangesetRows: EntityKind {
  /// The member of an answer, and of a request, that has the rows.
  package let name: String
  /// The member of a row that holds the moment of its removal; `nil` where none is ever removed.
  package let deleted: String?
  /// The member of a row that holds the moment of its last change, where the destination keeps the one
  /// that a row is pushed with; `nil` where it writes its own, or has none.
  ///
  /// It costs a reading of all rows before each push that changes or removes some, for that destination
  /// need not report all changes after a mark.
  package let changed: String?
  /// The member of a row that holds the account's own identity, without which the destination
  /// passes over the row; `nil` if it does not exist.
  package let owner: String?
  /// How fields are sent that no push takes; `nil` where it takes all of them.
  package let links: Links?

  package let isRow = true

  package var routes: [(setting: String, route: Route)] {
    links.map { [("links", $0.route)] } ?? []
  }

  package var uses: [(setting: String, name: String)] {
    (links?.names.keys.sorted() ?? []).map { ("links/body", $0) }
  }

  package func faults(
    of entity: EntityApi
  ) -> [(setting: String, cause: String, cure: String)] {
    guard let changed, entity.body.contains(where: { $0.name == changed }) else { return [] }
    return [
      (
        "body", "“\(changed)” is given to each row by Ferry itself",
        "remove it, or remove “changed”"
      )
    ]
  }

  /// A route for one record, which takes fields that lead to other records.
  package struct Links: Hashable, Sendable {
    package let route: Route
    /// The request's members, by the names of their fields in a row.
    package let names: [String: String]
  }
}

extension ChangesetRows {
  fileprivate static func read(_ section: Section, reader: RouteReader) -> ChangesetRows {
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

extension EntityApi {
  /// Which rows these are in a changeset; `nil` elsewhere.
  package var rows: ChangesetRows? { ofKind.settings as? ChangesetRows }
}
