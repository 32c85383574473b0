package import DestinationModel
import JSONText
import Profiles

// MARK: - Before anything is sent

extension CloudKitDestination {
  /// Looks for the zone and for the types of records; how much space is left the service reports
  /// no one.
  package func preflight() async -> [DestinationCheck] {
    var checks: [DestinationCheck] = []
    if cloudKit.database == .private, cloudKit.zone != CloudKitApi.defaultZone {
      checks.append(await zoneCheck())
    }
    for entity in api.entities {
      if let type = entity.recordType { checks.append(await check(entity, type)) }
    }
    return checks
  }

  private func zoneCheck() async -> DestinationCheck {
    let name = cloudKit.zone
    let reply = await gate.send("zones/list")
    guard case .answered(let answer) = reply, let zones = answer["zones"]?.array else {
      return DestinationCheck("zone", error(reply, to: "zones/list"))
    }
    if zones.contains(where: { $0["zoneID"]?["zoneName"]?.text == name }) {
      return DestinationCheck("zone", .fits, "the zone \(name) is there")
    }
    return cloudKit.makesZone
      ? DestinationCheck("zone", .fits, "the zone \(name) is not there yet, and will be made")
      : DestinationCheck(
        "zone",
        .unfit,
        "the zone \(name) is not there",
        cure: "set “create-zone: true” in the profile, or make it"
      )
  }

  /// Types belong to the environment and not to a zone, so the zone that is always there is asked.
  private func check(_ entity: EntityApi, _ type: CloudRecordType) async -> DestinationCheck {
    let name = "record type"
    let query: JSONValue = ["query": ["recordType": .string(type.name)], "resultsLimit": 1]
    let reply = await gate.send("records/query", query)
    switch reply {
    case .answered:
      return DestinationCheck(name, of: entity.entity, .fits, "\(type.name) is known")
    case .failed(let failure) where failure.isTypeUnknown:
      if cloudKit.environment == .development {
        return DestinationCheck(
          name,
          of: entity.entity,
          .fits,
          "\(type.name) is not known yet; in development the first record makes it"
        )
      }
      return DestinationCheck(
        name,
        of: entity.entity,
        .unfit,
        "\(type.name) is not known in production",
        cure: "deploy the schema of the development environment to production"
      )
    case .failed(let failure) where failure.isIndexMissing && !cloudKit.listsChanges:
      return DestinationCheck(
        name,
        of: entity.entity,
        .unfit,
        "\(type.name) cannot be asked for: \(failure.sentence)",
        cure: CloudFailure.indexCure
      )
    case .failed(let failure) where failure.code == "BAD_REQUEST":
      // A type without an index cannot be asked for.
      return DestinationCheck(name, of: entity.entity, .unknown, failure.sentence)
    case .failed, .other:
      return DestinationCheck(name, of: entity.entity, error(reply, to: "records/query"))
    }
  }
}
