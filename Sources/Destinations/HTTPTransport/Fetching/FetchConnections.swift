import NIOCore
import NIOPosix

/// The ways to the hosts that files are fetched from, each judged before it is gone.
///
/// A record's address may name this machine, its network, or a host whose name leads there: anyone who wrote
/// the record would have Ferry ask what only this machine can reach. So a host is asked only where the
/// profile names it, or where what its name represents is an address of the public Internet. The
/// connection then goes to the very address that was judged, whatever the name represents a moment later.
package actor FetchConnections {
  private let userAgent: String
  private let proxies: ProxySettings
  private let resolve: Resolver
  /// For hosts that the profile names.
  private let plain: HTTPTransport
  /// For the others, by host; an address that was judged is kept for all files of the run, and a name that
  /// is not known is looked up again.
  private var judged: [String: Task<Result<HTTPTransport, FetchFailure>, Never>] = [:]

  /// What a host represents, as a text that ``IPAddress`` reads; throws words that say why it represents
  /// nothing.
  package typealias Resolver = @Sendable (_ host: String) async -> Resolution

  /// What came of looking a host up.
  package enum Resolution: Sendable {
    case address(String)
    case failed(reason: String)
  }

  package init(
    userAgent: String,
    proxies: ProxySettings = .none,
    resolve: @escaping Resolver = FetchConnections.bySystem
  ) {
    self.userAgent = userAgent
    self.proxies = proxies
    self.resolve = resolve
    plain = HTTPTransport(userAgent: userAgent, proxies: proxies)
  }

  /// Closes all connections.
  package func shutdown() async {
    await plain.shutdown()
    for task in judged.values {
      if case .success(let transport) = await task.value { await transport.shutdown() }
    }
    judged = [:]
  }

  /// The way to an address.
  ///
  /// - Throws: ``FetchFailure/unusable(reason:)`` for a host that is not asked, and
  ///   ``FetchFailure/unreachable(host:reason:)`` for one that is unknown.
  func transport(to address: FetchAddress) async throws(FetchFailure) -> HTTPTransport {
    if address.isNamed { return plain }
    guard proxies.proxy(for: address.checked) == nil else {
      throw .unusable(
        reason:
          "\(address.host) would be looked up by the proxy, where its address cannot be judged"
      )
    }
    let host = address.checked.host
    let task = judged[host] ?? Task { await self.judge(host) }
    judged[host] = task
    let result = await task.value
    if case .failure(.unreachable) = result, judged[host] == task { judged[host] = nil }
    return try result.get()
  }

  private func judge(_ host: String) async -> Result<HTTPTransport, FetchFailure> {
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    let found: String
    switch await resolve(bare) {
    case .address(let text): found = text
    case .failed(let reason): return .failure(.unreachable(host: host, reason: reason))
    }
    guard let address = IPAddress(found), address.isPublic else {
      let words = found == bare ? host : "\(host) is \(found), which"
      return .failure(
        .unusable(reason: "\(words) is this machine, its network, or a reserved address")
      )
    }
    return .success(HTTPTransport(userAgent: userAgent, addresses: [bare: found]))
  }

  /// Asks the system, which knows all ways to write an address too.
  @Sendable package static func bySystem(_ host: String) async -> Resolution {
    do {
      let address = try await NIOThreadPool.singleton.runIfActive {
        try SocketAddress.makeAddressResolvingHost(host, port: 443)
      }
      guard let text = address.ipAddress else { return .failed(reason: "its name has no address") }
      return .address(text)
    } catch {
      return .failed(reason: "its name is not known")
    }
  }
}
