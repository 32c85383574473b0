package import Records

/// One thing that was looked at before anything is sent, and whether it fits.
package struct DestinationCheck: Hashable, Sendable {
  /// What was looked at: `account`, `zone`.
  package let name: String
  /// The entity it is about, where it is about one.
  package let entity: EntityName?
  package let verdict: Verdict
  /// A clause in lower case without a full stop.
  package let detail: String
  /// What a person can do about it; `nil` where it fits.
  package let cure: String?

  /// What the look came to.
  package enum Verdict: String, Sendable, CaseIterable {
    case fits
    /// It fits, and has no place for something.
    case unmapped
    /// Reading alone cannot know.
    case unknown
    /// It does not fit, and sending would come to nothing.
    case unfit
    /// A fault that may pass kept it from being looked at.
    case unreached
  }

  package init(
    _ name: String,
    of entity: EntityName? = nil,
    _ verdict: Verdict,
    _ detail: String,
    cure: String? = nil
  ) {
    self.name = name
    self.entity = entity
    self.verdict = verdict
    self.detail = detail
    self.cure = cure
  }

  /// What an error says about the thing that was looked at.
  ///
  /// A page was asked for again and again, and is taken for the answer of another server.
  package init(_ name: String, of entity: EntityName? = nil, _ error: DestinationError) {
    let isPage = if case .page = error { true } else { false }
    let verdict: Verdict = error.isPassing && !isPage ? .unreached : .unfit
    switch error {
    case .misconfigured(let reason, let cure), .elsewhere(let reason, let cure):
      self.init(name, of: entity, verdict, reason, cure: cure)
    default:
      self.init(name, of: entity, verdict, error.description, cure: error.usualCure)
    }
  }
}

extension [DestinationCheck] {
  /// Whether everything that was looked at fits.
  package var areFit: Bool { !contains { $0.verdict == .unfit || $0.verdict == .unreached } }
}

extension DestinationError {
  fileprivate var usualCure: String {
    switch self {
    case .unreachable(_, _, true):
      "check that the server of the profile answers at this address; if it does, look again later"
    case .unreachable: "check the address and the network"
    case .page: Self.cureOfPage
    case .busy: "wait, and look again"
    case .unauthorized: "check the credentials"
    case .forbidden: "ask for the right, or use another account"
    case .quota: "free space at the destination"
    case .otherAccount: "sign in as the account that is meant"
    case .unexpected, .elsewhere, .misconfigured:
      "check that the profile describes this destination"
    }
  }
}
