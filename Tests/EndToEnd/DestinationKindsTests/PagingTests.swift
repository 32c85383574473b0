import DestinationModel
import JSONText
import Profiles
import REST
import Records
import Synchronization
import Testing
import UploadPlanning

/// Lists that give less than they are asked for, change while they are read, or never end.
struct PagingTests {
  private static func api(_ paging: String) throws -> Api {
    try Sample.api(
      of: "Note",
      fields: ["text"],
      """
      replay: id
      list: { request: GET /notes, items: items, \(paging) }
      create: { request: "PUT /notes/{id}" }
      body: { text: text }
      """
    )
  }

  private static func query(_ request: ScriptedServer.Request, _ name: String) -> String? {
    let query = request.target.split(separator: "?").dropFirst().first ?? ""
    let pair = query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
    return pair.map { String($0.dropFirst(name.count + 1)) }
  }

  /// A page of a list that is read by counting, of at most `cap` rows.
  private static func page(
    _ ids: [String],
    _ request: ScriptedServer.Request,
    cap: Int = .max
  ) -> ScriptedServer.Reply {
    let offset = query(request, "offset").flatMap { Int($0) } ?? 0
    let limit = query(request, "limit").flatMap { Int($0) } ?? 100
    let rows = ids.dropFirst(offset).prefix(min(limit, cap))
    return .json([
      "items": .array(rows.map { ["id": .string($0)] }),
      "more": .boolean(offset + rows.count < ids.count),
    ])
  }

