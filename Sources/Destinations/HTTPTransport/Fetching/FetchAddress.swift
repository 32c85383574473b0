/// An address that a file may be fetched from.
struct FetchAddress {
  let checked: HTTPAddress
  /// The hosts that may be asked; every public one where none is named.
  private let hosts: [String]

  /// - Throws: ``FetchFailure/unusable(reason:)``
  init(_ text: String, hosts: [String]) throws(FetchFailure) {
    let checked: HTTPAddress
    do throws(HTTPAddress.Fault) { checked = try HTTPAddress(text) } catch {
      throw .unusable(reason: "it \(error)")
    }
    try self.init(checked, hosts: hosts)
  }

  private init(_ checked: HTTPAddress, hosts: [String]) throws(FetchFailure) {
    (self.checked, self.hosts) = (checked, hosts)
    guard hosts.isEmpty || isNamed else {
      throw .unusable(reason: "\(host) is not among the hosts that the profile names")
    }
  }

  var text: String { checked.description }
  var host: String { checked.host }

  /// Whether the profile names the host.
  var isNamed: Bool { hosts.contains { Self.covers($0, host) } }

  /// Where an answer says that the file is now.
  ///
  /// - Throws: ``FetchFailure/redirected(reason:)`` for a place that is not gone to.
  func redirected(to location: String) throws(FetchFailure) -> FetchAddress {
    let target: HTTPAddress
    do throws(HTTPAddress.Fault) { target = try checked.resolving(location) } catch {
      throw .redirected(reason: "\(host) sends to an address that \(error)")
    }
    guard checked.scheme == .http || target.scheme == .https else {
      throw .redirected(reason: "\(host) sends from https to “\(target.scheme.rawValue)”")
    }
    do throws(FetchFailure) {
      return try FetchAddress(target, hosts: hosts)
    } catch {
      throw error.afterRedirect(from: host)
    }
  }

  /// Whether a host is the one that is named, or below it where a star is in front.
  private static func covers(_ named: String, _ host: String) -> Bool {
    let named = named.lowercased()
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return named.hasPrefix("*.") ? host.hasSuffix(named.dropFirst()) : [host, bare].contains(named)
  }
}

extension FetchFailure {
  /// The same of an address that a host sent to.
  func afterRedirect(from host: String) -> FetchFailure {
    guard case .unusable(let reason) = self else { return self }
    return .redirected(
      reason: "\(host) redirects to an address that Ferry does not request: \(reason)"
    )
  }
}
