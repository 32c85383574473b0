import CloudKitWeb
import DestinationModel
import Foundation
import HTTPTransport
import JSONText
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Answers of CloudKit as its reference describes them, byte for byte.
struct CloudKitAnswerTests {
  private func withScript(
    _ api: Api? = nil,
    _ keeper: TokenKeeper = TokenKeeper(web: "first/token=="),
    _ script: @escaping ScriptedServer.Script,
    body: (CloudKitDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try api ?? CloudSample.api()
    try await ScriptedServer.run(script) { server in
      try await withCloudDestination(at: server.address, api, keeper) { destination in
        try await body(destination, server)
      }
    }
  }

  private static func failure(_ name: String, _ code: String, retryAfter: Int? = nil) -> JSONValue {
    var entry: JSONObject = [
      "recordName": .string(name), "serverErrorCode": .string(code), "reason": "because",
      "uuid": "u",
    ]
    entry["retryAfter"] = retryAfter.map { .number(JSONNumber(Int64($0))) }
    return .object(entry)
  }

  private static func stored(_ name: String, tag: String? = "t1") -> JSONValue {
    var entry: JSONObject = ["recordName": .string(name), "recordType": "GameResult"]
    entry["recordChangeTag"] = tag.map { .string($0) }
    return .object(entry)
  }

  // 002-46.
  @Test func `records are matched by name, whatever their order and number`() async throws {
    let records: JSONValue = [
      Self.stored("r3"), Self.stored("r1"), Self.stored("r9"), Self.stored("r4"), Self.stored("r4"),
      Self.stored("r5", tag: nil),
    ]
    try await withScript { _ in
      .json(["records": records])
    } body: { destination, _ in
      let items = (1...5).map { OutgoingBatch.Item.result($0) }
      let answer = await destination.send(.results(.create, items))
      let words = (1...5).map { answer.word($0) }
      #expect(words == ["stored", "unknown", "stored", "unknown", "unknown"])
    }
  }

  // 002-45, 002-46.
  @Test(arguments: [
    ("EXISTS", "exists", "conflicted"), ("CONFLICT", "exists", "conflicted"),
    ("NOT_FOUND", "rejected", "missing"), ("UNKNOWN_ITEM", "rejected", "missing"),
    ("ATOMIC_ERROR", "deferred", "deferred"), ("TRY_AGAIN_LATER", "rejected", "rejected"),
    ("THROTTLED", "rejected", "rejected"), ("SERVICE_UNAVAILABLE", "rejected", "rejected"),
    ("VALIDATING_REFERENCE_ERROR", "rejected", "rejected"),
    ("INTERNAL_ERROR", "unknown", "unknown"), ("SOMETHING_NEW", "rejected", "rejected"),
    ("ACCESS_DENIED", "rejected", "rejected"), ("QUOTA_EXCEEDED", "refused", "refused"),
  ])
  func `a record's error is classified by its code`(
    code: String,
    whenMade: String,
    whenChanged: String
  ) async throws {
    try await withScript { _ in
      .json(["records": [Self.failure("r1", code)]])
    } body: { destination, _ in
      #expect(await destination.send(.results(.create, [.result(1)])).word(1) == whenMade)
      let item = OutgoingBatch.Item.number(2, serverID: "r1", version: "t", body: ["score": 1])
      #expect(await destination.send(.results(.update, [item])).word(2) == whenChanged)
    }
  }

  @Test func `the longest wait of all records counts, and any code with a wait is passing`()
    async throws
  {
    try await withScript { _ in
      .json([
        "records": [
          Self.failure("r1", "THROTTLED", retryAfter: 3),
          Self.failure("r2", "ODD_CODE", retryAfter: 7), Self.stored("r3"),
        ]
      ])
    } body: { destination, _ in
      let answer = await destination.send(.results(.create, [.result(1), .result(2), .result(3)]))
      #expect([1, 2, 3].map { answer.word($0) } == ["deferred", "deferred", "stored"])
      #expect(answer.pause == .seconds(7))
    }
  }

  @Test func `a row beside one refused for the account is stored`()
    async throws
  {
    try await withScript { _ in
      .json(["records": [Self.failure("r1", "QUOTA_EXCEEDED"), Self.stored("r2")]])
    } body: { destination, _ in
      let answer = await destination.send(.results(.create, [.result(1), .result(2), .result(3)]))
      #expect([1, 2, 3].map { answer.word($0) } == ["refused", "stored", "unknown"])
    }
  }

  @Test func `a record that may not be changed is refused alone, and those beside it are stored`()
    async throws
  {
    try await withScript { _ in
      .json(["records": [Self.failure("r1", "ACCESS_DENIED"), Self.stored("r2")]])
    } body: { destination, _ in
      let answer = await destination.send(.results(.create, [.result(1), .result(2)]))
      #expect([1, 2].map { answer.word($0) } == ["rejected", "stored"])
      #expect(answer.whole == .answered)
      let refusal = ItemOutcome.rejected(
        code: "cloudkit.ACCESS_DENIED",
        reason: "ACCESS_DENIED: because"
      )
      #expect(answer.outcomes[1] == refusal)
    }
  }

  /// No record of a request may be changed.
  private static func denial(of request: ScriptedServer.Request) -> ScriptedServer.Reply {
    let operations = request.json["operations"]?.array ?? []
    let names = operations.map { $0["record"]?["recordName"]?.text ?? "" }
    return .json(["records": .array(names.map { failure($0, "ACCESS_DENIED") })])
  }

  @Test func `an account that may change none of many records is refused`() async throws {
    try await withScript { request in
      Self.denial(of: request)
    } body: { destination, _ in
      let items = (1...200).map { OutgoingBatch.Item.result($0) }
      let answer = await destination.send(.results(.create, items))
      #expect(answer.word(1) == "refused")
    }
  }

  @Test func `many unchangeable records in a row end the run`()
    async throws
  {
    try await withScript { request in
      Self.denial(of: request)
    } body: { destination, _ in
      var words: [String] = []
      for number: Int64 in 1...50 {
        let answer = await destination.send(.results(.create, [.result(number)]))
        words.append(answer.word(number))
      }
      #expect(words.first == "rejected")
      #expect(words.last == "refused")
    }
  }

  private static let tooLarge = ScriptedServer.Reply.raw(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n"
  )

  @Test func `an answer over the size limit is a permanent fault`()
    async throws
  {
    try await withScript { _ in
      Self.tooLarge
    } body: { destination, _ in
      let error = await #expect(throws: DestinationError.self) {
        _ = try await destination.page(of: "Result", after: nil, since: nil)
      }
      #expect(error?.isPassing == false)
      #expect(error?.description.contains("64 MiB") == true)
    }
  }

