import Crypto
import DevelopmentBackend
import Foundation
import JSONText
import Testing

struct CloudKitRouteTests {
  private func withCloud(
    environment: String = "development",
    _ body: @escaping @Sendable (CloudClient, TestClient) async throws -> Void
  ) async throws {
    try await withServer { client in
      let cloud = try await CloudClient(client, environment: environment)
      try await cloud.makeZone()
      try await body(cloud, client)
    }
  }

  private static func codes(_ reply: Reply) -> [String] {
    (reply.json["records"]?.array ?? []).map { $0["serverErrorCode"]?.text ?? "-" }
  }

  @Test func `a web token is good for one request, and the answer brings the next`() async throws {
    try await withCloud { cloud, _ in
      let used = await cloud.token
      #expect(try await cloud.modify([.operation("create", "n1")]).status == 200)
      let again = try await cloud.send("records/lookup", ["records": []], with: used)
      #expect(again.status == 421)
      #expect(again.text("/serverErrorCode") == "AUTHENTICATION_REQUIRED")
      #expect(again.text("/redirectURL").hasPrefix("https://"))
      #expect(try await cloud.modify([.operation("create", "n2")]).status == 200)
    }
  }

  @Test func `creating an existing record answers EXISTS, and its neighbours are created`()
    async throws
  {
    try await withCloud { cloud, _ in
      _ = try await cloud.modify([.operation("create", "n1")])
      let reply = try await cloud.modify([
        .operation("create", "n0"), .operation("create", "n1", text: "b"),
        .operation("create", "n2"),
      ])
      #expect(reply.status == 200)
      #expect(Self.codes(reply) == ["-", "EXISTS", "-"])
      #expect(reply.text("/records/1/recordName") == "n1")
    }
  }

