import Changeset
import DestinationModel
import HTTPTransport
import JSONText
import Profiles
import Records
import Synchronization
import Testing
import UploadPlanning

/// The date of a row at a backend that keeps the one that the row is pushed with.
struct ChangesetDateTests {
  static func api() throws -> Api {
    try Sample.api(
      """
      entities:
        Tag: { fields: { name: name, mood: mood } }
      api:
        kind: changeset
        account: { request: GET /me, member: id }
        sync: { pull: GET /sync, push: POST /sync, changes-cursor: server_time }
        entities:
          Tag:
            rows: tags
            deleted: deleted_at
            changed: updated_at
            version: updated_at
            body: { name: name, mood: mood }
      """
    )
  }

  private static func named(_ name: String?, _ row: JSONValue) -> JSONValue {
    guard let name, var object = row.object else { return row }
    object["name"] = .string(name)
    return .object(object)
  }

  /// Runs a server that has one row, gives these times one after the other, and keeps what it is reported,
  /// all but a name of its own, or another device's row instead; gives the requests and the dates of the rows
  /// that were pushed.
  private func pushed(
    _ verb: OutgoingBatch.Verb,
    over date: String,
    at times: JSONValue...,
    name: String? = nil,
    instead: JSONValue? = nil
  ) async throws -> (word: String, lines: [String], dates: [String?]) {
    let there: JSONValue = ["id": "t1", "name": "a", "updated_at": .string(date)]
    let rows = Mutex([there])
    let left = Mutex(times)
    let script: ScriptedServer.Script = { request in
      if request.line == "GET /me" { return .json(["id": "u1"]) }
      if request.method == "POST" {
        let taken = (request.json["tags"]?.array ?? []).map { Self.named(name, $0) }
        rows.withLock { $0 = instead.map { [$0] } ?? taken }
      }
      let time = left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      return .json(["server_time": time, "tags": .array(rows.withLock { $0 })])
    }
    let api = try Self.api()
    let transport = HTTPTransport()
    let word = Mutex("")
    let lines = Mutex<[String]>([])
    try await ScriptedServer.run(script) { server in
      let destination = try ChangesetDestination(
        api: api,
        address: server.address,
        credentials: GivenCredentials([:]),
        transport: transport
      )
      let item = OutgoingBatch.Item.number(
        1,
        id: verb == .create ? "t2" : "t1",
        serverID: verb == .create ? nil : "t1",
        body: instead == nil ? ["name": "b"] : ["name": "b", "mood": "sad"]
      )
      let answer = await destination.send(OutgoingBatch(entity: "Tag", verb: verb, items: [item]))
      word.withLock { $0 = answer.word(1) }
      lines.withLock { $0 = server.lines }
    }
    await transport.shutdown()
    let dates = rows.withLock { rows in rows.map { $0["updated_at"]?.text } }
    return (word.withLock { $0 }, lines.withLock { $0 }, dates)
  }

  @Test(arguments: [OutgoingBatch.Verb.create, .update])
  func `a row is dated by the time that the destination sent before`(verb: OutgoingBatch.Verb)
    async throws
  {
    let time = "2026-11-26T10:00:00.123456789Z"
    let push = try await pushed(verb, over: "2026-11-25T10:00:00Z", at: .string(time))
    #expect(push.word == "stored")
    #expect(push.dates == [time])
  }

  @Test func `a row that replaces one of a later date is dated a millisecond after it`()
    async throws
  {
    let push = try await pushed(
      .update,
      over: "2026-11-26T13:00:00+01:00",
      at: "2026-11-26T10:00:00Z"
    )
    #expect(push.word == "stored")
    #expect(push.dates == ["2026-11-26T12:00:00.001Z"])
  }

  @Test func `a row with the date of the push is the run's, in the server's date format`()
    async throws
  {
    let push = try await pushed(
      .update,
      over: "2026-11-25T10:00:00Z",
      at: "2026-11-26T10:00:00Z",
      name: "B"
    )
    #expect(push.word == "stored")
  }

  @Test
  func `a row with another device's date is not the run's, even if it holds a part of the change`()
    async throws
  {
    let push = try await pushed(
      .update,
      over: "2026-11-25T10:00:00Z",
      at: "2026-11-26T10:00:00Z",
      instead: ["id": "t1", "name": "b", "updated_at": "2026-11-26T10:00:05Z"]
    )
    #expect(push.word == "conflicted")
  }

  @Test func `without a date from the server, no row that needs one is pushed`() async throws {
    let push = try await pushed(.update, over: "2026-11-25T10:00:00Z", at: .null)
    #expect(push.word == "refused")
    #expect(!push.lines.contains("POST /sync"))
  }

  @Test func `a change during the full reading is dated after the push`() async throws {
    let push = try await pushed(
      .update,
      over: "2026-11-25T10:00:00Z",
      at: "2026-11-26T10:00:00Z",
      "2026-11-26T10:00:09Z"
    )
    #expect(push.word == "stored")
    #expect(push.dates == ["2026-11-26T10:00:00Z"])
  }

  @Test(
    arguments: [
      (.create, "GET /sync?since=2026-11-26T09%3A59%3A59.999Z"), (.update, "GET /sync"),
    ] as [(OutgoingBatch.Verb, String)]
  )
  func `Ferry reads all rows before a change, and new rows before and after a creation`(
    verb: OutgoingBatch.Verb,
    reading: String
  ) async throws {
    let push = try await pushed(
      verb,
      over: "2026-11-25T10:00:00Z",
      at: "2026-11-26T10:00:00Z"
    )
    let reads = push.lines.filter { $0.hasPrefix("GET /sync") }
    #expect(reads == ["GET /sync", reading, "GET /sync?since=2026-11-26T09%3A59%3A59.999Z"])
  }
}
