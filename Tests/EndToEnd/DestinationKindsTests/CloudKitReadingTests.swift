import CloudKitWeb
import DestinationModel
import DevelopmentBackend
import HTTPTransport
import JSONText
import Profiles
import REST
import Records
import RequestMapping
import Testing
import UploadPlanning

/// How a database of CloudKit is read, and what its service refuses to state.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CloudKitReadingTests {
  private func withScript(
    _ script: @escaping ScriptedServer.Script,
    body: (CloudKitDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.run(script) { server in
      let keeper = TokenKeeper(web: "first/token==")
      try await withCloudDestination(at: server.address, CloudSample.api(), keeper) { destination in
        try await body(destination, server)
      }
    }
  }

  /// A request for records, as its answer is made of the names that it asks for.
  private static func entries(
    _ request: ScriptedServer.Request,
    _ reported: (String) -> JSONObject
  ) -> ScriptedServer.Reply {
    let names = (request.json["records"]?.array ?? []).compactMap { $0["recordName"]?.text }
    let entries = names.map { name -> JSONValue in
      var entry = reported(name)
      entry["recordName"] = .string(name)
      return .object(entry)
    }
    return .json(["records": .array(entries)])
  }

  private static let denial: JSONObject = ["serverErrorCode": "ACCESS_DENIED", "reason": "because"]

  @Test func `the user of a private database is asked for in the public one`()
    async throws
  {
    try await withScript { _ in
      .json(["userRecordName": "_u1"])
    } body: { destination, server in
      #expect(try await destination.account() == "_u1 in iCloud.sample, development, private")
      let target = try #require(server.requests.first?.target)
      #expect(target.hasPrefix("/database/1/iCloud.sample/development/public/users/current?"))
    }
  }

  @Test(arguments: [
    (401, "AUTHENTICATION_FAILED", "api-token"), (421, "AUTHENTICATION_REQUIRED", "web-token"),
  ])
  func `a token without access to the database is named`(
    status: Int,
    code: String,
    token: String
  ) async throws {
    try await withScript { _ in
      .json(["serverErrorCode": .string(code), "reason": "because"], status: status)
    } body: { destination, _ in
      let error = await #expect(throws: DestinationError.self) {
        _ = try await destination.account()
      }
      let text = error?.description ?? ""
      let named = ["api-token", "web-token"].filter { text.contains("“\($0)”") }
      #expect(named == [token])
    }
  }

  @Test(arguments: [
    ("CHANGE_TOKEN_EXPIRED", "because"), ("BAD_REQUEST", "Unknown sync continuation type"),
    ("BAD_REQUEST", "Invalid continuation format"),
    ("BAD_REQUEST", "client knowledge differs from server knowledge"),
  ])
  func `an expired sync token causes a full reading, which is reported`(
    code: String,
    reason: String
  ) async throws {
    try await withScript { request in
      let hasToken = request.json.value(at: "/zones/0/syncToken") != nil
      let zone: JSONValue =
        hasToken
        ? ["serverErrorCode": .string(code), "reason": .string(reason)]
        : ["records": [], "syncToken": "new", "moreComing": false]
      return .json(["zones": [zone]])
    } body: { destination, _ in
      let page = try await destination.page(of: "Result", after: nil, since: "old")
      #expect(page.isFromTheStart)
      #expect(page.mark == "new")
    }
  }

  @Test func `the default zone of the private database lists no changes, and is read by a query`()
    async throws
  {
    try await withCloud(api: try CloudSample.api(zone: nil)) { destination, _, _ in
      let answer = await destination.send(.results(.create, [.result(1), .result(2)]))
      #expect([1, 2].map { answer.word($0) } == ["stored", "stored"])
      let page = try await destination.page(of: "Result", after: nil, since: nil)
      #expect(page.records.map(\.serverID) == ["r1", "r2"])
      #expect(destination.traits.listsChangesSince == ["Result": false])
    }
  }

  @Test func `a type without the index that a query needs is reported with a cure`() async throws {
    try await withCloud(
      api: try CloudSample.api(zone: nil),
      change: { $0.cloudKit.isIndexed = false }
    ) { destination, _, _ in
      _ = await destination.send(.results(.create, [.result(1)]))
      let error = await #expect(throws: DestinationError.self) {
        _ = try await destination.page(of: "Result", after: nil, since: nil)
      }
      #expect(error?.description.contains("index") == true, "\(String(describing: error))")
      let checks = await destination.preflight()
      #expect(checks.map(\.verdict) == [.unfit])
      #expect(checks.first?.cure?.contains("recordName") == true)
    }
  }

  @Test func `an unreadable record hides no record beside it, and shows none of its fields`()
    async throws
  {
    try await withScript { request in
      Self.entries(request) { name in
        switch name {
        case "r1": ["recordType": "GameResult", "recordChangeTag": "t1", "fields": [:]]
        case "r2": Self.denial
        default: ["serverErrorCode": "NOT_FOUND", "reason": "because"]
        }
      }
    } body: { destination, _ in
      let found = try await destination.records(of: "Result", serverIDs: ["r1", "r2", "r3"])
      #expect(found.all.map(\.serverID).sorted() == ["r1", "r2"])
      let denied = RemoteRecord(
        serverID: "r2",
        version: nil,
        body: Array("{}".utf8),
        denial: "ACCESS_DENIED: because"
      )
      #expect(found["r2"] == denied)
    }
  }

  @Test func `an account that may read none of many records is refused`() async throws {
    try await withScript { request in
      Self.entries(request) { _ in Self.denial }
    } body: { destination, _ in
      let names = (1...200).map { "r\($0)" }
      await #expect(throws: DestinationError.forbidden(reason: "ACCESS_DENIED: because")) {
        try await destination.records(of: "Result", serverIDs: names)
      }
    }
  }

  // A list that is empty shows no type, and need not be kept.
  @Test func `an empty list equals a missing one`() throws {
    let results = try #require(try CloudSample.api().entity("Result"))
    #expect(results.agree([], .null, of: "tags") && !results.agree([], ["a"], of: "tags"))
  }
}