  @Test func `an update needs the current change tag`() async throws {
    try await withCloud { cloud, _ in
      let made = try await cloud.modify([.operation("create", "n1")])
      let tag = made.text("/records/0/recordChangeTag")
      #expect(Self.codes(try await cloud.modify([.operation("update", "n1")])) == ["BAD_REQUEST"])
      let first = try await cloud.modify([.operation("update", "n1", text: "b", tag: tag)])
      #expect(first.text("/records/0/fields/text/value") == "b")
      let stale = try await cloud.modify([.operation("update", "n1", text: "c", tag: tag)])
      #expect(Self.codes(stale) == ["CONFLICT"])
      #expect(
        Self.codes(try await cloud.modify([.operation("update", "x", tag: tag)])) == ["NOT_FOUND"]
      )
      let gone = try await cloud.modify([.operation("delete", "n1", text: nil, tag: tag)])
      #expect(Self.codes(gone) == ["CONFLICT"])
      let fresh = first.text("/records/0/recordChangeTag")
      let removal = try await cloud.modify([.operation("delete", "n1", text: nil, tag: fresh)])
      #expect(removal.json.value(at: "/records/0/deleted") == true)
    }
  }

  @Test func `an atomic batch is stored as a whole or not at all`() async throws {
    try await withCloud { cloud, _ in
      _ = try await cloud.modify([.operation("create", "n1")])
      let reply = try await cloud.modify(
        [.operation("create", "n0"), .operation("create", "n1"), .operation("create", "n2")],
        atomic: true
      )
      #expect(reply.status == 400)
      #expect(Self.codes(reply) == ["ATOMIC_ERROR", "EXISTS", "ATOMIC_ERROR"])
      let found = try await cloud.send(
        "records/lookup",
        ["records": [["recordName": "n0"]], "zoneID": ["zoneName": "Zone"]]
      )
      #expect(Self.codes(found) == ["NOT_FOUND"])
    }
  }

  @Test func `more than 200 operations, and one record twice, are refused whole`() async throws {
    try await withCloud { cloud, client in
      let many = (0...200).map { JSONValue.operation("create", "n\($0)") }
      let reply = try await cloud.modify(many)
      #expect(reply.status == 400)
      #expect(reply.text("/serverErrorCode") == "BAD_REQUEST")
      let twice = try await cloud.modify([.operation("create", "a"), .operation("create", "a")])
      #expect(twice.text("/serverErrorCode") == "BAD_REQUEST")
      #expect(try await client.state().value(at: "/tables/cloudRecords") == 0)
    }
  }

  @Test func `a record larger than a mebibyte is refused alone`() async throws {
    try await withCloud { cloud, _ in
      let large = String(repeating: "x", count: 1 << 20)
      let reply = try await cloud.modify([
        .operation("create", "n1", text: large), .operation("create", "n2"),
      ])
      #expect(Self.codes(reply) == ["BAD_REQUEST", "-"])
    }
  }

  @Test func `changes and deletions are listed page by page until the token expires`() async throws
  {
    try await withCloud { cloud, client in
      _ = try await cloud.modify((0..<5).map { .operation("create", "n\($0)") })
      _ = try await cloud.modify([.operation("forceDelete", "n1", text: nil)])
      var token: JSONValue = .null
      var names: [String] = []
      for _ in 0..<9 {
        let request: JSONValue = [
          "zoneID": ["zoneName": "Zone"], "syncToken": token, "resultsLimit": 2,
        ]
        let reply = try await cloud.send("changes/zone", ["zones": [request]])
        names += (reply.json.value(at: "/zones/0/records")?.array ?? []).map {
          ($0["recordName"]?.text ?? "?") + ($0["deleted"] == true ? " gone" : "")
        }
        token = reply.json.value(at: "/zones/0/syncToken") ?? .null
        if reply.json.value(at: "/zones/0/moreComing") == false { break }
      }
      #expect(names == ["n0", "n2", "n3", "n4", "n1 gone"])
      _ = try await client.post("/__dev/cloudkit/expire")
      let request: JSONValue = ["zoneID": ["zoneName": "Zone"], "syncToken": token]
      let late = try await cloud.send("changes/zone", ["zones": [request]])
      #expect(late.text("/zones/0/serverErrorCode") == "CHANGE_TOKEN_EXPIRED")
    }
  }

  @Test func `a deletion is listed without the type of the deleted record`() async throws {
    try await withCloud { cloud, _ in
      _ = try await cloud.modify([.operation("create", "n1")])
      _ = try await cloud.modify([.operation("forceDelete", "n1", text: nil)])
      let zone: JSONValue = ["zoneID": ["zoneName": "Zone"]]
      let reply = try await cloud.send("changes/zone", ["zones": [zone]])
      #expect(reply.json.value(at: "/zones/0/records/0/deleted") == true)
      #expect(reply.json.value(at: "/zones/0/records/0/recordType")?.isNull == true)
    }
  }

  @Test func `the default zone lists no changes`() async throws {
    try await withCloud { cloud, _ in
      let zone: JSONValue = ["zoneID": ["zoneName": "_defaultZone"]]
      let reply = try await cloud.send("changes/zone", ["zones": [zone]])
      #expect(reply.text("/zones/0/serverErrorCode") == "BAD_REQUEST")
    }
  }

  @Test(arguments: [("public", 200), ("private", 400)])
  func `only the public database names the user of a web token`(
    database: String,
    status: Int
  ) async throws {
    try await withServer { client in
      let token = try await client.post("/__dev/cloudkit/token").text("/webToken")
      let escaped = token.replacing("+", with: "%2B").replacing("/", with: "%2F")
        .replacing("=", with: "%3D")
      let reply = try await client.get(
        "/database/1/iCloud.test/development/\(database)/users/current"
          + "?ckAPIToken=development-api-token&ckWebAuthToken=\(escaped)"
      )
      #expect(reply.status == status)
    }
  }

  @Test func `a query needs the index of its type`() async throws {
    var configuration = DevelopmentBackend.Configuration()
    configuration.cloudKit.isIndexed = false
    try await withServer(configuration) { client in
      let cloud = try await CloudClient(client)
      try await cloud.makeZone()
      _ = try await cloud.modify([.operation("create", "n1")])
      let reply = try await cloud.send("records/query", ["query": ["recordType": "Note"]])
      #expect(reply.status == 400)
      #expect(reply.text("/reason").contains("not marked queryable"))
    }
  }

  @Test func `an unknown zone is not found`() async throws {
    try await withCloud { cloud, _ in
      let reply = try await cloud.modify([.operation("create", "n1")], zone: "Other")
      #expect(reply.status == 404)
      #expect(reply.text("/serverErrorCode") == "ZONE_NOT_FOUND")
    }
  }

  @Test func `a production schema does not grow by itself`() async throws {
    try await withCloud(environment: "production") { cloud, _ in
      let reply = try await cloud.modify([.operation("create", "n1")])
      #expect(Self.codes(reply) == ["BAD_REQUEST"])
    }
  }

  @Test func `a field keeps its first type`() async throws {
    try await withCloud { cloud, _ in
      _ = try await cloud.modify([.operation("create", "n1")])
      let record: JSONValue = [
        "recordName": "n2", "recordType": "Note", "fields": ["text": ["value": 1]],
      ]
      let reply = try await cloud.modify([["operationType": "create", "record": record]])
      #expect(Self.codes(reply) == ["BAD_REQUEST"])
    }
  }

  @Test func `a reference leads to a record of the zone or of the request`() async throws {
    try await withCloud { cloud, _ in
      func link(_ name: String, to target: String) -> JSONValue {
        let value: JSONValue = ["recordName": .string(target), "action": "NONE"]
        return [
          "operationType": "create",
          "record": [
            "recordName": .string(name), "recordType": "Link",
            "fields": ["to": ["value": value, "type": "REFERENCE"]],
          ],
        ]
      }
      let lost = try await cloud.modify([link("l1", to: "n1")])
      #expect(Self.codes(lost) == ["VALIDATING_REFERENCE_ERROR"])
      let both = try await cloud.modify([.operation("create", "n1"), link("l1", to: "n1")])
      #expect(Self.codes(both) == ["-", "-"])
    }
  }

  @Test func `too many requests are throttled, with the seconds to wait`()
    async throws
  {
    var configuration = DevelopmentBackend.Configuration()
    configuration.cloudKit.requestLimit = 2
    configuration.cloudKit.requestWindow = 60
    try await withServer(configuration) { client in
      let cloud = try await CloudClient(client)
      _ = try await cloud.send("records/lookup", ["records": []])
      _ = try await cloud.send("records/lookup", ["records": []])
      let reply = try await cloud.send("records/lookup", ["records": []])
      #expect(reply.status == 429)
      #expect(reply.text("/serverErrorCode") == "THROTTLED")
      #expect(reply.number("/retryAfter") == 60)
    }
  }

  @Test func `a signed request opens the public database, and a changed one does not`()
    async throws
  {
    try await withServer { client in
      let key = P256.Signing.PrivateKey()
      _ = try await client.post(
        "/__dev/cloudkit/key",
        ["keyID": "k1", "publicKey": .string(key.publicKey.pemRepresentation)]
      )
      let path = "/database/1/iCloud.test/development/public/records/modify"
      let body: JSONValue = ["operations": [.operation("create", "n1")]]
      let date = Date.now.formatted(.iso8601)
      let hash = Data(SHA256.hash(data: Data(body.canonicalBytes))).base64EncodedString()
      let proof = try key.signature(for: Data("\(date):\(hash):\(path)".utf8))
      let headers = [
        ("X-Apple-CloudKit-Request-KeyID", "k1"), ("X-Apple-CloudKit-Request-ISO8601Date", date),
        (
          "X-Apple-CloudKit-Request-SignatureV1",
          proof.derRepresentation.base64EncodedString()
        ),
      ]
      let changed = try await client.send(
        "POST",
        path,
        ["operations": [.operation("create", "n2")]],
        headers
      )
      #expect(changed.status == 401)
      #expect(changed.text("/serverErrorCode") == "AUTHENTICATION_FAILED")
      #expect(try await client.send("POST", path, body, headers).status == 200)
    }
  }
}