  /// Has a list refused that would never end; gives how many requests it took.
  private func refuse(
    _ paging: String,
    _ script: @escaping ScriptedServer.Script
  ) async throws -> Int {
    var count = 0
    try await withScript(api: try Self.api(paging), script) { destination, server in
      await #expect(throws: DestinationError.self) {
        try await destination.ids()
      }
      count = server.lines.count
    }
    return count
  }

  private static let cursor = "cursor: { name: after, member: next }"

  /// The number that a request has as its cursor.
  private static func place(_ request: ScriptedServer.Request) -> Int {
    query(request, "after").flatMap { Int($0) } ?? 0
  }

  private static let ids = (1...13).map { "n\($0)" }

  @Test(arguments: [1, 2, 5, 100], [1, 2, 3, 100])
  func `a page with fewer rows than asked for is not the last`(cap: Int, limit: Int) async throws {
    let api = try Self.api("offset: offset, limit: { name: limit, value: \(limit) }")
    try await withScript(api: api, { Self.page(Self.ids, $0, cap: cap) }) { destination, _ in
      let found = try await destination.ids()
      #expect(found == Self.ids)
    }
  }

  @Test func `a page begins behind the last row of the one before`() async throws {
    let script: ScriptedServer.Script = { request in
      let after = Self.query(request, "id").map { String($0.dropFirst("gt.".count)) } ?? ""
      let rows = Self.ids.sorted().filter { $0 > after }.prefix(5)
      return .json(["items": .array(rows.map { ["id": .string($0)] })])
    }
    let paging = "limit: { name: limit, value: 5 }, after: { name: id, value: \"gt.{after}\" }"
    try await withScript(api: try Self.api(paging), script) { destination, server in
      let found = try await destination.ids()
      #expect(found == Self.ids.sorted())
      #expect(
        server.lines == [
          "GET /notes?limit=5", "GET /notes?limit=5&id=gt.n13", "GET /notes?limit=5&id=gt.n6",
          "GET /notes?limit=5&id=gt.n9",
        ]
      )
    }
  }

  @Test func `a list whose pages take no notice of the last row is refused`() async throws {
    let count = try await refuse("after: { name: id, value: \"gt.{after}\" }") { _ in
      .json(["items": [["id": "n1"], ["id": "n2"]]])
    }
    #expect(count < 6)
  }

  @Test func `no page is asked for after an answer that marks the last page`() async throws {
    let api = try Self.api("offset: offset, limit: { name: limit, value: 5 }, more: more")
    try await withScript(api: api, { Self.page(Self.ids, $0) }) { destination, server in
      let found = try await destination.ids()
      #expect(found == Self.ids)
      #expect(server.lines == [0, 4, 8].map { "GET /notes?limit=5&offset=\($0)" })
    }
  }

  @Test(arguments: [["n1"], ["n4"], ["n5"], ["n3", "n9"]])
  func `rows deleted while a list is read make no other row missing`(gone: [String]) async throws {
    let api = try Self.api("offset: offset, limit: { name: limit, value: 5 }, more: more")
    let count = Mutex(0)
    try await withScript(
      api: api,
      { request in
        let isFirst = count.next() == 1
        return Self.page(isFirst ? Self.ids : Self.ids.filter { !gone.contains($0) }, request)
      }
    ) { destination, _ in
      let found = Set(try await destination.ids())
      #expect(found.isSuperset(of: Self.ids.filter { !gone.contains($0) }))
    }
  }

  @Test func `a row that moves to the front while a list is read is still found`() async throws {
    let api = try Self.api("offset: offset, limit: { name: limit, value: 5 }, more: more")
    let count = Mutex(0)
    try await withScript(
      api: api,
      { request in
        let isFirst = count.next() == 1
        let moved = ["n9"] + Self.ids.filter { $0 != "n9" }
        return Self.page(isFirst ? Self.ids : moved, request)
      }
    ) { destination, _ in
      let found = try await destination.ids()
      #expect(Set(found) == Set(Self.ids))
    }
  }

  @Test func `a list that changes with every page is refused`() async throws {
    let api = try Self.api("offset: offset, limit: { name: limit, value: 5 }, more: more")
    let count = Mutex(0)
    try await withScript(
      api: api,
      { request in
        let round = count.next()
        return Self.page((1...round).map { "new\($0)" }.reversed() + Self.ids, request)
      }
    ) { destination, server in
      let error = await #expect(throws: DestinationError.self) {
        try await destination.ids()
      }
      #expect(error?.isPassing == true)
      #expect(server.lines.count < 30)
    }
  }

  @Test func `a list that takes no notice of an offset is refused, and not called a changing one`()
    async throws
  {
    let rows = JSONValue.array(Self.ids.prefix(5).map { ["id": .string($0)] })
    let api = try Self.api("offset: offset, limit: { name: limit, value: 5 }, more: more")
    let reply = ScriptedServer.Reply.json(["items": rows, "more": true])
    try await withScript(api: api, { _ in reply }) { destination, server in
      let error = await #expect(throws: DestinationError.self) {
        try await destination.ids()
      }
      #expect(error?.isPassing == false)
      #expect(server.lines.count < 30)
    }
  }

  @Test(arguments: [1, 2, 3, 7, 30])
  func `a cycle of cursors is reported`(length: Int) async throws {
    let count = try await refuse(Self.cursor) { request in
      let next = Int64(Self.place(request) % length + 1)
      return .json(["items": [], "next": .number(JSONNumber(next))])
    }
    #expect(count < 10 + length * 4)
  }

  @Test func `the same rows under new cursors are reported`() async throws {
    let count = try await refuse(Self.cursor) { request in
      let next = Int64(Self.place(request) + 1)
      return .json(["items": [["id": "a"], ["id": "b"]], "next": .number(JSONNumber(next))])
    }
    #expect(count < 10)
  }

  @Test func `an endless sequence of empty pages is ended`() async throws {
    let count = try await refuse(Self.cursor) { request in
      let next = Int64(Self.place(request) + 1)
      return .json(["items": [], "next": .number(JSONNumber(next))])
    }
    #expect(count < 1_010)
  }

  @Test func `each of two look-alike identities leads to its own row of a list`()
    async throws
  {
    let ids = ["caf\u{E9}", "cafe\u{301}"]
    let api = try Self.api("offset: offset, more: more")
    try await withScript(api: api, { Self.page(ids, $0) }) { destination, _ in
      for id in ids {
        let record = try await destination.record(of: "Note", serverID: id)
        #expect(record.map { Array($0.serverID.utf8) } == Array(id.utf8))
      }
    }
  }

  @Test func `a row that looks like the last one of the page before is not taken for it`()
    async throws
  {
    let ids = ["a", "b", "caf\u{E9}", "cafe\u{301}", "d"]
    let api = try Self.api("offset: offset, limit: { name: limit, value: 3 }, more: more")
    let count = Mutex(0)
    try await withScript(
      api: api,
      { request in
        let isFirst = count.next() == 1
        return Self.page(isFirst ? ids : Array(ids.dropFirst()), request)
      }
    ) { destination, _ in
      let found = try await destination.ids()
      #expect(found.contains { Array($0.utf8) == Array(ids[3].utf8) })
    }
  }

  @Test func `a long list of cursors is read to its end`() async throws {
    let api = try Self.api("cursor: { name: after, member: next }")
    try await withScript(
      api: api,
      { request in
        let place = Self.query(request, "after").flatMap { Int($0) } ?? 0
        let isEmpty = place % 3 == 1
        return .json([
          "items": isEmpty ? [] : [["id": .string("n\(place)")]],
          "next": place < 200 ? .number(JSONNumber(Int64(place + 1))) : .null,
        ])
      }
    ) { destination, _ in
      let found = try await destination.ids()
      #expect(found.count == 134)
    }
  }
}
