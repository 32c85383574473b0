import DestinationModel
import JSONText
import ProfileSettings
import Profiles
import REST
import Records
import Testing
import UploadPlanning

/// Fields beside the member that holds the others, as Appwrite wants them:
/// <https://appwrite.io/docs/references/cloud/client-rest/databases#createDocument>.
struct BesideTests {
  private static func api(_ beside: String = "permissions") throws -> Api {
    try Sample.api(
      """
      entities: { Note: { identity: { attribute: id }, fields: { id: id, text: text } } }
      api:
        credentials: [key]
        headers: { X-Appwrite-Key: "{key}" }
        account: { constant: ann }
        entities:
          Note:
            replay: id
            id: documentId
            shape: { fields: data, beside: [\(beside)] }
            read: { request: "GET /documents/{id}" }
            create: { request: POST /documents }
            update: { request: "PATCH /documents/{id}" }
            body: { documentId: id, text: text, permissions: { constant: ['read("user:{account}")'] } }
      """
    )
  }

  private static let row: JSONValue = [
    "documentId": "n1", "data": ["text": "t"], "permissions": ["read(\"user:ann\")"],
  ]

  private func with(
    _ body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.run({ _ in .json(Self.row, status: 201) }) { server in
      try await withDestination(
        at: server.address,
        api: try Self.api(),
        credentials: GivenCredentials(["key": Secret("s3cret")])
      ) { destination in
        try await body(destination, server)
      }
    }
  }

  @Test func `a field goes beside the others`() async throws {
    try await with { destination, server in
      let body: JSONValue = [
        "documentId": "n1", "text": "t", "permissions": ["read(\"user:ann\")"],
      ]
      let item = OutgoingBatch.Item.number(1, id: "n1", body: body)
      #expect(await destination.send(.notes(.create, [item])).word(1) == "stored")
      #expect(server.requests.first?.json == Self.row)
    }
  }

  @Test func `a record that is read has it among its fields`() async throws {
    try await with { destination, _ in
      let found = try #require(try await destination.record(of: "Note", serverID: "n1"))
      #expect(
        JSONObject(parsing: found.body)
          == ["documentId": "n1", "text": "t", "permissions": ["read(\"user:ann\")"]]
      )
    }
  }

  @Test func `a field that is in no body is refused`() throws {
    let error = try #require(throws: ProfileError.self) { try Self.api("permission") }
    #expect(error.faults.first?.cure.contains("“permissions”") == true, "\(error)")
  }
}
