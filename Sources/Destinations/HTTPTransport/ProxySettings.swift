import AsyncHTTPClient
package import DestinationModel
import TextCodecs

/// The proxies through which requests go, as the variables of the environment name them.
///
/// | variable | meaning |
/// |---|---|
/// | `HTTPS_PROXY`, `HTTP_PROXY` | the proxy for addresses of that scheme |
/// | `ALL_PROXY` | the proxy for those without one of their own |
/// | `NO_PROXY` | hosts that are asked without one: names, with all below them, addresses, networks (`10.0.0.0/8`), or `*` |
///
/// The names may be in lower case too, which goes before. This machine itself is never asked through a proxy.
/// A proxy takes HTTP (`http://`) or SOCKS 5 (`socks5://`, `socks5h://`), and looks up the hosts by itself.
package struct ProxySettings: Hashable, Sendable {
  /// A proxy that makes the connections it is asked for.
  package struct Proxy: Hashable, Sendable {
    package let host: String
    package let port: Int
    /// What lets this machine in, `name:password`; `nil` where nothing is needed.
    fileprivate let login: String?
    /// Whether it takes SOCKS 5 and not HTTP.
    fileprivate let takesSOCKS: Bool
  }

  private let byScheme: [HTTPAddress.Scheme: Proxy]
  private let exceptions: [String]

  /// Everything is asked directly.
  package static let none = ProxySettings(byScheme: [:], exceptions: [])

  private init(byScheme: [HTTPAddress.Scheme: Proxy], exceptions: [String]) {
    self.byScheme = byScheme
    self.exceptions = exceptions
  }

  /// Reads the variables.
  ///
  /// - Throws: `DestinationError.misconfigured(reason:cure:)` for a proxy that cannot be one.
  package init(_ variables: [String: String]) throws(DestinationError) {
    func value(_ name: String) -> (name: String, text: String)? {
      [name.lowercased(), name].lazy
        .compactMap { key in variables[key].map { (key, $0) } }
        .first { !$0.1.isEmpty }
    }
    var byScheme: [HTTPAddress.Scheme: Proxy] = [:]
    for (scheme, name) in [(HTTPAddress.Scheme.https, "HTTPS_PROXY"), (.http, "HTTP_PROXY")] {
      // A server that runs a program for a request has a header “Proxy” of that in the second one.
      let isForeign = name == "HTTP_PROXY" && variables["REQUEST_METHOD"] != nil
      guard let found = (isForeign ? nil : value(name)) ?? value("ALL_PROXY") else { continue }
      byScheme[scheme] = try Proxy(found.text, in: found.name)
    }
    self.byScheme = byScheme
    exceptions = (value("NO_PROXY")?.text ?? "").lowercased()
      .split { $0 == "," || $0.isWhitespace }
      .map(String.init)
  }

  /// The proxies, each once.
  var all: Set<Proxy> { Set(byScheme.values) }

  /// The proxy for an address; `nil` where it is asked directly.
  package func proxy(for address: HTTPAddress) -> Proxy? {
    guard let proxy = byScheme[address.scheme], !isThisMachine(address.host) else { return nil }
    return exceptions.contains { isMeant(address, by: $0) } ? nil : proxy
  }

  private func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || IPAddress(bare(host))?.isLoopback == true
  }

  private func bare(_ host: String) -> Substring {
    host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...]
  }

  private func isMeant(_ address: HTTPAddress, by exception: String) -> Bool {
    if exception == "*" { return true }
    let network = exception.split(separator: "/")
    if network.count == 2, let start = IPAddress(network[0]), let bits = Int(network[1]) {
      return IPAddress(bare(address.host))?.begins(with: start, bits: bits) ?? false
    }
    var name = exception[...]
    if let colon = name.lastIndex(of: ":"), IPAddress(name) == nil,
      let port = Int(name[name.index(after: colon)...])
    {
      guard port == address.port else { return false }
      name = name[..<colon]
    }
    name = name.hasPrefix("*.") ? name.dropFirst(2) : name.hasPrefix(".") ? name.dropFirst() : name
    let host = bare(address.host)
    return host == bare(String(name)) || host.hasSuffix(".\(name)")
  }
}

extension ProxySettings.Proxy {
  /// Reads `http://proxy.example.com:3128`, the same without the scheme, or `socks5://proxy.example.com`.
  fileprivate init(_ text: String, in variable: String) throws(DestinationError) {
    let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let at = authority.lastIndex(of: "@")
    login = at.map { authority[..<$0] }.map { PercentCoding.strictlyDecoded($0) ?? String($0) }
    let place = at.map { authority[authority.index(after: $0)...] } ?? authority
    let scheme = text.firstRange(of: "://").map { text[..<$0.lowerBound].lowercased() } ?? "http"
    takesSOCKS = ["socks5", "socks5h"].contains(scheme)
    guard scheme == "http" || takesSOCKS else {
      throw .misconfigured(
        reason:
          "\(variable) names a proxy of the scheme “\(ServerMessage.printable(scheme))”, which Ferry "
          + "cannot use",
        cure:
          "name one that takes HTTP or SOCKS 5, like http://proxy.example.com:3128, or unset "
          + "\(variable) for this command"
      )
    }
    guard !takesSOCKS || login == nil else {
      throw .misconfigured(
        reason: "\(variable) names a SOCKS proxy with a login, which Ferry cannot give it",
        cure: "name one that needs none, or unset \(variable) for this command"
      )
    }
    let hasPort = place.contains(":") && !place.hasSuffix("]")
    do throws(HTTPAddress.Fault) {
      let address = try HTTPAddress("http://\(place)\(takesSOCKS && !hasPort ? ":1080" : "")")
      (host, port) = (address.host, address.port)
    } catch {
      throw .misconfigured(
        reason: "the proxy in \(variable) \(error)",
        cure: "write it like http://proxy.example.com:3128"
      )
    }
  }

  /// The same for the client.
  var ofClient: HTTPClient.Configuration.Proxy {
    let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    if takesSOCKS { return .socksServer(host: plain, port: port) }
    return .server(
      host: plain,
      port: port,
      authorization: login.map { .basic(credentials: Base64.text(Array($0.utf8))) }
    )
  }
}
