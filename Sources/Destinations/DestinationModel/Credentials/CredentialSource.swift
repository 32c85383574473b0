/// Where the secrets come from that a profile asks for by name.
package protocol CredentialSource: Sendable {
  /// The secrets of these names, all of them.
  ///
  /// - Throws: ``DestinationError/misconfigured(reason:cure:)`` naming the first that is missing or
  ///   may not be used.
  func credentials(named names: [String]) async throws(DestinationError) -> [String: Secret]

  /// Whether a place is given for the secret of this name; that it can be read there is not looked at.
  func holds(_ name: String) -> Bool

  /// Why the secret of this name cannot be had, as far as that shows without running a program or asking a
  /// person; `nil` where nothing speaks against it.
  func fault(of name: String) -> DestinationError?

  /// A secret of several lines, such as a key in PEM.
  func document(named name: String) async throws(DestinationError) -> Secret

  /// Whether ``replace(_:with:)`` can work for the secret of this name.
  func canReplace(_ name: String) -> Bool

  /// Writes a secret that changes with its use over the old one; it is on the disk afterwards.
  func replace(_ name: String, with secret: Secret) async throws(DestinationError)
}

extension CredentialSource {
  package func document(named name: String) async throws(DestinationError) -> Secret {
    guard let secret = try await credentials(named: [name])[name] else {
      throw .missingCredential(name)
    }
    return secret
  }

  package func holds(_ name: String) -> Bool { false }

  package func fault(of name: String) -> DestinationError? { nil }

  package func canReplace(_ name: String) -> Bool { false }

  package func replace(_ name: String, with secret: Secret) async throws(DestinationError) {
    throw .irreplaceable(name)
  }
}

/// Secrets that are already in memory.
package struct GivenCredentials: CredentialSource {
  private let secrets: [String: Secret]

  package init(_ secrets: [String: Secret]) {
    self.secrets = secrets
  }

  package func holds(_ name: String) -> Bool { secrets[name] != nil }

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
  package static func missingCredential(_ name: String) -> DestinationError {
    .misconfigured(
      reason: "the credential “\(name)” is not given",
      cure: "give it with --credential \(name)=file:PATH, env:VAR, command:CMD or ask"
    )
  }

  /// A secret that changes with its use lies where it cannot be written.
  package static func irreplaceable(_ name: String) -> DestinationError {
    .misconfigured(
      reason: "the credential “\(name)” changes with its use",
      cure: "keep it in a file: --credential \(name)=file:PATH"
    )
  }
}
