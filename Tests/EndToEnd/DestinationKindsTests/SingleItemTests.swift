import DestinationModel
import JSONText
import REST
import Testing
import UploadPlanning

struct SingleItemTests {
  private func word(
    _ batch: OutgoingBatch,
    _ reply: ScriptedServer.Reply
  ) async throws -> String {
    var word = ""
    try await withScript({ _ in reply }) { destination, _ in
      word = await destination.send(batch).word(1)
    }
    return word
  }

  private static let update = OutgoingBatch.heroes(.update, [.number(1, serverID: "s1")])
  private static let delete = OutgoingBatch.heroes(.delete, [.number(1, serverID: "s1")])
  private static let note = OutgoingBatch.notes(.create, [.number(1, id: "n/1")])

  // 000-29, 000-35, 001-17.
  @Test func `a create takes identity and version from the row`() async throws {
    try await withScript({ _ in .json(["data": ["id": "e1", "title": "x"]], status: 201) }) {
      destination,
      server in
      let answer = await destination.send(.events([.number(1)]))
      #expect(answer.outcomes == [1: .stored(serverID: "e1", version: nil)])
      #expect(server.requests.last?.header("Idempotency-Key") == "key-1")
      #expect(server.requests.last?.json == ["name": "Ada"])
    }
  }

  @Test func `a create under a client identity does not overwrite`() async throws {
    try await withScript({ _ in .json(["id": "n/1", "version": 7], status: 201) }) {
      destination,
      server in
      let answer = await destination.send(Self.note)
      #expect(answer.outcomes == [1: .stored(serverID: "n/1", version: "7")])
      #expect(server.requests.last?.line == "PUT /collections/notes/records/n%2F1")
      #expect(server.requests.last?.header("If-None-Match") == "*")
    }
    #expect(try await word(Self.note, .json(["error": "x"], status: 412)) == "exists")
    #expect(try await word(Self.note, .json(["error": "x"], status: 409)) == "exists")
  }

  @Test func `an answer about another record leaves the outcome unknown`() async throws {
    #expect(try await word(Self.note, .json(["id": "n2", "version": 7], status: 201)) == "unknown")
    #expect(try await word(Self.update, .json(["data": ["id": "s2"]])) == "unknown")
    #expect(try await word(Self.update, .json(["data": .null])) == "unknown")
    #expect(try await word(.events([.number(1)]), .json(["data": []])) == "unknown")
  }

  @Test func `a creation whose answer shows no row is known to be made, and not where`()
    async throws
  {
    #expect(try await word(.events([.number(1)]), .json(["data": []], status: 201)) == "unnamed")
  }

  @Test func `an answer with another spelling of the identity is about the same record`()
    async throws
  {
    for spelled in ["cafe\u{301}", "CAF\u{C9}", " caf\u{E9}\t"] {
      try await withScript({ _ in .json(["id": .string(spelled), "version": 7], status: 201) }) {
        destination,
        _ in
        let note = OutgoingBatch.notes(.create, [.number(1, id: "caf\u{E9}")])
        let outcome = await destination.send(note).outcomes[1]
        guard case .stored(let serverID, "7")? = outcome else {
          Issue.record("\(outcome.debugDescription)")
          return
        }
        #expect(Array(serverID.utf8) == Array(spelled.utf8))
      }
    }
  }

  @Test func `an update carries the version it expects`() async throws {
    let batch = OutgoingBatch.notes(.update, [.number(1, serverID: "n1", version: "3")])
    try await withScript({ _ in .json(["id": "n1", "version": 4]) }) { destination, server in
      let answer = await destination.send(batch)
      #expect(answer.outcomes == [1: .stored(serverID: "n1", version: "4")])
      #expect(server.requests.last?.header("If-Match") == "\"3\"")
    }
  }

  @Test func `a change that is answered by 204 counts as done`() async throws {
    try await withScript({ _ in .text("", status: 204) }) { destination, _ in
      let answer = await destination.send(Self.update)
      #expect(answer.outcomes == [1: .stored(serverID: "s1", version: nil)])
    }
    #expect(try await word(Self.update, .text("", status: 200)) == "unknown")
  }

  // 001-2, 001-5, 001-6.
  @Test(arguments: [
    (404, "missing"), (410, "missing"), (412, "conflicted"), (400, "rejected"), (409, "rejected"),
    (422, "rejected"), (403, "refused"), (402, "refused"), (507, "refused"), (301, "refused"),
    (308, "refused"), (302, "unknown"), (303, "unknown"), (500, "unknown"), (502, "unknown"),
    (504, "unknown"), (408, "deferred"), (425, "deferred"), (429, "deferred"), (503, "deferred"),
  ])
  func `every status has its meaning for an update`(status: Int, word: String) async throws {
    let reply = ScriptedServer.Reply.json(["error": "x"], status: status)
    #expect(try await self.word(Self.update, reply) == word)
  }

