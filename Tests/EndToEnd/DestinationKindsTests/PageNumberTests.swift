import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import Synchronization
import Testing
import UploadPlanning

/// Lists whose pages have numbers, as those of PocketBase, Rails, Laravel and Spring.
struct PageNumberTests {
  private static func api(_ page: String = "page", _ more: String = "") throws -> Api {
    try Sample.api(
      of: "Note",
      fields: ["text"],
      """
      replay: id
      list: { request: GET /notes, items: items, limit: { name: n, value: 2 }, page: \(page)\(more) }
      create: { request: "PUT /notes/{id}" }
      body: { text: text }
      """
    )
  }

  private static func number(_ request: ScriptedServer.Request) -> Int? {
    let query = request.target.split(separator: "?").dropFirst().first ?? ""
    return query.split(separator: "&").first { $0.hasPrefix("page=") }
      .flatMap { Int($0.dropFirst("page=".count)) }
  }

  /// A page of two rows; the first page has the number `first`.
  private static func page(
    _ ids: [String],
    _ request: ScriptedServer.Request,
    first: Int = 1
  ) -> ScriptedServer.Reply {
    let start = ((number(request) ?? first) - first) * 2
    let rows = ids.dropFirst(start).prefix(2).map { id -> JSONValue in ["id": .string(id)] }
    return .json(["items": .array(rows), "rest": .boolean(start + 2 < ids.count)])
  }

  private static func ids(_ count: Int) -> [String] { (0..<count).map { "n\($0)" } }

  @Test(arguments: [0, 1, 2, 3, 4, 9])
  func `a list is read up to its empty page`(count: Int) async throws {
    for (page, first) in [("page", 1), ("{ name: page, first: 0 }", 0)] {
      try await withScript(
        api: try Self.api(page),
        { Self.page(Self.ids(count), $0, first: first) }
      ) { destination, _ in
        let found = try await destination.ids()
        #expect(found == Self.ids(count))
      }
    }
  }

  @Test func `no page is asked for after an answer that marks the last page`() async throws {
    try await withScript(
      api: try Self.api("page", ", more: rest"),
      { Self.page(Self.ids(4), $0) }
    ) { destination, server in
      let found = try await destination.ids()
      #expect(found == Self.ids(4))
      #expect(server.requests.compactMap { Self.number($0) }.max() == 2)
    }
  }

  // Django reports a further page by its address, and of none by null.
  @Test func `if the answer names the next page's address, the next page is asked for`()
    async throws
  {
    try await withScript(
      api: try Self.api("page", ", more: next"),
      { request in
        let number = Self.number(request) ?? 1
        let rows = Self.ids(5).dropFirst((number - 1) * 2).prefix(2)
        return .json([
          "items": .array(rows.map { id -> JSONValue in ["id": .string(id)] }),
          "next": number < 3 ? .string("http://127.0.0.1/notes?page=\(number + 1)") : .null,
        ])
      }
    ) { destination, server in
      let found = try await destination.ids()
      #expect(found == Self.ids(5))
      #expect(server.requests.compactMap { Self.number($0) }.max() == 3)
    }
  }

  @Test(arguments: ["n0", "n1", "n2", "n8"])
  func `a row deleted while a list is read makes no other row missing`(gone: String) async throws {
    let count = Mutex(0)
    try await withScript(
      api: try Self.api(),
      { request in
        let round = count.next()
        return Self.page(round < 3 ? Self.ids(9) : Self.ids(9).filter { $0 != gone }, request)
      }
    ) { destination, _ in
      let found = Set(try await destination.ids())
      #expect(found.isSuperset(of: Self.ids(9).filter { $0 != gone }))
    }
  }

  @Test func `a first page with another number than in the profile is reported`() async throws {
    for (page, first) in [("page", 0), ("{ name: page, first: 0 }", 1)] {
      // Many take a page below the first one for the first.
      let script: ScriptedServer.Script = { request in
        let asked = max(Self.number(request) ?? first, first)
        let rows = Self.ids(9).dropFirst((asked - first) * 2).prefix(2)
        return .json(["items": .array(rows.map { id -> JSONValue in ["id": .string(id)] })])
      }
      try await withScript(api: try Self.api(page), script) { destination, server in
        await #expect(throws: DestinationError.self) { try await destination.ids() }
        #expect(server.lines.count < 40)
      }
    }
  }

  @Test func `a list that changes with every page is refused`() async throws {
    let count = Mutex(0)
    try await withScript(
      api: try Self.api(),
      { request in
        let round = count.next()
        let new = (1...round).map { "new\($0)" }.reversed()
        return Self.page(new + Self.ids(9), request)
      }
    ) { destination, server in
      await #expect(throws: DestinationError.self) { try await destination.ids() }
      #expect(server.lines.count < 40)
    }
  }

  @Test func `a repeated page is reported`() async throws {
    let same = ScriptedServer.Reply.json(["items": [["id": "a"], ["id": "b"]]])
    try await withScript(api: try Self.api(), { _ in same }) { destination, server in
      await #expect(throws: DestinationError.self) { try await destination.ids() }
      #expect(server.lines.count < 20)
    }
  }

  @Test func `a list of changes that the destination has forgotten is read from its beginning`()
    async throws
  {
    try await withScript(
      api: try Self.api("page", ", since: since"),
      { request in
        request.target.contains("since=")
          ? .json(["error": "Gone"], status: 410) : Self.page(Self.ids(3), request)
      }
    ) { destination, _ in
      let page = try await destination.page(of: "Note", after: nil, since: "5")
      #expect(page.isFromTheStart)
      #expect(page.records.map { $0.serverID } == ["n0", "n1"])
    }
  }

  @Test func `two ways to the next page are a fault of the profile`() throws {
    #expect(throws: ProfileError.self) { try Self.api("page", ", offset: skip") }
    #expect(throws: ProfileError.self) { try Self.api("{ name: page, first: 2 }") }
  }
}