  @Test func `an answer larger than the limit leaves the changes unknown`() async throws {
    try await withScript { _ in
      Self.tooLarge
    } body: { destination, _ in
      #expect(await destination.send(.results(.create, [.result(1)])).word(1) == "unknown")
    }
  }

  @Test func `if a zone is gone, everything in it is gone`() async throws {
    try await withScript { _ in
      .json(["zones": [["serverErrorCode": "ZONE_NOT_FOUND", "reason": "it does not exist"]]])
    } body: { destination, _ in
      for since in [nil, "token"] {
        let page = try await destination.page(of: "Result", after: nil, since: since)
        #expect(page.records.isEmpty)
        #expect(page.mark == nil)
        #expect(page.isFromTheStart == (since != nil))
      }
    }
  }

  @Test func `a failed atomic batch is judged record by record, regardless of its status`()
    async throws
  {
    try await withScript { _ in
      .json(
        ["records": [Self.failure("r1", "EXISTS"), Self.failure("r2", "ATOMIC_ERROR")]],
        status: 400
      )
    } body: { destination, _ in
      let answer = await destination.send(.results(.create, [.result(1), .result(2)]))
      #expect([1, 2].map { answer.word($0) } == ["exists", "deferred"])
    }
  }

  @Test(arguments: [
    (421, "AUTHENTICATION_REQUIRED", "refused"), (401, "AUTHENTICATION_FAILED", "refused"),
    (403, "ACCESS_DENIED", "refused"), (413, "QUOTA_EXCEEDED", "refused"),
    (429, "THROTTLED", "deferred"), (503, "TRY_AGAIN_LATER", "deferred"),
    (400, "BAD_REQUEST", "splittable"), (413, "BAD_REQUEST", "splittable"),
    (500, "INTERNAL_ERROR", "unknown"),
  ])
  func `an error of the whole request is classified by its code`(
    status: Int,
    code: String,
    word: String
  ) async throws {
    try await withScript { _ in
      .json(["serverErrorCode": .string(code), "reason": "because", "uuid": "u"], status: status)
    } body: { destination, _ in
      let answer = await destination.send(.results(.create, [.result(1), .result(2)]))
      #expect(answer.word(1) == word)
    }
  }

