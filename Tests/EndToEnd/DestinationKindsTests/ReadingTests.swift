import DestinationModel
import JSONText
import REST
import Records
import Testing
import UploadPlanning

struct ReadingTests {
  private static func heroes(_ ids: [String], hasMore: Bool?) -> ScriptedServer.Reply {
    let rows = ids.map { id -> JSONValue in
      ["id": .string(id), "updatedAt": .string("2026-01-0\(id.last ?? "1")")]
    }
    let pagination: JSONValue = hasMore.map { ["hasMore": .boolean($0)] } ?? [:]
    return .json(["data": ["heroes": .array(rows), "pagination": pagination]])
  }

  // 000-14, 000-70.
  @Test func `numbered pages are read to the end`() async throws {
    try await withScript({ request in
      request.target.contains("offset=0")
        ? Self.heroes(["h3", "h9"], hasMore: true) : Self.heroes(["h9", "h4"], hasMore: false)
    }) { destination, server in
      let first = try await destination.page(of: "Hero", after: nil, since: nil)
      let last = try await destination.page(of: "Hero", after: first.next, since: nil)
      #expect(first.records.map(\.serverID) + last.records.map(\.serverID) == ["h3", "h9", "h4"])
      #expect(last.next == nil)
      #expect(last.mark == "2026-01-09")
      #expect(server.lines.last == "GET /api/v1/heroes?limit=2&offset=1")
    }
  }

  private static let tooLarge = ScriptedServer.Reply.raw(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n"
  )

