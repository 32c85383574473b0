package import JSONText
package import NIOHTTP1

/// A link of an answer's header `Link`: `<https://example.com/notes?page=2>; rel="next"`.
///
/// <https://www.rfc-editor.org/rfc/rfc8288#section-3>
package struct WebLink: Hashable, Sendable {
  /// The address, as it is written.
  let target: String
  /// What it is to the answer, in lower case.
  let relations: [Substring]
  /// What it is about where that is not the answer itself.
  let anchor: String?

  /// The address of what comes next, as it is written; `nil` where no link says so.
  package static func next(in headers: HTTPHeaders, named name: String = "Link") -> String? {
    headers[name].lazy.flatMap { links(in: $0) }
      .first { $0.relations.contains("next") && $0.anchor == nil }?.target
  }

  /// The address of what comes next in an array of links of the body: `{"rel": "next", "href": "/notes?page=2"}`, or as in
  /// FHIR `{"relation": "next", "url": "/notes?page=2"}`.
  package static func next(in links: [JSONView]) -> String? {
    links.first(where: isNext).flatMap { ($0["href"] ?? $0["url"])?.text }
  }

  /// Whether a link of the body says that it leads to what comes next.
  package static func isNext(_ link: JSONView) -> Bool {
    let relation = (link["rel"] ?? link["relation"])?.text ?? ""
    return relation.lowercased().split(separator: " ").contains("next")
  }

  /// The links of one header field; what cannot be read is passed over up to the next link.
  static func links(in field: String) -> [WebLink] {
    var reader = Reader(rest: field[...])
    var links: [WebLink] = []
    while let target = reader.target() {
      let parameters = reader.parameters()
      let relations = parameters["rel"]?.lowercased().split(whereSeparator: \.isWhitespace)
      links.append(
        WebLink(target: target, relations: relations ?? [], anchor: parameters["anchor"])
      )
    }
    return links
  }
}

extension WebLink {
  /// Reads a field from its beginning to its end.
  private struct Reader {
    var rest: Substring

    /// The next address between angle brackets.
    mutating func target() -> String? {
      guard let open = rest.firstIndex(of: "<"), let end = rest[open...].firstIndex(of: ">") else {
        return nil
      }
      let target = rest[rest.index(after: open)..<end]
      rest = rest[rest.index(after: end)...]
      return String(target.filter { !$0.isWhitespace })
    }

    /// What follows an address, up to the comma before the next; the first of a name counts.
    mutating func parameters() -> [String: String] {
      var found: [String: String] = [:]
      skipSpace()
      while rest.first == ";" {
        rest.removeFirst()
        skipSpace()
        let name = token { "=;,".contains($0) }.lowercased()
        var value = ""
        if rest.first == "=" {
          rest.removeFirst()
          skipSpace()
          value = rest.first == "\"" ? quoted() : token { ";,".contains($0) }
        }
        if found[name] == nil { found[name] = value }
        skipSpace()
      }
      return found
    }

    private mutating func skipSpace() { rest = rest.drop { $0.isWhitespace } }

    private mutating func token(until isEnd: (Character) -> Bool) -> String {
      let token = rest.prefix { !isEnd($0) }
      rest = rest[token.endIndex...]
      return token.filter { !$0.isWhitespace }
    }

    private mutating func quoted() -> String {
      rest.removeFirst()
      var value = ""
      while let next = rest.popFirst(), next != "\"" {
        if next == "\\", let escaped = rest.popFirst() {
          value.append(escaped)
        } else {
          value.append(next)
        }
      }
      return value
    }
  }
}