  @Test(arguments: [
    (ScriptedServer.Reply.text("", status: 204), "removed"),
    (.json(["data": ["id": "s1"]]), "removed"),
    (.json(["error": "NotFound"], status: 404), "missing"),
    (.text("<html>nginx</html>", status: 404), "refused"), (.text("<html>Hello</html>"), "unknown"),
    (.cut, "unknown"),
  ])
  func `a removal counts as done only if the answer confirms it`(
    reply: ScriptedServer.Reply,
    word: String
  ) async throws {
    #expect(try await self.word(Self.delete, reply) == word)
  }

  // 002-44.
  @Test func `a quota concerns the account, regardless of the status`() async throws {
    let reply = ScriptedServer.Reply.json(
      ["error": ["code": "QUOTA_EXCEEDED", "message": "full"]],
      status: 413
    )
    #expect(try await word(Self.update, reply) == "refused")
  }

  @Test func `an operation without an identity is not sent`() async throws {
    try await withScript({ _ in .cut }) { destination, server in
      let answer = await destination.send(.heroes(.delete, [.number(1)]))
      #expect(answer.word(1) == "rejected")
      #expect(server.requests.isEmpty)
    }
  }

  @Test(arguments: ["..", ".", ""])
  func `an identity that would change the path is not sent`(id: String) async throws {
    try await withScript({ _ in .text("", status: 204) }) { destination, server in
      let answer = await destination.send(.heroes(.delete, [.number(1, serverID: id)]))
      #expect(answer.word(1) == "rejected")
      #expect(!server.lines.contains { $0.hasPrefix("DELETE") })
    }
  }

  @Test func `after a lost answer the remaining items are not sent`() async throws {
    try await withScript({ request in
      request.target.hasSuffix("s2") ? .cut : .text("", status: 204)
    }) { destination, server in
      let items: [OutgoingBatch.Item] = (1...3).map { .number($0, serverID: "s\($0)") }
      let answer = await destination.send(.heroes(.delete, items))
      #expect([1, 2, 3].map { answer.word($0) } == ["removed", "unknown", "deferred"])
      #expect(!server.lines.contains("DELETE /api/v1/heroes/s3"))
    }
  }

  private static let words: [(JSONValue, String)] = [
    (["error": "ValidationError", "message": "too long"], "422 ValidationError: too long"),
    (["error": ["code": "bad", "message": "nested"]], "422 bad: nested"),
    (["error": "only text"], "status 422: only text"),
    (["code": "INVALID", "message": "coded"], "422 INVALID: coded"),
    (["title": "Problem", "detail": "described"], "422 Problem: described"),
    ([], "status 422"),
    (
      ["detail": [["loc": ["body", "title"], "msg": "Field required", "type": "missing"]]],
      "status 422: title: Field required"
    ),
    (
      ["statusCode": 422, "message": ["title is not a text", "x"], "error": "Bad Request"],
      "422 Bad Request: title is not a text; x"
    ),
    (
      ["title": ["has already been taken"], "body": ["is too long", "is odd"]],
      "status 422: body: is too long; title: has already been taken"
    ),
    (
      ["message": "Failed", "data": ["title": ["code": "c", "message": "Must be unique."]]],
      "status 422: Failed: title: Must be unique. (c)"
    ),
    (
      ["message": "Failed", "data": ["id": ["code": "validation_pk_invalid"]]],
      "status 422: Failed: id: validation_pk_invalid"
    ),
    (["data": ["id": ["code": "75001"]]], "status 422"),
    (["msg": "Too long"], "status 422: Too long"),
    (["code": 7, "errmsg": "No such row"], "422 7: No such row"),
    (["error": ["code": "E1", "msg": "Bad"]], "422 E1: Bad"),
    // That may be a record.
    (["name": "Ada", "tags": ["secret"]], "status 422"),
    (["data": ["name": "Ada", "tags": ["secret"]]], "status 422"),
    (["letter": ["id": 1, "message": "Dear Ada"]], "status 422"),
  ]

  // 000-31, 001-16.
  @Test(arguments: words)
  func `the server's message is found in every format`(body: JSONValue, reason: String) async throws
  {
    try await withScript({ _ in .json(body, status: 422) }) { destination, _ in
      #expect(await destination.send(Self.update).reason(1) == reason)
    }
  }

  @Test func `the server's message is shortened and cannot control a terminal`() async throws {
    let words = "\u{1B}[2J\u{202E}" + String(repeating: "x", count: 400)
    try await withScript({ _ in .json(["error": .string(words)], status: 422) }) { destination, _ in
      let reason = await destination.send(Self.update).reason(1)
      #expect(reason.hasPrefix("status 422: \\u{1B}[2J\\u{202E}xxx"))
      #expect(reason.count < 340 && reason.hasSuffix("…"))
    }
  }
}
