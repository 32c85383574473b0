/// Where a destination is: the scheme, host, port and leading path of its address.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// Scheme, host and, unless it is the scheme's own, port: `https://api.example.com`.
  package let text: String
  /// What every path of the profile comes after; empty, or `/` and more without a last slash.
  package let path: String
  /// Whether what is sent cannot be read on the way: encrypted, or within this machine.
  package let isProtected: Bool

  /// Takes an `http` or `https` address without user, query and fragment.
  package init(_ address: String) throws(DestinationError) {
    guard let colon = address.firstRange(of: "://") else {
      throw Self.refusal(address, "has no scheme")
    }
    let scheme = address[..<colon.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw Self.refusal(address, "is neither http nor https")
    }
    let rest = address[colon.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else {
      throw .misconfigured(
        reason: "the destination's address holds a user or a password",
        cure: "give it without, and the secrets with --credential"
      )
    }
    guard !rest.contains(where: "?#".contains), !address.contains(where: \.isUnfit) else {
      throw Self.refusal(address, "holds a query, a fragment or white space")
    }
    let (host, port) = try Self.split(authority, of: address)
    let isUsual = port == nil || port == (scheme == "https" ? 443 : 80)
    text = "\(scheme)://\(host)" + (isUsual ? "" : ":\(port ?? 0)")
    var path = rest[authority.endIndex...]
    while path.last == "/" { path.removeLast() }
    self.path = String(path)
    isProtected = scheme == "https" || Self.isThisMachine(host)
  }

  /// Whether an address is one, and what is sent there can be read on the way.
  package static func isInTheOpen(_ address: String) -> Bool {
    do throws(DestinationError) { return try !Origin(address).isProtected } catch { return false }
  }

  private static func isThisMachine(_ host: String) -> Bool {
    // A name may begin like an address.
    let isLoop = host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isNumber }
    return isLoop || host == "localhost" || host == "[::1]"
  }

  package var description: String { text }

  /// The whole address, which tells two destinations of one host apart: `https://example.com/staging`.
  package var address: String { text + path }

  private static func split(
    _ authority: Substring,
    of address: String
  ) throws(DestinationError) -> (host: String, port: Int?) {
    var host = authority
    var port: Int?
    let afterBracket = authority.lastIndex(of: "]") ?? authority.startIndex
    if let colon = authority[afterBracket...].lastIndex(of: ":") {
      host = authority[..<colon]
      guard let number = Int(authority[authority.index(after: colon)...]),
        (1...65_535).contains(number)
      else { throw refusal(address, "has a port that is no number from 1 to 65535") }
      port = number
    }
    guard !host.isEmpty else { throw refusal(address, "names no host") }
    return (host.lowercased(), port)
  }

  /// The address is shown up to the first sign behind which a password or a token may stand.
  private static func refusal(_ address: String, _ fault: String) -> DestinationError {
    let shown = address.contains("@") ? "" : String(address.prefix { !"?#".contains($0) })
    let words = shown.count == address.count ? shown : shown + "…"
    return .misconfigured(
      reason: "the destination's address “\(ServerMessage.printable(words))” \(fault)",
      cure: "write it like https://api.example.com"
    )
  }
}

extension Character {
  fileprivate var isUnfit: Bool {
    isWhitespace || self == "\\" || unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }
}