  @Test func `a page over the size limit is a permanent fault, and the cure names the limit`()
    async throws
  {
    try await withScript({ _ in Self.tooLarge }) { destination, _ in
      let error = await #expect(throws: DestinationError.self) {
        _ = try await destination.page(of: "Hero", after: nil, since: nil)
      }
      #expect(error?.isPassing == false)
      #expect(error?.description.contains("64 MiB") == true)
      #expect(error?.description.contains("limit") == true)
    }
  }

  @Test func `an answer larger than the limit leaves the created records unknown`() async throws {
    try await withScript({ _ in Self.tooLarge }) { destination, _ in
      let answer = await destination.send(.heroes(.create, [.number(1)]))
      #expect(answer.word(1) == "unknown")
    }
  }

  // 000-71, 003-16.
  @Test func `a list asks for changes since a cursor`() async throws {
    try await withScript({ _ in Self.heroes([], hasMore: nil) }) { destination, server in
      let page = try await destination.page(of: "Hero", after: nil, since: "2026-01-01T00:00:00Z")
      #expect(page.next == nil && page.records.isEmpty)
      #expect(
        server.lines.last
          == "GET /api/v1/heroes?limit=2&offset=0&updatedAfter=2026-01-01T00%3A00%3A00Z"
      )
    }
  }

  @Test func `a cursor is followed to its end`() async throws {
    try await withScript({ request in
      let isFirst = !request.target.contains("after=")
      return .json([
        "records": [["id": isFirst ? "a" : "b", "version": 10, "data": ["text": "t"]]],
        "next": isFirst ? "a&b" : .null,
      ])
    }) { destination, server in
      let first = try await destination.page(of: "Note", after: nil, since: nil)
      let last = try await destination.page(of: "Note", after: first.next, since: nil)
      #expect(
        last.records == [
          RemoteRecord(serverID: "b", version: "10", body: Array(#"{"text":"t"}"#.utf8))
        ]
      )
      #expect(last.next == nil && last.mark == "10")
      #expect(server.lines.last == "GET /collections/notes/records?limit=2&after=a%26b")
    }
  }

  // 000-16.
  @Test func `a row without its content is refused`() async throws {
    try await withScript({ _ in .json(["records": [["id": "a", "version": 1]]]) }) {
      destination,
      _ in
      await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Note", after: nil, since: nil)
      }
    }
  }

  @Test func `an endless list is refused`() async throws {
    try await withScript({ request in
      request.target.hasPrefix("/api")
        ? Self.heroes([], hasMore: true) : .json(["records": [], "next": "same"])
    }) { destination, _ in
      await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Hero", after: nil, since: nil)
      }
      let first = try await destination.page(of: "Note", after: nil, since: nil)
      await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Note", after: first.next, since: nil)
      }
    }
  }

  // 001-9.
  @Test func `a missing record is nil, and an unreadable one is an error`()
    async throws
  {
    try await withScript({ request in
      switch request.target.split(separator: "/").last {
      case "gone": .json(["error": "NotFound"], status: 404)
      case "lost": .text("<html>404</html>", status: 404)
      case "other": .json(["data": ["id": "x"]])
      case "null": .json(["data": .null])
      case "cut": .cut
      case "busy": .json(["error": "x"], status: 429, headers: [("Retry-After", "4")])
      default: .json(["data": ["id": "there", "updatedAt": "v1"]])
      }
    }) { destination, _ in
      let there = try await destination.record(of: "Hero", serverID: "there")
      let gone = try await destination.record(of: "Hero", serverID: "gone")
      #expect(there?.version == "v1" && gone == nil)
      for id in ["lost", "other", "null"] {
        let error = await #expect(throws: DestinationError.self) {
          try await destination.record(of: "Hero", serverID: id)
        }
        #expect(error?.isPassing == false)
      }
      let cut = await #expect(throws: DestinationError.self) {
        try await destination.record(of: "Hero", serverID: "cut")
      }
      #expect(cut?.isPassing == true)
      await #expect(
        throws: DestinationError.busy(retryAfter: .seconds(4), reason: "status 429: x")
      ) { try await destination.record(of: "Hero", serverID: "busy") }
    }
  }

  // 000-15.
  @Test func `a page of HTML is refused as a list`() async throws {
    try await withScript({ _ in .text("<html>Welcome</html>") }) { destination, _ in
      let error = await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Hero", after: nil, since: nil)
      }
      #expect(error?.isPassing == true)
      #expect(error?.description.contains("200 with a page of HTML (text/html)") == true)
    }
  }

  /// It is asked again as long as patience lasts, and then taken for the answer of another server.
  @Test(arguments: [
    ScriptedServer.Reply.text("<html>Sign in</html>"),
    .text("", status: 302, headers: [("Location", "https://login.example.com/")]),
    .text("", status: 303, headers: [("Location", "/login")]),
  ])
  func `a page or a redirect to one says that another server answers`(
    reply: ScriptedServer.Reply
  ) async throws {
    try await withScript({ _ in reply }) { destination, _ in
      let error = try #require(
        await #expect(throws: DestinationError.self) {
          try await destination.page(of: "Hero", after: nil, since: nil)
        }
      )
      #expect(error.isPassing)
      let check = DestinationCheck("records", error)
      #expect(check.verdict == .unfit)
      #expect(check.cure?.contains("a sign-in page or a proxy") == true)
    }
  }

  @Test func `cut JSON under the type of HTML is no page`() async throws {
    let reply = ScriptedServer.Reply.text(" [{\"id\": 1, \"na")
    try await withScript({ _ in reply }) { destination, _ in
      let error = try #require(
        await #expect(throws: DestinationError.self) {
          try await destination.page(of: "Hero", after: nil, since: nil)
        }
      )
      #expect(error.isPassing)
      #expect(error.description.contains("200 with text/html that is not whole JSON"))
      #expect(DestinationCheck("records", error).verdict == .unreached)
    }
  }

  @Test func `a redirect that asks to wait is heeded`() async throws {
    let headers = [("Location", "/later"), ("Retry-After", "4")]
    try await withScript({ _ in .text("", status: 303, headers: headers) }) { destination, _ in
      let error = await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Hero", after: nil, since: nil)
      }
      #expect(error?.requestedPause == .seconds(4))
    }
  }

  // What was cut off may come the next time; a server that has nothing to say has said so.
  @Test(arguments: [(200, true), (204, false)])
  func `a success without a body is neither an empty list nor an absent record`(
    status: Int,
    isPassing: Bool
  ) async throws {
    try await withScript({ _ in .text("", status: status) }) { destination, _ in
      let list = await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Hero", after: nil, since: nil)
      }
      let record = await #expect(throws: DestinationError.self) {
        try await destination.record(of: "Hero", serverID: "h1")
      }
      for error in [list, record] {
        #expect(error?.isPassing == isPassing)
        #expect(error?.description.contains("\(status) without a body") == true)
      }
    }
  }

  @Test func `a page with a row without identity is refused`() async throws {
    try await withScript({ _ in .json(["data": ["heroes": [["name": "x"]]]]) }) { destination, _ in
      await #expect(throws: DestinationError.self) {
        try await destination.page(of: "Hero", after: nil, since: nil)
      }
    }
  }
}
