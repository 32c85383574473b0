import JSONText

/// Which database of which container a request is about, and for whom.
struct CloudPlace: Sendable {
  let container: String
  let environment: String
  let database: String
  /// Where the server is, as the client addressed it.
  let origin: String
  /// The account that asks.
  let userID: String

  var isPrivate: Bool { database == "private" }
  var isProduction: Bool { environment == "production" }

  /// What distinguishes this database's rows from all others.
  var scope: String {
    let shared = "\(container)/\(environment)/\(database)"
    return isPrivate ? "\(shared)/\(userID)" : shared
  }

  /// What distinguishes this environment's schema from all others.
  var schemaScope: String { "\(container)/\(environment)" }

  /// The user's own name, as records have it.
  var userRecordName: String { "_\(userID)" }

  static let defaultZone = "_defaultZone"

  /// The zone that a request names, or the default one.
  func zone(_ value: JSONValue?) throws(CloudRefusal) -> String {
    guard let value, !value.isNull else { return Self.defaultZone }
    guard let name = value["zoneName"]?.text, !name.isEmpty else {
      throw .badRequest("zoneID: zoneName is required")
    }
    guard isPrivate || name == Self.defaultZone else {
      throw .badRequest("Custom zones are only in the private database")
    }
    return name
  }

  func zoneID(_ name: String) -> JSONValue {
    ["zoneName": .string(name), "ownerRecordName": .string(userRecordName)]
  }
}
