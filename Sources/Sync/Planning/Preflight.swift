package import DestinationModel
package import Profiles
package import StageSupport

/// What can be known of a destination before anything is sent, by reading alone.
package struct Preflight: Sendable {
  /// Where it is, without credentials.
  package let origin: String
  /// Whose data it serves; `nil` where it did not say.
  package private(set) var account: String?
  package private(set) var checks: [DestinationCheck] = []
  /// Whether the destination was asked at all; not where a credential is missing.
  package private(set) var isAsked = true

  /// Looks at everything that reading alone can know.
  ///
  /// It signs in, asks for what only this kind of destination has, and reads the first page of each
  /// entity. Whether the account may write, and how much, no reading shows.
  ///
  /// Where one of `credentials`, as far as they were looked at, does not fit, nothing is asked.
  package init(
    profile: Profile,
    destination: any Destination,
    patience: ReadPatience,
    credentials: [DestinationCheck] = []
  ) async {
    origin = destination.traits.origin
    guard credentials.allSatisfy({ $0.verdict != .unfit }) else {
      checks = credentials
      isAsked = false
      return
    }
    do throws(DestinationError) {
      let name = try await patience.attempt { () async throws(DestinationError) in
        try await destination.account()
      }
      account = name
      checks.append(DestinationCheck("account", .fits, name))
    } catch {
      // Without an account there is nothing more to ask.
      checks.append(DestinationCheck("account", error))
      return
    }
    checks += await destination.preflight()
    checks += await Self.comparison(of: profile, with: destination)
    checks += await destination.fileChecks()
    for entity in profile.api?.entities ?? [] {
      checks.append(await Self.reading(entity, destination, patience))
    }
    checks +=
      OfflineChecks.schemas(of: profile) + OfflineChecks.unmapped(by: profile)
      + OfflineChecks.lostKeys(of: profile)
  }

  /// Compares the fields that the profile sends with those that the destination says it has.
  ///
  /// What was not compared is in the answer too. No record is read.
  package static func comparison(
    of profile: Profile,
    with destination: any Destination
  ) async -> [DestinationCheck] {
    await destination.schemaChecks() + OfflineChecks.uncompared(by: profile)
  }

  private static func reading(
    _ entity: EntityApi,
    _ destination: any Destination,
    _ patience: ReadPatience
  ) async -> DestinationCheck {
    let name = entity.entity
    do throws(DestinationError) {
      let page = try await patience.attempt { () async throws(DestinationError) in
        try await destination.page(of: name, after: nil, since: nil)
      }
      let more = page.next == nil ? "" : " and more"
      return DestinationCheck(
        "records",
        of: name,
        .fits,
        "\(page.records.count)\(more) can be read"
      )
    } catch {
      if entity.list == nil, case .misconfigured = error {
        return OfflineChecks.unlisted(entity)
      }
      return DestinationCheck("records", of: name, error)
    }
  }

  /// Whether everything that was looked at fits.
  package var isFit: Bool { checks.areFit }
  /// Whether what keeps it from fitting may pass by itself.
  package var mayPass: Bool { !isFit && !checks.contains { $0.verdict == .unfit } }
}
