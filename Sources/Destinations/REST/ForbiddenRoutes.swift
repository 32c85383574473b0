package import DestinationModel
package import Profiles

/// The routes that a profile says must never be called.
package struct ForbiddenRoutes: Sendable {
  private let routes: [(route: Route, segments: [Substring])]

  package init(_ routes: [Route]) {
    self.routes = routes.map { ($0, Self.segments($0.template)) }
  }

  /// The rule that a request would break, or `nil`.
  ///
  /// The path is one that is filled in, or a route's template. A `{name}` of a rule represents any
  /// one segment; the query and a last slash make no difference.
  package func rule(against method: Route.Method, path: String) -> Route? {
    let segments = Self.segments(path)
    let rule = routes.first { rule in
      rule.route.method == method && rule.segments.count == segments.count
        && zip(rule.segments, segments).allSatisfy { $0 == $1 || Self.isPlaceholder($0) }
    }
    return rule?.route
  }

  /// Refuses an interface that has a forbidden route among its own.
  package func check(_ api: Api) throws(DestinationError) {
    for route in api.routes {
      guard let rule = rule(against: route.method, path: route.template) else { continue }
      throw .misconfigured(
        reason: "the profile uses \(route), which it forbids (\(rule))",
        cure: "take the route out of the profile, or out of its list of forbidden ones"
      )
    }
  }

  private static func segments(_ path: String) -> [Substring] {
    path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
  }

  private static func isPlaceholder(_ segment: Substring) -> Bool {
    segment.hasPrefix("{") && segment.hasSuffix("}")
  }
}

extension Api {
  /// Every route that could be called.
  fileprivate var routes: [Route] {
    let ownSignIn = signIn.flatMap { $0.server == nil ? $0.route : nil }
    var routes = [ownSignIn, account?.route].compactMap { $0 }
    routes += kind.routes
    if case .tickets(let tickets) = media?.way { routes += tickets.routes }
    if case .routes(let files) = media?.way { routes += files.routes }
    for entity in entities {
      if case .requests(_, let batch) = entity.create {
        routes += [batch.route, batch.serverLimit?.route].compactMap { $0 }
      }
      routes += [
        entity.list?.route, entity.read?.route, entity.create?.route, entity.update?.route,
        entity.delete?.route, entity.delete?.many?.route, entity.read?.lookup?.route,
      ].compactMap { $0 }
    }
    return routes
  }
}
