import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import Testing

/// What is said before anything is sent of a destination that takes other identities than those of the profile.
struct IdentityRuleTests {
  private static func api(_ clientID: String, create: String = "POST /notes") throws -> Api {
    try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, title: title } } }
      api:
        credentials: [key]
        headers: { apikey: "{key}" }
        account: { constant: me }
        client-id: \(clientID)
        schema-from: { form: openapi, request: GET /openapi.json }
        entities:
          Note:
            schema-name: notes
            replay: id
            body: { id: id, title: title }
            list: { request: GET /notes }
            read: { request: "GET /notes/{id}" }
            create: { request: "\(create)" }
      """
    )
  }

  /// What is said of notes whose `id` has this schema.
  private func check(
    _ schema: JSONValue,
    _ clientID: String,
    create: String = "POST /notes"
  ) async throws -> DestinationCheck {
    let fields: JSONValue = ["id": schema, "title": ["type": "string"]]
    return try await check(
      described: [
        "openapi": "3.1.0",
        "components": ["schemas": ["notes": ["type": "object", "properties": fields]]],
      ],
      clientID,
      create: create
    )
  }

  private func check(
    described answer: JSONValue,
    _ clientID: String,
    create: String = "POST /notes"
  ) async throws -> DestinationCheck {
    var found: [DestinationCheck] = []
    try await ScriptedServer.run({ _ in .json(answer) }) { server in
      try await withDestination(
        at: server.address,
        api: try Self.api(clientID, create: create),
        credentials: GivenCredentials(["key": Secret("anon-key")])
      ) { destination in found = await destination.schemaChecks() }
      #expect(server.lines == ["GET /openapi.json"])
    }
    #expect(found.count == 1)
    return try #require(found.first)
  }

  @Test(
    arguments: [
      (["type": "string", "format": "uuid"], "sha256", "only UUIDs", "client-id: uuid"),
      (
        ["type": "string", "pattern": "^[a-z0-9]{20}$"], "uuid", "only texts that match",
        "replay: look-up"
      ),
      (
        ["type": "string", "maxLength": 15], "uuid", "0 to 15 characters",
        "{ alphabet: base36, length: 15 }"
      ),
      (["type": "integer"], "uuid", "only numbers", "replay: look-up"),
      (
        ["type": "string", "readOnly": true], "uuid", "what the destination makes itself",
        "replay: look-up"
      ),
      (
        ["type": "string", "readOnly": true], "as-is", "what the destination makes itself",
        "replay: look-up"
      ),
    ] as [(JSONValue, String, String, String)]
  )
  func `identities that the destination refuses are named, with what to write`(
    schema: JSONValue,
    clientID: String,
    words: String,
    cure: String
  ) async throws {
    let check = try await check(schema, clientID)
    #expect(check.verdict == .unfit)
    #expect(check.entity == "Note")
    #expect(check.detail.contains("“notes” takes as “id” "))
    #expect(check.detail.contains(words))
    #expect(check.cure?.contains(cure) == true)
  }

  @Test(
    arguments: [
      (["type": "string", "format": "uuid"], "uuid"), (["type": "string"], "sha256"),
      (["type": "string", "maxLength": 15], "{ alphabet: base36, length: 15 }"),
      (["type": "string"], "as-is"),
      (["type": "string", "maxLength": 255], "as-is"),
    ] as [(JSONValue, String)]
  )
  func `identities that the destination takes are no matter`(
    schema: JSONValue,
    clientID: String
  ) async throws {
    #expect(try await check(schema, clientID).verdict == .fits)
  }

  @Test(arguments: [("uuid", nil), ("as-is", nil), ("uuid", false)] as [(String, Bool?)])
  func `of an ID that only answers name, a closed body alone says that it is not taken`(
    clientID: String,
    others: Bool?
  ) async throws {
    let content: (JSONValue) -> JSONValue = { ["content": ["application/json": ["schema": $0]]] }
    var sent: JSONObject = ["properties": ["title": ["type": "string"]]]
    if let others { sent["additionalProperties"] = .boolean(others) }
    let shown: JSONValue = ["properties": ["title": [:], "id": ["type": "string"]]]
    let post: JSONValue = [
      "requestBody": content(.object(sent)), "responses": ["201": content(shown)],
    ]
    let check = try await check(
      described: ["openapi": "3.1.0", "paths": ["/notes": ["post": post]]],
      clientID
    )
    #expect(check.verdict == (others == false ? .unfit : .unknown))
    #expect(check.detail.contains("in its answers alone") == (others != false))
    #expect(check.cure?.contains("replay: look-up") == true)
  }

  @Test func `an identity in the address is taken, also where the server fills the field`()
    async throws
  {
    let check = try await check(
      ["type": "string", "readOnly": true],
      "uuid",
      create: "PUT /notes/{id}"
    )
    #expect(check.verdict == .fits)
  }

  @Test func `of the store's keys, only a run knows whether the destination takes them`()
    async throws
  {
    let check = try await check(["type": "string", "format": "uuid"], "lower")
    #expect(check.verdict == .unknown)
    #expect(check.detail.contains("only UUIDs"))
    #expect(check.cure?.contains("client-id: uuid") == true)
  }

  @Test func `a pattern cannot steer a terminal`() async throws {
    let check = try await check(["type": "string", "pattern": "\u{1B}[2J"], "uuid")
    #expect(!check.detail.contains("\u{1B}"))
  }
}
