import DestinationModel
import JSONText
import NIOHTTP1
import ProfileSettings
import Profiles
import Records
import REST
import Testing
import UploadPlanning

/// Lists whose answers have the address of the next page, and lists that are counted.
struct NextAddressTests {
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

  private static let ids = (0..<5).map { "n\($0)" }

  private static func rows(_ ids: some Sequence<String>) -> JSONValue {
    .array(ids.map { id -> JSONValue in ["id": .string(id)] })
  }

  private static func number(_ request: ScriptedServer.Request, _ name: String) -> Int? {
    let query = request.target.split(separator: "?").dropFirst().first ?? ""
    return query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
      .flatMap { Int($0.dropFirst(name.count + 1)) }
  }

  // C14: nextq, nextrp.
  @Test(arguments: [
    "?cursor=", "notes?cursor=", "./notes?cursor=", "/notes?cursor=", "ORIGIN/notes?cursor=",
  ])
  func `the next page's address may be relative`(form: String) async throws {
    try await withScript(
      api: try Self.api("next: next"),
      { request in
        let start = Self.number(request, "cursor") ?? 0
        let host = request.header("Host") ?? ""
        let address = form.replacing("ORIGIN", with: "http://\(host)") + "\(start + 2)"
        return .json([
          "items": Self.rows(Self.ids.dropFirst(start).prefix(2)),
          "next": start + 2 < 5 ? .string(address) : .null,
        ])
      }
    ) { destination, server in
      let found = try await destination.ids()
      #expect(found == Self.ids)
      #expect(server.requests.allSatisfy { $0.target.hasPrefix("/notes") })
    }
  }