  @Test(arguments: ["THROTTLED", "TRY_AGAIN_LATER", "SERVICE_UNAVAILABLE"])
  func `a refused request without Retry-After is deferred for long`(
    code: String
  ) async throws {
    try await withScript { _ in
      .json(["serverErrorCode": .string(code), "reason": "because"], status: 503)
    } body: { destination, _ in
      let answer = await destination.send(.results(.create, [.result(1), .result(2)]))
      #expect(answer.whole == .deferred(reason: "\(code): because"))
      #expect(answer.pause == BatchAnswer.unstatedPause)
      let error = DestinationError.busy(
        retryAfter: BatchAnswer.unstatedPause,
        reason: "\(code): because, with no time to ask again"
      )
      await #expect(throws: error) {
        try await destination.record(of: "Result", serverID: "r1")
      }
    }
  }

  @Test func `the neighbours of a failed record are sent again, even without Retry-After`()
    async throws
  {
    try await withScript { _ in
      .json(["serverErrorCode": "ATOMIC_ERROR", "reason": "because"], status: 400)
    } body: { destination, _ in
      let answer = await destination.send(.results(.create, [.result(1), .result(2)]))
      #expect(answer.word(1) == "deferred")
      #expect(answer.pause == nil)
    }
  }

  // What is known of the asset that is to go: its checksum and its size.
  private static let asset = #"{"fileChecksum":"c","receipt":"r","size":3}"#

  @Test(
    arguments: [
      (["fields": ["picture": ["value": ["fileChecksum": "c", "size": "3"]]]], "conflicted"),
      (["fields": ["picture": ["value": ["fileChecksum": "d", "size": 3]]]], "removed"),
      (["fields": ["score": ["value": 1]]], "removed"), (["deleted": true], "removed"),
      (["serverErrorCode": "UNKNOWN_ITEM"], "removed"),
      (["serverErrorCode": "THROTTLED", "retryAfter": 2], "deferred"),
      (["serverErrorCode": "ACCESS_DENIED"], "refused"),
    ] as [(JSONValue, String)]
  )
  func `an asset is reported as gone once its record was read without it`(
    entry: JSONValue,
    word: String
  ) async throws {
    var record = try #require(entry.object)
    record["recordName"] = "r/1"
    let answer: JSONValue = ["records": [.object(record)]]
    try await withScript { _ in
      .json(answer)
    } body: { destination, server in
      let item = OutgoingBatch.Item.number(1, serverID: "r/1/picture", version: Self.asset)
      #expect(await destination.send(.results(.removeMedia, [item])).word(1) == word)
      #expect(server.requests.map(\.json["records"]) == [[["recordName": "r/1"]]])
    }
  }

  @Test func `an asset whose record is not listed is not reported as gone`() async throws {
    for reply in [ScriptedServer.Reply.cut, .json(["records": []]), .json([:], status: 500)] {
      try await withScript { _ in
        reply
      } body: { destination, _ in
        let item = OutgoingBatch.Item.number(1, serverID: "r1/picture", version: Self.asset)
        #expect(await destination.send(.results(.removeMedia, [item])).word(1) == "deferred")
      }
    }
  }

  @Test(arguments: [200, 502, 503])
  func `an HTML answer leaves the outcome unknown, regardless of its status`(
    status: Int
  ) async throws {
    try await withScript { _ in
      .text("<html>", status: status)
    } body: { destination, _ in
      #expect(await destination.send(.results(.create, [.result(1)])).word(1) == "unknown")
    }
  }

  // 002-12, 002-52.
  @Test func `a create request is not atomic, and names each record itself`()
    async throws
  {
    try await withScript { _ in
      .json(["records": [Self.stored("r1")]])
    } body: { destination, server in
      _ = await destination.send(.results(.create, [.result(1)]))
      let request = try #require(server.requests.first)
      #expect(
        request.target.hasPrefix("/database/1/iCloud.sample/development/private/records/modify?")
      )
      #expect(request.target.hasSuffix("ckWebAuthToken=first%2Ftoken%3D%3D"))
      #expect(request.json["atomic"] == false)
      #expect(request.json.value(at: "/zoneID/zoneName") == "UserDataZone")
      #expect(request.json.value(at: "/operations/0/operationType") == "create")
      #expect(request.json.value(at: "/operations/0/record/recordName") == "r1")
      #expect(
        request.json.value(at: "/operations/0/record/fields/score")
          == ["type": "INT64", "value": 3]
      )
    }
  }

  @Test func `the next token is saved before the next request is sent`() async throws {
    let keeper = TokenKeeper(web: "first/token==")
    try await withScript(nil, keeper) { request in
      let isFirst = request.target.contains("first%2Ftoken")
      let next = isFirst ? "second-token" : "third-token"
      // What is not on the disk by now would be lost with this process.
      #expect(keeper.history == (isFirst ? [] : ["second-token"]))
      return .json(
        ["records": [Self.stored("r1")]],
        headers: [("X-Apple-CloudKit-Web-Auth-Token", next)]
      )
    } body: { destination, server in
      for _ in 0..<2 { _ = await destination.send(.results(.create, [.result(1)])) }
      #expect(keeper.history == ["second-token", "third-token"])
      #expect(server.requests[1].target.contains("ckWebAuthToken=second-token"))
    }
  }

  @Test func `if the next token cannot be written, the answer counts and no request follows`()
    async throws
  {
    let keeper = TokenKeeper(web: "first", isFull: true)
    try await withScript(nil, keeper) { _ in
      .json(
        ["records": [Self.stored("r1")]],
        headers: [("X-Apple-CloudKit-Web-Auth-Token", "next-token")]
      )
    } body: { destination, server in
      #expect(await destination.send(.results(.create, [.result(1)])).word(1) == "stored")
      let next = await destination.send(.results(.create, [.result(1)]))
      #expect(next.word(1) == "refused")
      #expect(next.reason(1).contains("disk is full"))
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a web token that lies in no file is refused before anything is sent`() async throws {
    let given = GivenCredentials(["api-token": Secret("a"), "web-token": Secret("w")])
    try await ScriptedServer.run { _ in
      .cut
    } body: { server in
      try await withCloudDestination(at: server.address, CloudSample.api(), given) { destination in
        await #expect(throws: DestinationError.self) { try await destination.account() }
        #expect(server.requests.isEmpty)
      }
    }
  }

  @Test func `openssl agrees with the signature of a signed request`() async throws {
    try await withTemporaryFolder { folder in
      try openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", "\(folder)/key.pem")
      try openssl("ec", "-in", "\(folder)/key.pem", "-pubout", "-out", "\(folder)/public.pem")
      let pem = try String(contentsOfFile: "\(folder)/key.pem", encoding: .utf8)
      let keys = GivenCredentials(["key-id": Secret("the-key"), "private-key": Secret(pem)])
      let api = try CloudSample.api(database: "public")
      try await ScriptedServer.run { _ in
        .json(["records": [Self.stored("r1")]])
      } body: { server in
        try await withCloudDestination(
          at: server.address,
          api,
          keys,
          now: { 1_800_000_000.75 }
        ) { destination in
          #expect(await destination.send(.results(.create, [.result(1)])).word(1) == "stored")
        }
        let request = try #require(server.requests.first)
        #expect(request.header("X-Apple-CloudKit-Request-KeyID") == "the-key")
        let date = try #require(request.header("X-Apple-CloudKit-Request-ISO8601Date"))
        #expect(date == "2027-01-15T08:00:00Z")
        try Data(request.body).write(to: URL(filePath: "\(folder)/body"))
        try openssl("dgst", "-sha256", "-binary", "-out", "\(folder)/digest", "\(folder)/body")
        let digest = try Data(contentsOf: URL(filePath: "\(folder)/digest")).base64EncodedString()
        let path = "/database/1/iCloud.sample/development/public/records/modify"
        #expect(request.target == path)
        try Data("\(date):\(digest):\(path)".utf8).write(to: URL(filePath: "\(folder)/message"))
        let signature = try #require(request.header("X-Apple-CloudKit-Request-SignatureV1"))
        try #require(Data(base64Encoded: signature)).write(to: URL(filePath: "\(folder)/proof"))
        try openssl(
          "dgst",
          "-sha256",
          "-verify",
          "\(folder)/public.pem",
          "-signature",
          "\(folder)/proof",
          "\(folder)/message"
        )
      }
    }
  }

  /// Runs the program of that name; a test that needs it fails without.
  private func openssl(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl \(arguments)")
  }
}
