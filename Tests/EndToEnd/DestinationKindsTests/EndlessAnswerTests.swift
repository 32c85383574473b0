import CloudKitWeb
import DestinationModel
import JSONText
import Records
import REST
import Testing
import UploadPlanning

/// CloudKit and a bucket that give pages without end.
@Suite(.timeLimit(.minutes(2)))
struct EndlessAnswerTests {
  // MARK: - CloudKit

  private func withCloud(
    zone: String? = "UserDataZone",
    _ script: @escaping ScriptedServer.Script,
    body: (CloudKitDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let api = try CloudSample.api(zone: zone)
    try await ScriptedServer.run(script) { server in
      let keeper = TokenKeeper(web: "first/token==")
      try await withCloudDestination(at: server.address, api, keeper) { destination in
        try await body(destination, server)
      }
    }
  }

  /// The number that a request has as its token or its marker.
  private static func place(_ request: ScriptedServer.Request) -> Int {
    let token = request.json.value(at: "/zones/0/syncToken") ?? request.json["continuationMarker"]
    return token?.text.flatMap { Int($0) } ?? 0
  }

  private static func records(_ names: String...) -> JSONValue {
    .array(
      names.map { name -> JSONValue in
        [
          "recordName": .string(name), "recordType": "GameResult", "recordChangeTag": "t1",
          "fields": [:],
        ]
      }
    )
  }

  /// A page of a zone's changes, or of a query, whichever was asked for.
  private static func page(
    _ request: ScriptedServer.Request,
    _ records: JSONValue = [],
    next: Int?
  ) -> ScriptedServer.Reply {
    let token = JSONValue.string("\(next ?? 0)")
    guard request.json["zones"] != nil else {
      var answer: JSONObject = ["records": records]
      answer["continuationMarker"] = next == nil ? nil : token
      return .json(.object(answer))
    }
    let zone: JSONValue = [
      "records": records, "syncToken": token, "moreComing": .boolean(next != nil),
    ]
    return .json(["zones": [zone]])
  }

  @Test(arguments: ["UserDataZone", nil], [1, 2, 3, 7])
  func `a cycle of page tokens is reported`(zone: String?, length: Int) async throws {
    try await withCloud(zone: zone) { request in
      Self.page(request, next: Self.place(request) % length + 1)
    } body: { destination, server in
      let error = await #expect(throws: DestinationError.self) {
        try await destination.ids(of: "Result")
      }
      #expect(error?.isPassing == false)
      #expect(server.requests.count < 10 + length * 4)
    }
  }

  @Test(arguments: ["UserDataZone", nil])
  func `a page with the same records under new tokens is reported`(zone: String?) async throws {
    try await withCloud(zone: zone) { request in
      Self.page(request, Self.records("a", "b"), next: Self.place(request) + 1)
    } body: { destination, server in
      await #expect(throws: DestinationError.self) { try await destination.ids(of: "Result") }
      #expect(server.requests.count < 10)
    }
  }

  // The service may look through much of a zone and find nothing.
  @Test(arguments: ["UserDataZone", nil])
  func `records after many empty pages are read`(zone: String?) async throws {
    try await withCloud(zone: zone) { request in
      let place = Self.place(request)
      return place < 1_200
        ? Self.page(request, next: place + 1) : Self.page(request, Self.records("a"), next: nil)
    } body: { destination, _ in
      let names = try await destination.ids(of: "Result")
      #expect(names == ["a"])
    }
  }

  @Test func `an endless sequence of empty pages is ended`() async throws {
    try await withCloud { request in
      Self.page(request, next: Self.place(request) + 1)
    } body: { destination, server in
      await #expect(throws: DestinationError.self) { try await destination.ids(of: "Result") }
      #expect(server.requests.count > 4_000 && server.requests.count < 6_000)
    }
  }

  @Test func `a token that is refused as soon as it was given is reported`() async throws {
    try await withCloud { request in
      guard Self.place(request) > 0 else {
        return Self.page(request, Self.records("a"), next: 1)
      }
      return .json(["zones": [["serverErrorCode": "CHANGE_TOKEN_EXPIRED", "reason": "because"]]])
    } body: { destination, server in
      let error = await #expect(throws: DestinationError.self) {
        try await destination.ids(of: "Result", since: "9")
      }
      #expect(error?.description.contains("CHANGE_TOKEN_EXPIRED") == true)
      #expect(server.requests.count < 40)
    }
  }

  // MARK: - A bucket

  /// Reads both lists of a bucket to their ends; gives the reasons why it could not, and how many
  /// requests it took.
  private func list(
    _ script: @escaping ScriptedServer.Script
  ) async throws -> (reasons: [String], count: Int) {
    var reasons: [String] = []
    var count = 0
    try await BucketSample.run(script) { destination, server in
      var mark: String?
      repeat {
        let page = try #require(try await destination.mediaPage(of: "media:Hero", after: mark))
        if let refusal = page.refusal { reasons.append(refusal.subject) }
        mark = page.next
        count = server.requests.count
        guard count < 100 else { return }
      } while mark != nil
    }
    return (reasons, count)
  }

  /// The place that a request of a list names, or 0.
  private static func place(_ request: ScriptedServer.Request, _ name: String) -> Int {
    let query = request.target.split(separator: "?").dropFirst().first ?? ""
    let pair = query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
    return pair.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
  }

  private static func xml(_ root: String, _ text: String) -> ScriptedServer.Reply {
    .xml("<\(root)>\(text)</\(root)>")
  }

  @Test(arguments: [1, 2, 3, 7])
  func `a cycle in a list of files is reported, and the next list is read`(length: Int)
    async throws
  {
    let (reasons, count) = try await list { request in
      guard request.target.contains("list-type=") else {
        return Self.xml("ListMultipartUploadsResult", "")
      }
      let next = Self.place(request, "continuation-token") % length + 1
      return Self.xml(
        "ListBucketResult",
        "<IsTruncated>true</IsTruncated><NextContinuationToken>\(next)</NextContinuationToken>"
      )
    }
    #expect(reasons == ["files that no run sent"])
    #expect(count < 20 + length * 4)
  }

  // Some services end a list with an empty token, or with one that leads nowhere.
  @Test(arguments: [
    "<IsTruncated>false</IsTruncated><NextContinuationToken/>",
    "<IsTruncated>false</IsTruncated><NextContinuationToken>a</NextContinuationToken>",
    "<NextContinuationToken></NextContinuationToken>",
  ])
  func `a file list that declares itself complete is not read further`(end: String) async throws {
    let (reasons, count) = try await list { request in
      Self.xml(
        request.target.contains("list-type=") ? "ListBucketResult" : "ListMultipartUploadsResult",
        end
      )
    }
    #expect(reasons.isEmpty)
    #expect(count < 5)
  }

  @Test(arguments: [1, 2, 3, 7])
  func `a cycle in the list of multipart uploads is reported`(length: Int) async throws {
    let (reasons, count) = try await list { request in
      guard !request.target.contains("list-type=") else { return Self.xml("ListBucketResult", "") }
      let next = Self.place(request, "upload-id-marker") % length + 1
      return Self.xml(
        "ListMultipartUploadsResult",
        "<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>"
          + "<NextUploadIdMarker>\(next)</NextUploadIdMarker>"
      )
    }
    #expect(reasons == ["files whose sending was begun and not ended"])
    #expect(count < 20 + length * 4)
  }
}
