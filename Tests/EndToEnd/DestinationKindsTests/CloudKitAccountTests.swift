import CloudKitWeb
import Crypto
import DestinationModel
import JSONText
import Testing

/// Whose a database of CloudKit is that a key opens, as far as the service shows.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CloudKitAccountTests {
  private func withKey(
    _ script: @escaping ScriptedServer.Script,
    body: (CloudKitDestination) async throws -> Void
  ) async throws {
    let pem = P256.Signing.PrivateKey().pemRepresentation
    let keys = GivenCredentials(["key-id": Secret("the-key"), "private-key": Secret(pem)])
    let api = try CloudSample.api(database: "public")
    try await ScriptedServer.run(script) { server in
      try await withCloudDestination(at: server.address, api, keys) { destination in
        try await body(destination)
      }
    }
  }

  private static func refusal(_ code: String, _ status: Int) -> ScriptedServer.Reply {
    .json(["serverErrorCode": .string(code), "reason": "because"], status: status)
  }

  @Test(arguments: [
    ("AUTHENTICATION_FAILED", 401), ("ACCESS_DENIED", 403), ("BAD_REQUEST", 400),
  ])
  func `a key without a known user is itself the account, if it opens the database`(
    code: String,
    status: Int
  ) async throws {
    try await withKey { request in
      request.target.contains("/users/")
        ? Self.refusal(code, status) : .json(["records": []])
    } body: { destination in
      let account = try await destination.account()
      #expect(account == "the key the-key in iCloud.sample, development, public")
    }
  }

  @Test func `a key without access to the database is refused`() async throws {
    try await withKey { _ in
      Self.refusal("AUTHENTICATION_FAILED", 401)
    } body: { destination in
      let error = await #expect(throws: DestinationError.self) {
        _ = try await destination.account()
      }
      #expect(error?.description.contains("check the key's identifier") == true)
    }
  }

  @Test(
    arguments: [
      ["userRecordName": "_u1"], ["users": [["userRecordName": "_u1"]]],
    ] as [JSONValue],
    [("NOT_FOUND", 404), ("BAD_REQUEST", 400)]
  )
  func `if the user route is gone, its newer name is tried`(
    answer: JSONValue,
    refusal: (code: String, status: Int)
  ) async throws {
    try await withKey { request in
      request.target.hasSuffix("/users/caller")
        ? .json(answer) : Self.refusal(refusal.code, refusal.status)
    } body: { destination in
      let account = try await destination.account()
      #expect(account == "_u1 in iCloud.sample, development, public")
    }
  }
}
