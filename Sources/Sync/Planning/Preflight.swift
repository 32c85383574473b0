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

  /// Looks at everything that reading alone can know.
  ///
  /// It signs in, asks for what only this kind of destination has, and reads the first page of each
  /// entity. Whether the account may write, and how much, no reading states.
  package init(profile: Profile, destination: any Destination, patience: ReadPatience) async {
    origin = destination.traits.origin
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
    checks += await destination.fileChecks()
    for entity in profile.api?.entities ?? [] {
      checks.append(await Self.reading(entity, destination, patience))
    }
    checks += Self.unmapped(by: profile)
  }

  /// What the profile sends nowhere, and the team has not accepted as lost.
  private static func unmapped(by profile: Profile) -> [DestinationCheck] {
    guard let api = profile.api else { return [] }
    return api.entities.compactMap { entity in
      guard let description = profile.entity(entity.entity) else { return nil }
      let members = api.unmapped(of: entity, description)
        .filter { !profile.accepts(entity.entity, $0) }
      guard !members.isEmpty else { return nil }
      let files = Set(description.media.map(\.member)).intersection(members)
      return DestinationCheck(
        "members",
        of: entity.entity,
        .unmapped,
        "no place for \(members.joined(separator: ", "))",
        cure: (files.isEmpty || api.sendsFiles ? "" : "enable “media” in “api” to send files; ")
          + "list what the team agrees to leave out under “accept-unmapped”"
      )
    }
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
        return DestinationCheck("records", of: name, .unknown, "the profile cannot list them")
      }
      return DestinationCheck("records", of: name, error)
    }
  }

  /// Whether everything that was looked at fits.
  package var isFit: Bool { !checks.contains { $0.verdict == .unfit || $0.verdict == .unreached } }
  /// Whether what keeps it from fitting may pass by itself.
  package var mayPass: Bool { !isFit && !checks.contains { $0.verdict == .unfit } }
}
