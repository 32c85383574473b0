import GRDB
import HTTPTypes
import JSONText

extension Routes {
  /// `zones/modify`: custom zones of the private database are made and removed.
  @Sendable
  func modifyCloudZones(
    _ body: JSONObject,
    _ place: CloudPlace,
    _ transaction: Transaction
  ) throws -> Answer {
    guard place.isPrivate else {
      throw CloudRefusal.badRequest("Custom zones are only in the private database")
    }
    let zones = try (body["operations"]?.array ?? []).map { operation -> JSONValue in
      let name = try place.zone(operation["zone"]?["zoneID"])
      guard name != CloudPlace.defaultZone else {
        throw CloudRefusal.badRequest("The default zone cannot be changed")
      }
      switch operation["operationType"]?.text {
      case "create":
        try transaction.run(
          "INSERT OR IGNORE INTO cloudZones (scope, name) VALUES (?, ?)",
          [place.scope, name]
        )
        return try shownZone(name, place, transaction)
      case "delete":
        for table in [
          "cloudZones WHERE scope = ? AND name = ?", "cloudRecords WHERE scope = ? AND zone = ?",
        ] {
          try transaction.run("DELETE FROM \(table)", [place.scope, name])
        }
        return ["zoneID": place.zoneID(name), "deleted": true]
      default: throw CloudRefusal.badRequest("operationType is not known")
      }
    }
    return .json(["zones": .array(zones)])
  }

  /// `zones/list`: all zones of the database.
  @Sendable
  func listCloudZones(
    _ body: JSONObject,
    _ place: CloudPlace,
    _ transaction: Transaction
  ) throws -> Answer {
    _ = try transaction.hasCloudZone(CloudPlace.defaultZone, place)
    let names = try transaction.rows(
      "SELECT name FROM cloudZones WHERE scope = ? ORDER BY name",
      [place.scope]
    )
    return .json([
      "zones": .array(try names.map { try shownZone($0[0], place, transaction) })
    ])
  }

  private func shownZone(
    _ name: String,
    _ place: CloudPlace,
    _ transaction: Transaction
  ) throws -> JSONValue {
    guard let zone = try transaction.cloudZone(name, place) else { throw CloudRefusal.zoneNotFound }
    return [
      "zoneID": place.zoneID(name), "atomic": .boolean(name != CloudPlace.defaultZone),
      "syncToken": .string(CloudSyncToken(epoch: zone.epoch, sequence: zone.sequence).text),
    ]
  }

  /// `changes/zone`: what changed behind a sync token, deletions included, a page at a time.
  @Sendable
  func cloudZoneChanges(
    _ body: JSONObject,
    _ place: CloudPlace,
    _ transaction: Transaction
  ) throws -> Answer {
    guard place.isPrivate else {
      throw CloudRefusal.badRequest("Changes are only reported for zones in the private database")
    }
    let asStrings = body["numbersAsStrings"]?.boolean == true
    let zones = try (body["zones"]?.array ?? []).map { request -> JSONValue in
      let name = try place.zone(request["zoneID"])
      do {
        return try changes(of: name, request, place, asStrings, transaction)
      } catch let refusal as CloudRefusal {
        var object = refusal.dictionary().object ?? [:]
        object["zoneID"] = place.zoneID(name)
        return .object(object)
      }
    }
    return .json(["zones": .array(zones)])
  }

  private func changes(
    of name: String,
    _ request: JSONValue,
    _ place: CloudPlace,
    _ numbersAsStrings: Bool,
    _ transaction: Transaction
  ) throws -> JSONValue {
    guard name != CloudPlace.defaultZone else {
      throw CloudRefusal.badRequest("AppDefaultZone does not support getChanges call")
    }
    guard try transaction.hasCloudZone(name, place),
      let zone = try transaction.cloudZone(name, place)
    else { throw CloudRefusal.zoneNotFound }
    var start: Int64 = 0
    if let text = request["syncToken"]?.text {
      guard let token = CloudSyncToken(text) else {
        throw CloudRefusal.badRequest("Unknown sync continuation type")
      }
      guard token.epoch == zone.epoch else {
        throw CloudRefusal(.badRequest, "CHANGE_TOKEN_EXPIRED", "The change token has expired")
      }
      start = token.sequence
    }
    let limit = configuration.cloudKit.pageLimit(request["resultsLimit"])
    let found = try transaction.cloudChanges(in: name, place, after: start, limit: limit + 1)
    let page = found.prefix(limit)
    let hasMore = found.count > limit
    let end = hasMore ? page.last?.sequence ?? zone.sequence : zone.sequence
    return [
      "zoneID": place.zoneID(name), "moreComing": .boolean(hasMore),
      "syncToken": .string(CloudSyncToken(epoch: zone.epoch, sequence: end).text),
      "records": .array(
        try page.map { try $0.shown(in: name, place, numbersAsStrings: numbersAsStrings) }
      ),
    ]
  }
}

/// Where in a zone's changes a reader is.
struct CloudSyncToken: Hashable, Sendable {
  let epoch: Int64
  let sequence: Int64

  init(epoch: Int64, sequence: Int64) {
    self.epoch = epoch
    self.sequence = sequence
  }

  init?(_ text: String) {
    let parts = text.split(separator: "-").map { Int64($0) }
    guard parts.count == 2, let epoch = parts[0], let sequence = parts[1] else { return nil }
    self.init(epoch: epoch, sequence: sequence)
  }

  var text: String { "\(epoch)-\(sequence)" }
}
