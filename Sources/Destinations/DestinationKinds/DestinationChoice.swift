package import DestinationModel
import HTTPTransport
package import Profiles
import StageSupport

/// Which destination is meant, and how eagerly it is spoken to.
package struct DestinationChoice: Sendable {
  package private(set) var api: Api
  package let address: String
  let rate: Double?
  let isRehearsal: Bool
  private let kinds: OpenableKinds
  /// Counts what is asked of the destination.
  package var meter = RequestMeter()

  /// - Parameters:
  ///   - profile: The profile, which says how it is spoken to.
  ///   - name: A destination's name, or an address; the profile's only one unless given.
  ///   - origin: Where an earlier run went, when the choice is about that run.
  ///   - rate: The most requests a second, as far as the kind of destination has no lower limit of its
  ///     own; the profile's unless given.
  ///   - timeout: How long one request may take; as the profile says unless given.
  ///   - isRehearsal: Whether nothing may be sent.
  ///   - kinds: The kinds of destination that may be opened.
  /// - Throws: `MigrationError.noDestination`, or when nothing says which one is meant, or when it is of
  ///   a kind that is not opened here.
  package init(
    in profile: Profile,
    named name: String?,
    origin: String? = nil,
    rate: Double? = nil,
    timeout: Duration? = nil,
    isRehearsal: Bool = false,
    kinds: OpenableKinds
  ) throws {
    guard let api = profile.api else { throw MigrationError.noDestination(profile.path) }
    self.api = api
    if let timeout { self.api.timeout = timeout }
    address = try profile.address(ofDestination: name, origin: origin)
    self.rate = api.rate(chosen: rate)
    self.isRehearsal = isRehearsal
    self.kinds = kinds
    _ = try kind()
  }

  /// A destination that no profile describes yet, for what is asked before one is there.
  package init(_ api: Api, at address: String, kinds: OpenableKinds) {
    self.api = api
    self.kinds = kinds
    self.address = address
    rate = api.rate(chosen: nil)
    isRehearsal = true
  }

  private func kind() throws -> any DestinationKind.Type {
    guard let kind = kinds.kind(of: api, at: address) else {
      throw DestinationError.misconfigured(
        reason: "an app cannot open \(address), a destination of the kind \(api.kind.name)",
        cure: "run “ferry migrate” with this profile, or name another destination"
      )
    }
    return kind
  }

  /// The names of the credentials without which no session begins.
  package var neededCredentials: [String] {
    kinds.kind(of: api, at: address)?.isRemote == true ? api.neededCredentials : []
  }

  /// The addresses that are spoken to without encryption on the way to another machine.
  package var openAddresses: [String] {
    guard let kind = kinds.kind(of: api, at: address), kind.isRemote else { return [] }
    var addresses = kind.isInTheOpen(address) ? [address] : []
    if case .bucket(let bucket)? = api.media?.way, Origin.isInTheOpen(bucket.endpoint) {
      addresses.append(bucket.endpoint)
    }
    return addresses
  }

  /// Lends the destination, and closes its connections afterwards.
  package func lend<Value>(
    credentials: any CredentialSource,
    _ body: (any Destination) async throws -> Value
  ) async throws -> Value {
    try await lendReopening(credentials: credentials) { destination, _ in
      try await body(destination)
    }
  }

  /// The same, with what opens the destination as another profile speaks to it.
  package func lendReopening<Value>(
    credentials: any CredentialSource,
    _ body: (any Destination, @escaping DestinationReopening) async throws -> Value
  ) async throws -> Value {
    let transport = HTTPTransport(
      userAgent: "ferry/\(FerryVersion.text)",
      turns: RateLimiter(rate: rate),
      proxies: try kind().isRemote ? try .ofEnvironment : .none
    )
    let result: Result<Value, any Error>
    do {
      let reopen: DestinationReopening = { profile in
        guard let api = profile.api else { throw MigrationError.noDestination(profile.path) }
        var choice = self
        choice.api = api
        choice.api.timeout = self.api.timeout
        return try choice.destination(credentials, transport)
      }
      result = .success(try await body(try destination(credentials, transport), reopen))
    } catch {
      result = .failure(error)
    }
    await transport.shutdown()
    return try result.get()
  }

  private func destination(
    _ credentials: any CredentialSource,
    _ transport: HTTPTransport
  ) throws -> any Destination {
    let place = DestinationPlace(
      api: api,
      address: address,
      credentials: credentials,
      transport: transport
    )
    let kind = try kind()
    return wrapped(try kind.init(place))
  }

  private func wrapped(_ plain: some Destination) -> any Destination {
    let base = MeteredDestination(plain, meter: meter)
    return isRehearsal ? RehearsingDestination(base) : base
  }
}

/// Opens the destination of a session as another profile speaks to it.
package typealias DestinationReopening =
  @Sendable (Profile) throws -> any Destination