  // C14: linksrv.py.
  @Test(arguments: [
    [#"<ORIGIN/notes?cursor=POS>; rel="next""#], [#"<?cursor=POS>; rel="next""#],
    ["<ORIGIN/notes?cursor=POS>; rel=next"], [#"</notes?cursor=POS>; REL="Next""#],
    [#"</notes?cursor=0>; rel="first", </notes?cursor=POS>; rel="next""#],
    [#"</notes?a=1,2&cursor=POS>; title="a, b; rel=x"; rel="next last""#],
    [#"</notes?cursor=0>; rel="next"; anchor="/other", </notes?cursor=POS>; rel="next""#],
    [#"</notes?cursor=0>; rel="first""#, #"</notes?cursor=POS>; rel="next""#],
  ])
  func `the next page's address is read from a header of links`(fields: [String]) async throws {
    try await withScript(
      api: try Self.api("next: { header: Link }"),
      { request in
        let start = Self.number(request, "cursor") ?? 0
        let origin = "http://\(request.header("Host") ?? "")"
        let links = start + 2 < 5 ? fields : []
        return .json(
          ["items": Self.rows(Self.ids.dropFirst(start).prefix(2))],
          headers: links.map {
            ("Link", $0.replacing("ORIGIN", with: origin).replacing("POS", with: "\(start + 2)"))
          }
        )
      }
    ) { destination, _ in
      let found = try await destination.ids()
      #expect(found == Self.ids)
    }
  }

  @Test(arguments: [("rel", "href"), ("relation", "url")])
  func `the next page's address is read from an array of links`(relation: String, address: String)
    async throws
  {
    try await withScript(
      api: try Self.api("next: link"),
      { request in
        let start = Self.number(request, "cursor") ?? 0
        let onward: JSONValue = [relation: "next", address: .string("/notes?cursor=\(start + 2)")]
        let first: JSONValue = [relation: "first", address: "/notes?cursor=0"]
        return .json([
          "items": Self.rows(Self.ids.dropFirst(start).prefix(2)),
          "link": .array([first] + (start + 2 < 5 ? [onward] : [])),
        ])
      }
    ) { destination, server in
      let found = try await destination.ids()
      #expect(found == Self.ids)
      #expect(server.requests.count == 3)
    }
  }

  @Test func `a next page at another server is not requested`() async throws {
    try await withScript(
      api: try Self.api("next: next"),
      { _ in .json(["items": Self.rows(["a"]), "next": "http://localhost:9/notes?cursor=2"]) }
    ) { destination, server in
      let error = await #expect(throws: DestinationError.self) { try await destination.ids() }
      #expect(error?.description.contains("another server") == true)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `rows may be counted from one`() async throws {
    try await withScript(
      api: try Self.api("limit: { name: n, value: 2 }, offset: { name: startIndex, first: 1 }"),
      { request in
        let start = (Self.number(request, "startIndex") ?? 1) - 1
        return .json(["items": Self.rows(Self.ids.dropFirst(max(start, 0)).prefix(2))])
      }
    ) { destination, server in
      let found = try await destination.ids()
      #expect(found == Self.ids)
      #expect(server.requests.first.flatMap { Self.number($0, "startIndex") } == 1)
    }
  }

  @Test(arguments: [
    "next: nxt", "more: rest, offset: skip", "cursor: { name: after, member: nxt }",
  ])
  func `a profile with a wrong place for the next page is reported`(
    paging: String
  ) async throws {
    try await withScript(
      api: try Self.api(paging),
      { _ in .json(["items": Self.rows(["a", "b"]), "total": 5, "next": "/notes?skip=2"]) }
    ) { destination, _ in
      let error = await #expect(throws: DestinationError.self) { try await destination.ids() }
      #expect(error?.description.contains("more rows follow") == true)
    }
  }

  @Test func `the field that the profile names takes precedence over a total`() async throws {
    let answer = ScriptedServer.Reply.json(
      ["items": Self.rows(["a"]), "total": 5, "next": .null, "rest": false]
    )
    for paging in ["more: rest, next: next", "more: rest, cursor: { name: after, member: next }"] {
      try await withScript(api: try Self.api(paging), { _ in answer }) { destination, _ in
        let found = try await destination.ids()
        #expect(found == ["a"])
      }
    }
  }

  // PostgREST says so of each list without rows.
  @Test func `an empty first page whose range names no rows ends the list`() async throws {
    let answer = ScriptedServer.Reply.json(
      ["items": []],
      headers: [("Content-Range", "*/*")]
    )
    try await withScript(api: try Self.api("offset: skip"), { _ in answer }) { destination, _ in
      let found = try await destination.ids()
      #expect(found == [])
    }
  }

  @Test func `a list is read whole if the profile declares it complete`() async throws {
    let answer = ScriptedServer.Reply.json(["items": Self.rows(["a"]), "bookmark": "g1AAAA"])
    try await withScript(api: try Self.api("whole: true"), { _ in answer }) { destination, _ in
      let found = try await destination.ids()
      #expect(found == ["a"])
    }
    #expect(throws: ProfileError.self) { try Self.api("whole: true, offset: skip") }
  }

  @Test(
    arguments: [
      [:], ["items": .null], ["resourceType": "Bundle", "type": "searchset", "total": 0],
      ["kind": "list", "link": [["relation": "self", "url": "/notes"]]], ["nextPageToken": ""],
      ["success": true],
    ] as [JSONValue]
  )
  func `a list without rows may lack the member for them`(answer: JSONValue) async throws {
    try await withScript(api: try Self.api("whole: true"), { _ in .json(answer) }) {
      destination,
      _ in
      let found = try await destination.ids()
      #expect(found == [])
    }
  }

  @Test(
    arguments: [
      ["message": "down for maintenance"], ["status": "ok"], ["rows": []], ["notes": ["a": 1]],
      ["success": false], ["kind": "list", "ok": false], ["result": "error"], ["type": "error"],
      ["total": 3], ["items": .null, "message": "down"], ["n1": ["text": "a"]], [], "items",
    ] as [JSONValue]
  )
  func `an answer in another form is not read as an empty list`(answer: JSONValue) async throws {
    try await withScript(api: try Self.api("whole: true"), { _ in .json(answer) }) {
      destination,
      _ in
      await #expect(throws: DestinationError.self) { try await destination.ids() }
    }
  }
}
