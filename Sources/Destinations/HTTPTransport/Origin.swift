package import DestinationModel

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
    let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
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
    let checked: HTTPAddress
    do throws(HTTPAddress.Fault) { checked = try HTTPAddress(address) } catch {
      throw Self.refusal(address, error.description)
    }
    text = checked.origin
    var path = checked.target[...]
    while path.last == "/" { path.removeLast() }
    self.path = String(path)
    isProtected = checked.scheme == .https || Self.isThisMachine(checked.host)
  }

  /// Whether a text is an address to which the way is as safe as here.
  package func isAsSafe(at text: String) -> Bool {
    do throws(HTTPAddress.Fault) {
      return try HTTPAddress(text).scheme == .https || self.text.hasPrefix("http://")
    } catch {
      return false
    }
  }

  /// Whether an address is at this place's server; behind a gateway that encrypts, a server may not know
  /// that it is asked by `https`.
  package func isSame(as address: HTTPAddress) -> Bool {
    address.origin == text || text == "https://\(address.host)" && address.port == 80
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

  /// The host, with the port where it is not the scheme's own.
  package var authority: String {
    text.firstRange(of: "://").map { String(text[$0.upperBound...]) } ?? text
  }

  /// The whole address, which distinguishes two destinations of one host: `https://example.com/staging`.
  package var address: String { text + path }

  /// The address is shown up to the first sign behind which a password or a token may appear.
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
