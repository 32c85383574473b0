import DestinationModel
import Planning

/// How the app proves who the user is: the credentials that the profile names.
///
/// They are asked for when a request needs them, again when a token has expired, and never written
/// anywhere.
public struct Credentials: Sendable {
  let source: any CredentialSource

  /// Credentials that the app has at hand, by the names of the profile.
  public static func values(_ values: [String: String]) -> Credentials {
    Credentials(source: GivenCredentials(values.mapValues { Secret($0) }))
  }

  /// Credentials that the app fetches, from a keychain or a sign-in screen.
  ///
  /// - Parameters:
  ///   - fetch: Is given the names that the profile asks for.
  ///   - replace: Keeps a credential that changes with its use; without it such are refused.
  /// - Returns: The credentials, of which none has been fetched yet.
  public static func fetched(
    _ fetch: @escaping @Sendable (_ names: [String]) async throws -> [String: String],
    replace: (@Sendable (_ name: String, _ value: String) async throws -> Void)? = nil
  ) -> Credentials {
    Credentials(source: AppCredentials(fetch: fetch, keep: replace))
  }
}

/// Credentials that the app fetches.
private struct AppCredentials: CredentialSource {
  let fetch: @Sendable ([String]) async throws -> [String: String]
  let keep: (@Sendable (String, String) async throws -> Void)?

  func credentials(named names: [String]) async throws(DestinationError) -> [String: Secret] {
    let values: [String: String]
    do {
      values = try await fetch(names)
    } catch {
      throw .misconfigured(
        reason: "the app could not fetch the credentials \(names.joined(separator: ", "))",
        cure: "sign in again"
      )
    }
    for name in names where values[name]?.isEmpty ?? true {
      throw .misconfigured(
        reason: "the app gave no credential “\(name)”",
        cure: "give a value for every name that is asked for"
      )
    }
    return values.mapValues { Secret($0) }
  }

  func canReplace(_ name: String) -> Bool { keep != nil }

  func replace(_ name: String, with secret: Secret) async throws(DestinationError) {
    do {
      guard let keep else { throw Unkept() }
      try await keep(name, secret.exposed)
    } catch {
      throw .misconfigured(
        reason: "the credential “\(name)” changes with its use, and the app did not keep it",
        cure: "give a closure that replaces it"
      )
    }
  }

  private struct Unkept: Error {}
}

/// An account that is signed in at a destination that fits.
public struct SignIn: Sendable {
  /// Who the destination says the account is.
  public let account: String
  /// Where it is: scheme, host and port.
  public let origin: String
  let credentials: Credentials

  init(_ preflight: Preflight, _ credentials: Credentials) throws(FerryError) {
    if let unreached = preflight.checks.first(where: { $0.verdict == .unreached }) {
      throw FerryError(.passingFault, unreached.detail, cure: unreached.cure)
    }
    if let unfit = preflight.checks.first(where: { $0.verdict == .unfit }) {
      throw FerryError(.refused, unfit.detail, cure: unfit.cure)
    }
    guard let account = preflight.account else {
      throw FerryError(.refused, "the destination does not say whose data it serves")
    }
    self.account = account
    origin = preflight.origin
    self.credentials = credentials
  }
}
