package import JSONText
import ProfileSettings

/// What the requests of a route carry, where that is not the record itself.
package struct RequestContent: Hashable, Sendable {
  /// The body with names in braces: `{body}` is the record, or what else the request would hold; `nil` for just
  /// that.
  package let body: JSONTemplate?
  /// Whether the body is a form, and no JSON.
  package let isForm: Bool
  /// Headers of these requests alone.
  package let headers: [TemplateMember]
  /// The query parameters that a body may have in their place, and that it lacks where they have no value.
  package var parameters: Set<String> = []
  /// The names, in the address and the body, whose values a body has as numbers.
  package var counts: Set<String> = []
  /// Those of them that come once for each record, and are an array in a body.
  package var lists: Set<String> = []

  /// Whether the body or a header has a name in braces.
  package func names(_ name: String) -> Bool {
    body?.names.contains(name) == true
      || headers.contains { $0.text.contains("{\(name)}") }
  }
}

extension Route {
  /// Whether its requests have a name in braces, in the address, the body or a header.
  package func names(_ name: String) -> Bool {
    names.contains(name) || content?.names(name) == true
  }

  /// Whether both are one place of the destination, whatever their requests carry.
  package func isSamePlace(as other: Route) -> Bool {
    method == other.method && template == other.template
  }

  /// The same at another address of the destination.
  package func at(_ address: String) -> Route {
    var route = Route(method: method, template: address)
    route.content = content
    return route
  }

  /// The same, in whose body query parameters may be.
  func having(parameters: [String?], counts: [String?] = [], lists: [String?] = []) -> Route {
    var route = self
    route.content?.parameters = Set((parameters + counts + lists).compactMap(\.self))
    route.content?.counts.formUnion(counts.compactMap(\.self))
    route.content?.lists = Set(lists.compactMap(\.self))
    return route
  }
}

extension RouteReader {
  /// The route called `request`, with the body and the headers that the section gives its requests.
  func fullRoute(_ section: Section) -> Route {
    var route = route(section)
    let body = section.node("body").map { JSONTemplate($0.json) }
    // What few routes have is not written into what is kept of all.
    let isForm = section.has("form") && section.flag("form", else: false)
    let headers = templates(section, "headers")
    if body != nil || isForm || !headers.isEmpty {
      route.content = RequestContent(body: body, isForm: isForm, headers: headers)
    }
    if section.has("numbers") { route.content?.counts = Set(section.texts("numbers")) }
    return route
  }
}
