import TextCodecs

/// An address of HTTP that was checked: scheme, host, port, and what is asked for there.
///
/// Every address that comes from outside becomes one of these before a request goes there, whether a
/// record, an answer, a profile or the command line has it; ``HTTPTransport`` sends to no other.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
  package let scheme: Scheme
  /// In lower case; an IPv6 address has its brackets.
  package let host: String
  package let port: Int
  /// The path and the query as they are sent; begins with a slash.
  package let target: String

  package enum Scheme: String, Sendable {
    case http, https

    var usualPort: Int { self == .https ? 443 : 80 }
  }

  /// Why a text is no address that can be asked.
  package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
    case noScheme, otherScheme, login, noHost, host, port, unreadable

    package var description: String {
      switch self {
      case .noScheme: "has no scheme"
      case .otherScheme: "is neither http nor https"
      case .login: "has a name or a password in it, which Ferry does not send"
      case .noHost: "names no host"
      case .host: "names a host in signs that no host name has"
      case .port: "has a port that is not a number from 1 to 65535"
      case .unreadable: "holds white space or a control character where none can be"
      }
    }
  }

  /// Takes an `http` or `https` address; its fragment is left out.
  ///
  /// What a path cannot have as it is, such as a space, is percent-encoded.
  package init(_ text: String) throws(Fault) {
    guard let (colon, start) = Self.schemeEnd(in: text) else { throw .noScheme }
    guard let scheme = Scheme(rawValue: text[..<colon].lowercased()) else { throw .otherScheme }
    let rest = text[start...]
    let end = rest.utf8.firstIndex(where: Self.endsAuthority) ?? rest.endIndex
    let authority = rest[..<end]
    guard !authority.utf8.contains(UInt8(ascii: "@")) else { throw .login }
    (host, port) = try Self.split(authority, scheme)
    self.scheme = scheme
    target = try Self.target(rest[authority.endIndex...])
  }

  private init(_ base: HTTPAddress, target: String) {
    (scheme, host, port) = (base.scheme, base.host, base.port)
    self.target = target
  }

  package var description: String { origin + target }

  /// Scheme, host and, unless it is the scheme's own, port: `https://api.example.com`.
  package var origin: String {
    "\(scheme.rawValue)://\(host)" + (port == scheme.usualPort ? "" : ":\(port)")
  }

  /// The part of ``target`` before the query.
  package var path: Substring { target.prefix { $0 != "?" } }

  /// What a reference means that is at this address,
  /// [RFC 3986, 5.2](https://www.rfc-editor.org/rfc/rfc3986#section-5.2).
  package func resolving(_ reference: String) throws(Fault) -> HTTPAddress {
    let plain = reference.prefix { $0 != "#" }
    if let colon = plain.firstIndex(of: ":"), Self.isScheme(plain[..<colon]) {
      return try HTTPAddress(reference)
    }
    if plain.hasPrefix("//") { return try HTTPAddress("\(scheme.rawValue):\(plain)") }
    if plain.isEmpty { return self }
    let head: Substring =
      switch plain.first {
      case "/": ""
      case "?": path
      default: path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
      }
    return HTTPAddress(self, target: Self.withoutDots(try Self.target(head + plain)))
  }

  /// Where the scheme ends, and what comes behind its `://` begins.
  private static func schemeEnd(in text: String) -> (colon: String.Index, start: String.Index)? {
    let bytes = text.utf8
    var place = bytes.startIndex
    while let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) {
      let next = bytes.index(after: colon)
      if bytes[next...].starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) {
        return (colon, bytes.index(next, offsetBy: 2))
      }
      place = next
    }
    return nil
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): true
    default: false
    }
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic else { return false }
    return text.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
    }
  }

  private static func split(
    _ authority: Substring,
    _ scheme: Scheme
  ) throws(Fault) -> (host: String, port: Int) {
    var host = authority
    var port = scheme.usualPort
    let afterBracket = authority.lastIndex(of: "]") ?? authority.startIndex
    if let colon = authority[afterBracket...].lastIndex(of: ":") {
      host = authority[..<colon]
      let digits = authority[authority.index(after: colon)...]
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
        (1...65_535).contains(number)
      else { throw .port }
      port = number
    }
    guard !host.isEmpty else { throw .noHost }
    let name = host.lowercased()
    guard name.hasPrefix("[") ? isLiteral(name) : name.utf8.allSatisfy(isOfName) else {
      throw .host
    }
    return (name, port)
  }

  private static func isLiteral(_ text: String) -> Bool {
    text.hasSuffix("]") && IPAddress(text.dropFirst().dropLast())?.bytes.count == 16
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The path and the query with what they cannot have encoded.
  private static func target(_ text: Substring) throws(Fault) -> String {
    let bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
    // Most are as they are sent.
    if bytes.first == UInt8(ascii: "/"), bytes.allSatisfy(isSentAsItIs) {
      return String(decoding: bytes, as: UTF8.self)
    }
    var target: [UInt8] = []
    if bytes.first != UInt8(ascii: "/") { target.append(UInt8(ascii: "/")) }
    for (index, byte) in bytes.enumerated() {
      guard byte >= 0x20, byte != 0x7F else { throw .unreadable }
      let isPlain =
        byte == UInt8(ascii: "%")
        ? bytes.dropFirst(index + 1).prefix(2).count { Hexadecimal.value(of: $0) != nil } == 2
        : isSentAsItIs(byte)
      PercentCoding.append(CollectionOfOne(byte), to: &target) { _ in isPlain }
    }
    return String(decoding: target, as: UTF8.self)
  }

  /// Whether a path or a query has this sign as it is; a percent sign depends on what follows.
  private static func isSentAsItIs(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["),
      UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "`"),
      UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "%"):
      false
    default: byte > 0x20 && byte < 0x7F
    }
  }

  /// The same without the segments `.` and `..`,
  /// [RFC 3986, 5.2.4](https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4).
  private static func withoutDots(_ target: String) -> String {
    let path = target.prefix { $0 != "?" }
    var segments: [Substring] = []
    let all = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in all.enumerated() {
      let isLast = index == all.count - 1
      switch segment {
      case ".": if isLast { segments.append("") }
      case "..":
        _ = segments.popLast()
        if isLast { segments.append("") }
      default: segments.append(segment)
      }
    }
    return "/" + segments.joined(separator: "/") + target[path.endIndex...]
  }
}
