import Profiles
import TextCodecs

extension EntityApi {
  /// The identity of a new record, from the address of it that the answer to its creation gives; `nil` for an
  /// address that no route of the profile has.
  ///
  /// [RFC 9110, 10.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.2): the Location of an answer 201 is that
  /// of what was created, whole or relative to the request's.
  func serverID(atLocation address: String) -> String? {
    let routes = [read?.route, update?.route, delete?.route].compactMap(\.self)
    for route in routes where ids.count == 1 && route.names == ["id"] {
      let parts = route.template.split(
        separator: "{id}",
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      guard parts.count == 2 else { continue }
      let hasQuery = route.template.contains("?")
      let place = address.prefix { $0 != "#" && (hasQuery || $0 != "?") }
      guard place.hasSuffix(parts[1]) else { continue }
      let before = place.dropLast(parts[1].count)
      guard let start = before.ranges(of: parts[0]).last else { continue }
      let id = before[start.upperBound...]
      guard !id.isEmpty, !id.contains("/") else { continue }
      return PercentCoding.strictlyDecoded(id)
    }
    return nil
  }
}
