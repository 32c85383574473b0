import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import RequestBodies
import Testing
import UploadPlanning

/// Records that several members together identify, as rows of a join table do.
struct CompoundIdentityTests {
  private static func api(
    replay: String = "replay: look-up",
    id: String = "[folder, tag]",
    tag: String = "tag",
    path: String = "/db/links/{id.folder},{id.tag}"
  ) throws -> Api {
    try Sample.api(
      """
      entities: { Note: { fields: { folder: folder, tag: tag, text: text } } }
      api:
        kind: rest
        credentials: [key]
        headers: { apikey: "{key}" }
        entities:
          Note:
            \(replay)
            id: \(id)
            list: { request: GET /db/links, items: rows, whole: true }
            read:
              request: "GET \(path)"
              many:
                name: or
                each: "and(folder.eq.{id.folder},tag.eq.{id.tag})"
                value: "({ids})"
            create: { request: POST /db/links }
            update: { request: "PATCH \(path)", sends: changed }
            delete:
              request: "DELETE \(path)"
            body:
              folder: folder
              tag: \(tag)
              text: text
      """
    )
  }

  private func with(
    _ reply: ScriptedServer.Reply,
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.run({ _ in reply }) { server in
      try await withDestination(
        at: server.address,
        api: try Self.api(),
        credentials: GivenCredentials(["key": Secret("anon-key")])
      ) { destination in
        try await body(destination, server)
      }
    }
  }

  private static let row: JSONValue = ["folder": 7, "tag": "a,b", "text": "t"]

  @Test func `a list shows each record under one text made of its members`() async throws {
    let rows: JSONValue = ["rows": [Self.row, ["folder": 7, "tag": "c", "text": "u"]]]
    try await with(.json(rows)) { destination, _ in
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      #expect(page.records.map(\.serverID) == ["7,a%2Cb", "7,c"])
    }
  }

  @Test func `a created record has the members of its answer as its identity`() async throws {
    try await with(.json(Self.row, status: 201)) { destination, _ in
      let items = [OutgoingBatch.Item.number(1, body: Self.row)]
      let answer = await destination.send(.notes(.create, items))
      #expect(answer.outcomes[1] == .stored(serverID: "7,a%2Cb", version: nil))
    }
  }

  @Test func `each member has a place of its own in the address of a record`() async throws {
    try await with(.json(Self.row)) { destination, server in
      let item = OutgoingBatch.Item.number(1, serverID: "7,a%2Cb", body: ["text": "t"])
      let found = try await destination.record(of: "Note", serverID: "7,a%2Cb")
      #expect(found?.serverID == "7,a%2Cb")
      #expect(await destination.send(.notes(.update, [item])).word(1) == "stored")
      #expect(await destination.send(.notes(.delete, [item])).word(1) == "removed")
      let path = "/db/links/7,a%2Cb"
      #expect(server.lines == ["GET \(path)", "PATCH \(path)", "DELETE \(path)"])
    }
  }

  @Test func `an answer about another record is not believed`() async throws {
    try await with(.json(["folder": 7, "tag": "c", "text": "t"])) { destination, _ in
      let item = OutgoingBatch.Item.number(1, serverID: "7,a%2Cb", body: ["text": "t"])
      #expect(await destination.send(.notes(.update, [item])).word(1) == "unknown")
    }
  }

  @Test func `a row that lacks one of the members has no identity`() async throws {
    try await with(.json(["rows": [["folder": 7, "text": "t"]]])) { destination, _ in
      await #expect(throws: DestinationError.self) {
        _ = try await destination.page(of: "Note", after: nil, since: nil)
      }
    }
  }

  @Test func `the members are the natural key, and no change sends them`() throws {
    let entity = try #require(try Self.api().entity("Note"))
    #expect(entity.naturalKey == ["folder", "tag"])
    #expect(entity.body.filter { $0.stage == .once }.map(\.name) == ["folder", "tag"])
  }

  @Test func `a filter names several records by all of their members`() throws {
    let entity = try #require(try Self.api().entity("Note"))
    let filter = try #require(entity.read?.filter)
    let values = filter.values(of: ["7,a", "8,b"], entity.values(ofIdentity:))
    #expect(values == ["(and(folder.eq.7,tag.eq.a),and(folder.eq.8,tag.eq.b))"])
    // A comma would mean something else in a filter.
    #expect(filter.values(of: ["7,a%2Cb"], entity.values(ofIdentity:)) == nil)
  }

  private func causes(_ body: () throws -> Api) throws -> [String] {
    try #require(throws: ProfileError.self) { _ = try body() }.faults.map(\.cause)
  }

  @Test func `an identity of several members is not chosen by the client`() throws {
    let found = try causes { try Self.api(replay: "replay: id") }
    #expect(found.contains("“replay” is for records known by one member, and “id” names 2"))
  }

  @Test func `a member of the identity that a change would send is refused`() throws {
    let found = try causes { try Self.api(tag: "{ field: tag, on: create }") }
    #expect(found == ["“tag” is part of the identity, and a change would send it"])
  }

  @Test func `a route without one of the members names no record`() throws {
    let found = try causes { try Self.api(path: "/db/links/{id.folder}") }
    #expect(found.contains { $0.contains("names no record") })
  }

  @Test func `the one name of an identity has no value where several members are it`() throws {
    let found = try causes { try Self.api(path: "/db/links/{id.folder},{id.tag},{id}") }
    #expect(found.contains { $0.hasPrefix("“{id}”") })
  }

  @Test func `a member that is named twice is refused`() throws {
    let found = try causes { try Self.api(id: "[folder, tag, tag]") }
    #expect(found.contains("a member is named twice"))
  }
}
