/// Why a destination could not be read or signed in to.
package enum DestinationError: Error, Hashable, Sendable {
  /// No answer, or one that was cut, or one that says that something failed there, which `isAnswered` shows:
  /// the same request may succeed later.
  case unreachable(origin: String, reason: String, isAnswered: Bool = false)
  /// A page for people, or a redirect, in place of an answer: a website, a sign-in page or a proxy answers.
  ///
  /// That may pass, as where a network asks for a sign-in of its own.
  case page(origin: String, reason: String)
  /// The destination asks to wait.
  case busy(retryAfter: Duration?, reason: String)
  /// The credentials are missing or were refused.
  case unauthorized(reason: String)
  /// The account may not do this.
  case forbidden(reason: String)
  /// The space or the number of records the account may have is used up.
  case quota(reason: String)
  /// The destination answered in a way its profile does not describe.
  case unexpected(request: String, reason: String)
  /// What answers is not the destination of the profile: it lacks a route, or sends on to another place.
  case elsewhere(reason: String, cure: String)
  /// The profile or the given address cannot work.
  case misconfigured(reason: String, cure: String)
  /// Since the sign-in was renewed, the destination serves another account than it did first.
  case otherAccount(first: String, now: String)
}

extension DestinationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreachable(let origin, let reason, let isAnswered):
      "\(origin) \(isAnswered ? "gave no usable answer" : "cannot be reached"): \(reason)"
    case .page(let origin, let reason): "\(origin) gave no usable answer: \(reason)"
    case .busy(_, let reason): "the destination asks to wait: \(reason)"
    case .unauthorized(let reason): "the destination refused the sign-in: \(reason)"
    case .forbidden(let reason): "the account may not do this: \(reason)"
    case .quota(let reason): "the account's quota is used up: \(reason)"
    case .unexpected(let request, let reason): "\(request) was answered unexpectedly: \(reason)"
    case .elsewhere(let reason, let cure), .misconfigured(let reason, let cure):
      "\(reason); \(cure)"
    case .otherAccount(let first, let now):
      "the destination served the account \(first), and serves \(now) since the sign-in was renewed"
    }
  }

  /// What a person can do about a ``page(origin:reason:)``.
  package static let cureOfPage =
    "open the address in a browser: a website, a sign-in page or a proxy answers there; give the backend's own "
    + "address, or sign in to the network first"

  /// What is wrong, without a cure.
  package var reason: String {
    switch self {
    case .unreachable(_, let reason, _), .page(_, let reason), .busy(_, let reason),
      .unauthorized(let reason), .forbidden(let reason), .quota(let reason),
      .unexpected(_, let reason), .elsewhere(let reason, _), .misconfigured(let reason, _):
      reason
    case .otherAccount: description
    }
  }

  /// How long the destination asks to wait, if it does.
  package var requestedPause: Duration? {
    if case .busy(let pause, _) = self { pause } else { nil }
  }

  /// Whether the same request may succeed later.
  package var isPassing: Bool {
    switch self {
    case .unreachable, .page, .busy: true
    case .unauthorized, .forbidden, .quota, .unexpected, .elsewhere, .misconfigured,
      .otherAccount:
      false
    }
  }
}
