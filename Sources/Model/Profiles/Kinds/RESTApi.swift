package import ProfileSettings

/// A destination at which each entity has routes of its own.
package struct RESTApi: ApiKind {
  package static let name = "rest"
  package static let hasRoutes = true

  package static func read(_ section: Section, reader: RouteReader) -> RESTApi { RESTApi() }

  package var choosesCredentials: Bool { false }

  package func missingRemoval(of entity: EntityApi) -> String? {
    entity.delete == nil ? "delete" : nil
  }
}
