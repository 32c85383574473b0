/// Where the secrets come from that a profile asks for by name.
package protocol CredentialSource: Sendable {
  /// The secrets of these names, all of them.
  ///
  /// - Throws: ``DestinationError/misconfigured(reason:cure:)`` naming the first that is missing or
  ///   may not be used.
  func credentials(named names: [String]) async throws(DestinationError) -> [String: Secret]
}

/// Secrets that are already in memory.
package struct GivenCredentials: CredentialSource {
  private let secrets: [String: Secret]

  package init(_ secrets: [String: Secret]) {
    self.secrets = secrets
  }

  package func credentials(
    named names: [String]
  ) async throws(DestinationError) -> [String: Secret] {
    var found: [String: Secret] = [:]
    for name in names {
      guard let secret = secrets[name] else { throw .missingCredential(name) }
      found[name] = secret
    }
    return found
  }
}

extension DestinationError {
  static func missingCredential(_ name: String) -> DestinationError {
    .misconfigured(
      reason: "the credential “\(name)” is not given",
      cure: "give it with --credential \(name)=file:PATH, env:VAR or command:CMD"
    )
  }
}
