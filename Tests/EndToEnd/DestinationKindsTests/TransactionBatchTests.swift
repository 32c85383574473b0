import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Batches that a server carries out in one transaction and answers item by item.
struct TransactionBatchTests {
  private static let three: [OutgoingBatch.Item] = [.number(1), .number(2), .number(3)]
  private static let oneFailed = batchReply(
    created: [("local-1", "s1"), ("local-3", "s3")],
    failed: [("local-2", "no such event")]
  )

  private static func api() throws -> Api {
    try Sample.api(
      of: "Hero",
      by: .signIn,
      """
      replay: look-up
      list: { request: GET /heroes, items: data }
      read: { request: "GET /heroes/{id}", item: data }
      create:
        request: POST /heroes/batch
        batch:
          { items: heroes, local-id: id, answered-as: localId, created: results.created, failed: results.failed, id: serverId, transaction: true }
      body: { name: name }
      natural-key: [name]
      """
    )
  }

  /// What becomes of the items where these heroes are at the server, and what was looked for.
  private func outcome(
    of items: [OutgoingBatch.Item] = Self.three,
    _ reply: ScriptedServer.Reply = Self.oneFailed,
    there: Set<String> = [],
    else absence: ScriptedServer.Reply = .json(["error": "NotFound"], status: 404)
  ) async throws -> (words: [String], looks: [String]) {
    var words: [String] = []
    var looks: [String] = []
    try await withScript(
      api: Self.api(),
      { request in
        guard request.method == "GET" else { return reply }
        let id = String(request.target.dropFirst("/heroes/".count))
        return there.contains(id) ? .json(["data": ["id": .string(id), "name": "Ada"]]) : absence
      }
    ) { destination, server in
      let answer = await destination.send(.heroes(.create, items))
      words = items.map { answer.word($0.operation) }
      looks = server.lines.filter { $0.hasPrefix("GET") }
    }
    return (words, looks)
  }

  @Test func `if none of the created records exists, the batch is sent again in halves`()
    async throws
  {
    let found = try await outcome()
    #expect(found.words == ["splittable", "splittable", "splittable"])
    #expect(found.looks == ["GET /heroes/s1", "GET /heroes/s3"])
  }

  @Test func `if the created records exist, each item has its answered outcome`() async throws {
    let found = try await outcome(there: ["s1", "s3"])
    #expect(found.words == ["stored", "rejected", "stored"])
    #expect(found.looks == ["GET /heroes/s1"])
  }

  @Test func `one record that another device removed does not mean that the batch was rolled back`()
    async throws
  {
    #expect(try await outcome(there: ["s3"]).words == ["stored", "rejected", "stored"])
  }

  @Test func `a batch in which every item failed needs no look-up`() async throws {
    let reply = batchReply(failed: [("local-1", "a"), ("local-2", "b"), ("local-3", "c")])
    let found = try await outcome(reply)
    #expect(found.words == ["splittable", "splittable", "splittable"])
    #expect(found.looks.isEmpty)
  }

  @Test func `a failure of a batch with one item is the item's own`() async throws {
    let found = try await outcome(of: [.number(2)])
    #expect(found.words == ["rejected"])
    #expect(found.looks.isEmpty)
  }

  @Test func `a batch without failures needs no look-up`() async throws {
    let reply = batchReply(created: [("local-1", "s1"), ("local-2", "s2"), ("local-3", "s3")])
    let found = try await outcome(reply)
    #expect(found.words == ["stored", "stored", "stored"])
    #expect(found.looks.isEmpty)
  }

  @Test(arguments: [ScriptedServer.Reply.cut, .json(["error": "boom"], status: 500)])
  func `if no look-up is possible, all outcomes are unknown`(absence: ScriptedServer.Reply)
    async throws
  {
    #expect(try await outcome(else: absence).words == ["unknown", "unknown", "unknown"])
  }

  @Test
  func `after a batch failure that names no record, unnamed items are unknown and not sent again`()
    async throws
  {
    let reply = ScriptedServer.Reply.json([
      "results": [
        "created": [["localId": "local-1", "serverId": "s1"]], "failed": [["error": "no"]],
      ]
    ])
    #expect(try await outcome(reply).words == ["unknown", "unknown", "unknown"])
    #expect(try await outcome(reply, there: ["s1"]).words == ["stored", "unknown", "unknown"])
  }

  @Test func `transactional batches are refused for a destination that shows no record`() throws {
    let error = try #require(throws: ProfileError.self) {
      try Sample.api(
        of: "Hero",
        """
        replay: id
        create:
          request: POST /heroes/batch
          batch: { items: heroes, local-id: id, created: made, failed: failed, transaction: true }
        body: { name: name }
        """
      )
    }
    #expect("\(error)".contains("rolled back"), "\(error)")
  }
}
