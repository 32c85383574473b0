import DestinationModel
import JSONText
import Profiles
import REST
import Testing

/// A bucket for the files of heroes, of an account whose name has to be escaped in their keys.
enum BucketSample {
  private static let account = "ada+1@example.com"
  private static let credentials = GivenCredentials([
    "access": Secret("an-access-key"), "secret": Secret("a-secret-key"),
  ])

  private static func api(at endpoint: String, _ settings: String) throws -> Api {
    try Sample.api(
      """
      entities:
        Hero: { fields: { name: name } }
      api:
        kind: rest
        credentials: [access, secret]
        account: { request: GET /me, member: email }
        media:
          enabled: true
          bucket:
            endpoint: \(endpoint)
            name: files
            region: us-east-1
            access-key: access
            secret-key: secret
            part-mebibytes: 5
            \(settings)
        entities:
          Hero:
            replay: key
            create: { request: POST /heroes, key-header: Idempotency-Key }
            body: { name: name }
      """
    )
  }

  /// Lends a destination whose bucket answers as the script says.
  static func run(
    settings: String = "",
    _ script: @escaping ScriptedServer.Script,
    body: (RESTDestination, ScriptedServer) async throws -> Void
  ) async throws {
    let whole: ScriptedServer.Script = { request in
      request.line == "GET /me" ? .json(["email": .string(account)]) : script(request)
    }
    try await ScriptedServer.run(whole) { server in
      try await withDestination(
        at: server.address,
        api: try api(at: server.address, settings),
        credentials: credentials
      ) { destination in
        try await body(destination, server)
      }
    }
  }
}

extension ScriptedServer.Reply {
  /// What a bucket says, in its own form.
  static func xml(
    _ text: String,
    status: Int = 200,
    headers: [(String, String)] = []
  ) -> ScriptedServer.Reply {
    .text(text, status: status, type: "application/xml", headers: headers)
  }
}
