import Foundation

/// An address that a file may be fetched from.
struct FetchAddress {
  private let url: URL
  /// The hosts that may be asked; every one where none is named.
  private let hosts: [String]

  /// - Throws: ``FetchFailure/unusable(reason:)``
  init(_ text: String, hosts: [String]) throws(FetchFailure) {
    guard let url = URL(string: text) else { throw .unusable(reason: "it cannot be read") }
    try self.init(url, hosts: hosts)
  }

  private init(_ url: URL, hosts: [String]) throws(FetchFailure) {
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
      throw .unusable(reason: "its scheme is neither http nor https")
    }
    guard let host = url.host(), !host.isEmpty else {
      throw .unusable(reason: "it names no host")
    }
    guard url.user() == nil, url.password() == nil else {
      throw .unusable(reason: "it has a name or a password in it, which are sent to nobody")
    }
    guard hosts.isEmpty || hosts.contains(where: { Self.covers($0, host) }) else {
      throw .unusable(reason: "\(host) is not among the hosts that the profile names")
    }
    self.url = url
    self.hosts = hosts
  }

  var text: String { url.absoluteString }
  var host: String { url.host() ?? "" }

  /// Where an answer says that the file is now.
  ///
  /// - Throws: ``FetchFailure/redirected(reason:)`` for a place that is not gone to.
  func redirected(to location: String) throws(FetchFailure) -> FetchAddress {
    guard let target = URL(string: location, relativeTo: url)?.absoluteURL else {
      throw .redirected(reason: "\(host) sends to an address that cannot be read")
    }
    guard url.scheme?.lowercased() != "https" || target.scheme?.lowercased() == "https" else {
      throw .redirected(reason: "\(host) sends from https to “\(target.scheme ?? "")”")
    }
    do throws(FetchFailure) {
      return try FetchAddress(target, hosts: hosts)
    } catch {
      guard case .unusable(let reason) = error else { throw error }
      throw .redirected(reason: "\(host) sends to an address that is not asked: \(reason)")
    }
  }

  /// Whether a host is the one that is named, or below it where a star stands in front.
  private static func covers(_ named: String, _ host: String) -> Bool {
    let (named, host) = (named.lowercased(), host.lowercased())
    return named.hasPrefix("*.") ? host.hasSuffix(named.dropFirst()) : named == host
  }
}
