import TextCodecs

/// A URI reference in its five parts, and how one is resolved against another.
///
/// https://www.rfc-editor.org/rfc/rfc3986#section-5.2
struct SchemaAddress {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  init(_ text: String) {
    var rest = Substring(text)
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
      fragment = String(rest[rest.utf8.index(after: hash)...])
      rest = rest[..<hash]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(rest[rest.utf8.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
      scheme = String(rest[..<colon])
      rest = rest[rest.utf8.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
    }
    path = String(rest)
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first | 0x20 >= 0x61, first | 0x20 <= 0x7A else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39
        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
  }

  /// This reference seen from `base`.
  func resolved(against base: Self) -> Self {
    var target = self
    if scheme == nil {
      target.scheme = base.scheme
      if authority == nil {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          if query == nil { target.query = base.query }
        } else if !path.hasPrefix("/") {
          target.path = base.merged(path)
        }
      }
    }
    if target.scheme != "urn" { target.path = Self.withoutDots(target.path) }
    return target
  }

  private func merged(_ relative: String) -> String {
    if authority != nil && path.isEmpty { return "/" + relative }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
    return path[...slash] + relative
  }

  private static func withoutDots(_ path: String) -> String {
    guard path.contains(".") else { return path }
    var kept: [Substring] = []
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part {
      case ".":
        if isLast { kept.append("") }
      case "..":
        if kept.count > 1 || kept.first.map({ !$0.isEmpty }) == true { kept.removeLast() }
        if isLast { kept.append("") }
      default:
        kept.append(part)
      }
    }
    return kept.joined(separator: "/")
  }

  /// The reference without its fragment.
  var withoutFragment: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path
      + (query.map { "?" + $0 } ?? "")
  }

  /// The fragment with its percent escapes taken out; `nil` when they are broken.
  var decodedFragment: String? { PercentCoding.strictlyDecoded(fragment ?? "") }
}

extension SchemaAddress {
  /// `fragment` with every byte escaped that might mean something else in an address.
  static func escapedFragment(_ fragment: String) -> String {
    PercentCoding.encoded(fragment) { $0 != UInt8(ascii: "%") && $0 > 0x20 && $0 < 0x7F }
  }

  /// `address` with every byte escaped that none may have; what is escaped or has a meaning stays.
  ///
  /// A percent sign that no two hexadecimal digits follow escapes nothing, and represents itself.
  static func escapedAddress(_ address: String) -> String {
    let parts = address.split(separator: "%", omittingEmptySubsequences: false)
    let escaped = parts.map { part in
      PercentCoding.encoded(String(part), keeping: subDelimiters + ":@/?#")
    }
    return zip(parts, escaped).dropFirst().reduce(escaped[0]) { text, next in
      let digits = next.0.utf8.prefix(2)
      let isEscape = digits.count == 2 && digits.allSatisfy { Hexadecimal.value(of: $0) != nil }
      return text + (isEscape ? "%" : "%25") + next.1
    }
  }

  /// `name` with every byte escaped that may not are in one segment of a path.
  ///
  /// https://www.rfc-editor.org/rfc/rfc3986#section-3.3
  static func escapedSegment(_ name: String) -> String {
    PercentCoding.encoded(name, keeping: subDelimiters + ":@")
  }

  private static let subDelimiters = "!$&'()*+,;="
}
