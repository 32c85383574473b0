import JSONText

/// Speaks to the private database of one container with web tokens, each used once.
actor CloudClient {
  private let client: TestClient
  private let root: String
  private(set) var token: String

  init(
    _ client: TestClient,
    environment: String = "development",
    container: String = "iCloud.test"
  ) async throws {
    self.client = client
    root = "/database/1/\(container)/\(environment)/private"
    token = try await client.post("/__dev/cloudkit/token").text("/webToken")
  }

  /// Sends a request; the token of the answer is kept for the next one.
  func send(_ path: String, _ body: JSONValue) async throws -> Reply {
    let reply = try await send(path, body, with: token)
    if let next = reply.header("X-Apple-CloudKit-Web-Auth-Token") { token = next }
    return reply
  }

  func send(_ path: String, _ body: JSONValue, with token: String) async throws -> Reply {
    let escaped = token.replacing("+", with: "%2B").replacing("/", with: "%2F")
      .replacing("=", with: "%3D")
    let query = "?ckAPIToken=development-api-token&ckWebAuthToken=\(escaped)"
    return try await client.post("\(root)/\(path)\(query)", body)
  }

  func makeZone(_ name: String = "Zone") async throws {
    let zone: JSONValue = ["zoneID": ["zoneName": .string(name)]]
    _ = try await send(
      "zones/modify",
      ["operations": [["operationType": "create", "zone": zone]]]
    )
  }

  func modify(
    _ operations: [JSONValue],
    atomic: Bool = false,
    zone: String = "Zone"
  ) async throws -> Reply {
    try await send(
      "records/modify",
      [
        "operations": .array(operations), "atomic": .boolean(atomic),
        "zoneID": ["zoneName": .string(zone)],
      ]
    )
  }
}

extension JSONValue {
  /// An operation on a record with one text.
  static func operation(
    _ kind: String,
    _ name: String,
    text: String? = "a",
    tag: String? = nil
  ) -> JSONValue {
    var record: JSONObject = ["recordName": .string(name), "recordType": "Note"]
    record["recordChangeTag"] = tag.map { .string($0) }
    record["fields"] = text.map { ["text": ["value": .string($0)]] }
    return ["operationType": .string(kind), "record": .object(record)]
  }
}
