import DestinationModel
import Foundation
import HTTPTransport
import JSONText
import Profiles
import REST
import Records
import TestSupport
import Testing
import UploadPlanning

/// A POST of an identity that is there: the server answers by 200 and drops what came.
struct DroppedDataTests {
  private static func api(_ route: String, basic: Bool) throws -> Api {
    try Sample.api(
      """
      entities:
        Note: { identity: { attribute: id }, fields: { id: id, text: text } }
      api:
        kind: rest
        credentials: [\(basic ? "user" : "email"), password]
        basic: { user: "{\(basic ? "user" : "email")}", password: "{password}" }
        entities:
          Note:
            replay: id
            create: { request: POST \(route), wrap: data, item: data }
            body: { id: id, text: text }
      """
    )
  }

  private func item(_ text: String) -> OutgoingBatch.Item {
    .number(1, id: "n1", body: ["id": "n1", "text": .string(text)])
  }

  @Test(arguments: [(200, "theirs", "exists"), (200, "ours", "stored"), (201, "theirs", "stored")])
  func `a record that the server dropped is not reported as stored`(
    status: Int,
    text: String,
    word: String
  ) async throws {
    let row: JSONValue = ["data": ["id": "n1", "text": .string(text)]]
    try await withScript(
      api: Self.api("/notes", basic: false),
      { _ in .json(row, status: status) }
    ) { destination, _ in
      #expect(await destination.send(.notes(.create, [item("ours")])).word(1) == word)
    }
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["FERRY_KINTO"] != nil,
      "skipped: FERRY_KINTO does not name the program of Kinto"
    )
  )
  func `a record that Kinto did not make is not reported as stored`() async throws {
    let program = try #require(ProcessInfo.processInfo.environment["FERRY_KINTO"])
    try await withTemporaryFolder { folder in
      let server = try RealServer.kinto(program, in: folder)
      try server.addKintoAccount("demo", password: "s3cret-word")
      let transport = HTTPTransport()
      let destination = try RESTDestination(
        api: Self.api("/buckets/default/collections/notes/records", basic: true),
        address: "\(server.origin)/v1",
        credentials: GivenCredentials([
          "user": Secret("demo"), "password": Secret("s3cret-word"),
        ]),
        transport: transport
      )
      let words = [
        await destination.send(.notes(.create, [item("first")])).word(1),
        await destination.send(.notes(.create, [item("other")])).word(1),
      ]
      await transport.shutdown()
      #expect(words == ["stored", "exists"])
    }
  }
}
